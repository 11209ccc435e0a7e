#include "apps/bench/case.hpp"

#include <algorithm>

#include "apps/common/initial_state.hpp"
#include "apps/common/packing.hpp"
#include "io/command_line/program_options.hpp"
#include "io/files/build_info.hpp"
#include "io/files/collective_call.hpp"
#include "io/scene/config_reader.hpp"
#include "io/scene/ini_file.hpp"
#include "io/scene/scene_file.hpp"
#include "io/state/initial_state.hpp"
#include "io/state/particle_csv.hpp"
#include "io/state/snapshot.hpp"

namespace scree {
namespace {

/// Reads a packing from a file, and shifts it so that the lower corner of its box is the origin.
Packing ReadPacking(const Communicator& communicator, const std::string& path) {
  MaterialTable materials;
  materials.Add({"grain"}, 0.0);
  InitialState initial = ReadInitialState(communicator, path, materials);
  if (!initial.domain) {
    throw FileError(Text("'", path, "' has no box; expected a line \"# box lx ly lz\""));
  }
  const std::array<bool, 3>& periodic = initial.domain->periodic;
  if (std::find(periodic.begin(), periodic.end(), true) != periodic.end()) {
    throw FileError(Text("'", path, "' has a periodic box; --packing needs a closed box. Use ",
                         "--scene with --initial.file for a periodic box"));
  }
  const Box& box = initial.domain->box;
  Particles& particles = initial.particles;
  CallOnAll<FileError>(communicator, [&] {
    for (std::size_t i = 0; i < particles.owned; ++i) {
      if (box.Contains(particles.position[i])) continue;
      const Vec3& x = particles.position[i];
      throw FileError(Text("'", path, "': particle ", particles.id[i], " at ", x[0], " ", x[1], " ",
                           x[2], " m is outside the box, which is ", box.lower.transpose(), " to ",
                           box.upper.transpose(), " m"));
    }
  });
  for (Vec3& x : particles.position) x -= box.lower;
  return {std::move(particles), box.Extent()};
}

/// Removes the ceiling and adds free space above.
void OpenTop(double diameter, Scene& scene) {
  constexpr double kFreeSpace = 10.0;  // in diameters
  std::erase_if(scene.walls, [](const Wall& wall) { return wall.name == "ceiling"; });
  scene.domain.box.upper.z() += kFreeSpace * diameter;
}

RunConfig MakePackingConfig(const Vec3& box, double diameter, const PackingOptions& options) {
  RunConfig config;
  config.scene = ClosedBox(box, {"grain", options.density}, options.friction);
  if (options.open_top) OpenTop(diameter, config.scene);
  config.scene.gravity = Vec3(0.0, 0.0, -options.gravity);
  config.step.dt = options.dt;
  config.step.error_reduction = options.error_reduction;
  config.step.warm_start = false;
  config.step.speculative = false;
  config.step.contact_threshold = options.threshold.InMetres(diameter);
  config.step.skin = options.skin;
  config.step.solver.sweeps = options.sweeps;
  return config;
}

BenchCase MakePackingCase(const Communicator& communicator, const BenchOptions& options) {
  const bool is_from_file = !options.packing.empty();
  Packing packing = is_from_file ? ReadPacking(communicator, options.packing)
                                 : GeneratePacking(communicator, options.generate);
  Tile(options.tile, communicator, packing);
  double radius = 0.0;
  for (const double r : packing.particles.radius) radius = std::max(radius, r);
  const RunConfig config =
      WithSolverKeys(MakePackingConfig(packing.box, 2.0 * communicator.Max(radius), options.box),
                     options.solver_keys);
  const Subdomains subdomains = MakeSubdomains(config, communicator.Size());
  State state;
  state.particles = std::move(packing.particles);
  return {config, subdomains, std::move(state),
          is_from_file ? "packing " + options.packing : Text("generated ", options.generate)};
}

BenchCase MakeSceneCase(const Communicator& communicator, const BenchOptions& options) {
  std::vector<const char*> arguments = {"scree-bench", options.scene.c_str()};
  for (const std::string& word : options.scene_keys) arguments.push_back(word.c_str());
  const CommandLine command =
      ParseCommandLine(static_cast<int>(arguments.size()), arguments.data());
  RunConfig config =
      ReadRunConfig(ReadSceneFile(communicator, options.scene), options.scene, command.overrides,
                    ParticlesFrom::kScene, {communicator, options.scene});
  FindFiles(communicator, {.scene_file = options.scene}, config);
  const Subdomains subdomains = MakeSubdomains(config, communicator.Size());
  State state = MakeInitialState(communicator, config, subdomains);
  return {std::move(config), subdomains, std::move(state), "scene " + options.scene};
}

}  // namespace

RunConfig WithSolverKeys(RunConfig config, const std::vector<IniEntry>& keys) {
  if (keys.empty()) return config;
  RunConfig complete = config;
  // Without an initial file and an end time the configuration of a packing would be invalid.
  if (complete.scene.fills.empty() && complete.initial.file.empty()) {
    complete.initial.file = "packing.h5";
  }
  if (!(complete.time.end > 0.0)) complete.time.end = config.step.dt;
  StepParameters changed = ChangedConfig(complete, keys, "scree-bench").step;
  changed.contact_threshold = config.step.contact_threshold;  // not a key of a scene
  config.step = changed;
  return config;
}

BenchCase MakeBenchCase(const Communicator& communicator, const BenchOptions& options) {
  return options.scene.empty() ? MakePackingCase(communicator, options)
                               : MakeSceneCase(communicator, options);
}

void WritePacking(const Communicator& communicator, const BenchCase& bench,
                  const std::string& path) {
  const Domain& domain = bench.config.scene.domain;
  if (path.ends_with(".csv")) {
    return WriteParticleCsv(communicator, path, bench.state.particles, domain.box.upper);
  }
  SnapshotMeta meta;
  meta.domain = domain;
  meta.materials = {bench.config.scene.materials[0]};
  meta.walls = RecordWalls(bench.config.scene, bench.config.step.dt, bench.state.step);
  meta.configuration = EffectiveIni(bench.config);
  meta.program_version = ProgramVersion();
  meta.git_hash = GitHash();
  WriteSnapshot(communicator, path, bench.state.particles, meta);
}

}  // namespace scree
