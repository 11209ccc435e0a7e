#include "io/state/simulation_snapshot.hpp"

#include <optional>

#include "engine/step/step_view.hpp"
#include "io/scene/config_reader.hpp"
#include "io/state/snapshot.hpp"

namespace scree {

void WriteSnapshot(const std::string& path, const Simulation& simulation) {
  RunConfig config;
  config.scene = simulation.GetScene();
  config.step = simulation.Parameters();
  SnapshotMeta meta = MakeSnapshotMeta(config.scene, config.step.dt, simulation.Observe(),
                                       simulation.Report(), simulation.FreeWalls());
  meta.domain = simulation.View().DomainNow();
  meta.configuration = EffectiveIni(config);
  std::optional<BondOutput> bonds;
  if (!config.scene.bonds.empty()) {
    bonds =
        BondOutput{simulation.View().Bonds(), simulation.Clusters(), config.scene.HasDamageBonds()};
  }
  WriteSnapshot(simulation.Ranks(), path, simulation.Grains(), meta, {}, nullptr, nullptr,
                simulation.VelocitiesNow(), bonds ? &*bonds : nullptr);
}

}  // namespace scree
