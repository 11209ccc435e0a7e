#include "engine/step/insertion.hpp"

#include "engine/contacts/contact_assembly.hpp"
#include "engine/particles/inflow.hpp"
#include "engine/particles/rain.hpp"
#include "engine/step/insert_remove.hpp"

namespace scree {
namespace {

/// @returns whether some rank has inserted particles
bool InsertAllRains(const StepSetup& setup, State& state, const OwnsPosition& owns,
                    Particles& new_particles) {
  const Scene& scene = setup.scene;
  const double dt = setup.base;
  const MaxOverRanks over_ranks = [&setup](std::span<std::int64_t> numbers) {
    setup.communicator.Max(numbers);
  };
  bool has_inserted = false;
  for (std::size_t r = 0; r < scene.rains.size(); ++r) {
    if (!IsRainDue(scene, scene.rains[r], dt, state.step, setup.stride)) continue;
    const std::int64_t before = state.rains[r].inserted;
    InsertRain({scene, r, dt, state.step, state.next_id, owns, over_ranks, state.free_walls},
               state.particles, state.rains[r], new_particles);
    has_inserted = has_inserted || state.rains[r].inserted > before;
  }
  return has_inserted;
}

}  // namespace

bool InsertDue(const StepSetup& setup, State& state, std::vector<double>& inverse_masses) {
  const Scene& scene = setup.scene;
  const double dt = setup.base;
  const OwnsPosition owns = [&setup](const Vec3& position) {
    return setup.subdomains.OwnerOf(position) == setup.communicator.Rank();
  };
  Particles new_particles;
  bool has_new = IsLayerDue(scene, dt, state.step);
  if (has_new) InsertLayer(scene, dt, state.step, state.next_id, owns, new_particles);
  has_new = InsertAllRains(setup, state, owns, new_particles) || has_new;
  if (!has_new) return false;
  InsertParticles(new_particles, scene.frame, setup.parameters.dt, state);
  SetInverseMasses(state.particles, scene, inverse_masses);
  return true;
}

}  // namespace scree
