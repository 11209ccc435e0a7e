// A force field draws grains to one point, where they settle into a ball. The grains do not attract
// each other.
//
// Your own program needs three parts: a scene, a loop that applies your forces, and output.
// Usage: mpirun -n 2 cluster [FOLDER]
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include "engine/step/simulation.hpp"
#include "io/files/csv_table.hpp"
#include "io/state/simulation_snapshot.hpp"

namespace {

using scree::Vec3;

constexpr double kRadius = 0.5e-3;   // of a grain [m]
constexpr double kPull = 2000.0;     // k of the field -k x [1/s²]
constexpr double kDrag = 20.0;       // c of the drag -c v of a thin fluid [1/s]
constexpr double kTimeStep = 50e-6;  // [s]
constexpr int kSteps = 4000;
constexpr int kStepsPerRow = 200;

/// Grains at random positions in a sphere, without gravity and walls.
scree::Scene MakeCloud() {
  scree::Scene scene;
  scene.domain.box = {Vec3::Constant(-0.02), Vec3::Constant(0.02)};
  scene.gravity = Vec3::Zero();
  scene.materials.Add({.name = "glass", .density = 2500.0}, /*default_friction=*/0.4);
  const scree::Region sphere = scree::Ball{Vec3::Zero(), 0.014};
  scene.fills.push_back({scree::RandomRegion{.region = sphere, .number = 500}, {kRadius}});
  return scene;
}

/// The root mean square of the distance from the centre [m], over all ranks.
double GyrationRadius(const scree::Simulation& simulation) {
  const scree::Particles& grains = simulation.Grains();
  double squares = 0.0;
  for (std::size_t i = 0; i < grains.owned; ++i) squares += grains.position[i].squaredNorm();
  const double sum = simulation.Ranks().Sum(squares);
  const std::int64_t count = simulation.Ranks().Sum(static_cast<std::int64_t>(grains.owned));
  return std::sqrt(sum / static_cast<double>(count));
}

/// The drag uses the velocity at the end of the step, so it is stable for any step length.
scree::BodyForces ForcesOn(const scree::Simulation& simulation) {
  scree::BodyForces forces;
  forces.drag = simulation.Masses();  // times kDrag below
  for (std::size_t i = 0; i < forces.drag.size(); ++i) {
    forces.force.push_back(-kPull * forces.drag[i] * simulation.Grains().position[i]);
    forces.drag[i] *= kDrag;
  }
  return forces;
}

void RunCluster(const scree::Communicator& world, const std::string& folder) {
  scree::Simulation simulation(world, MakeCloud(), {.dt = kTimeStep});
  simulation.KeepTouching(true);
  scree::CsvTable table(world, folder + "/cluster.csv", {"t", "gyration_radius", "contacts"});
  for (int step = 1; step <= kSteps; ++step) {
    simulation.Step(ForcesOn(simulation));
    if (step % kStepsPerRow != 0) continue;
    const scree::CsvValue row[] = {simulation.Time(), GyrationRadius(simulation),
                                   simulation.Observe().TouchingPerParticle().value_or(0.0)};
    table.Append(row);
  }
  scree::WriteSnapshot(folder + "/cluster.h5", simulation);
}

}  // namespace

int main(int argc, char** argv) {
  const scree::MpiSession session(&argc, &argv);
  const scree::Communicator world = scree::Communicator::World();
  try {
    RunCluster(world, argc > 1 ? argv[1] : ".");
    return 0;
  } catch (const std::exception& error) {
    if (world.IsRoot()) std::fprintf(stderr, "cluster: %s\n", error.what());
    return 1;
  }
}
