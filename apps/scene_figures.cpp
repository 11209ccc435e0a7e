#include "apps/scene_figures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "apps/reachable_space.hpp"
#include "engine/particles/particles.hpp"
#include "engine/particles/rain.hpp"
#include "engine/scene/wall_motion.hpp"

namespace scree {
namespace {

// Greatest resident size of the channel with 10 000 and 190 000 particles on 1 and 2 ranks: 500
// bytes per particle on the first lattice, 700 in the flow, more in a dense packing with its
// contacts; and what a process needs before it has any. The fields of a particle are there twice,
// because rebuilds sort them into spare arrays.
constexpr double kMemoryPerParticle = 752.0 + 2.0 * kBytesPerParticle;  // [bytes]
constexpr double kMemoryPerRank = 27e6;                                 // [bytes]

constexpr double kSnapshotBytes = 50e3;  // of HDF5's own and of the configuration

/// Volume of the densest random packing of equal spheres over that of the whole.
constexpr double kDensePacking = 0.64;

std::vector<const GrainTemplate*> EnteringGrains(const Scene& scene) {
  std::vector<const GrainTemplate*> grains;
  for (const Inflow& inflow : scene.pistons) grains.push_back(&inflow.grain);
  for (const Rain& rain : scene.rains) grains.push_back(&rain.grain);
  return grains;
}

void MeasureInflow(const RunConfig& config, SceneFigures& figures) {
  const Scene& scene = config.scene;
  const double dt = config.step.dt;
  const std::int64_t steps = Interval{0, config.time.end}.InSteps(dt, "time.end");
  for (const Inflow& inflow : scene.pistons) {
    std::array<std::int64_t, 3> sites = inflow.lattice.Sites();
    const Vec3& normal = std::get<Plane>(scene.walls[inflow.piston].shape.parts[0]).normal;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (normal[static_cast<Eigen::Index>(axis)] != 0.0) sites[axis] = 1;
    }
    const std::int64_t layer = sites[0] * sites[1] * sites[2];
    const std::int64_t every = StepsPerLayer(scene, inflow, dt);
    figures.inflows.push_back({inflow.name, layer, every, layer * (steps / every), 0.0});
  }
  for (const Rain& rain : scene.rains) {
    const double one = rain.counts ? 1.0 : MeanMass(scene, rain.grain);
    const double amount = AmountDue(rain, dt, steps);
    const std::int64_t every = StepsPerShower(scene, rain, dt);
    const double shower = rain.rate * dt * static_cast<double>(every) / one;
    figures.inflows.push_back({rain.name, static_cast<std::int64_t>(std::ceil(shower)), every,
                               std::llround(amount / one), rain.counts ? 0.0 : amount});
  }
}

void MeasureSpeed(const Communicator& communicator, const Scene& scene, double dt,
                  const Particles& particles, SceneFigures& figures) {
  double speed = 0.0;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    speed = std::max(speed, particles.velocity[i].norm());
  }
  speed = std::max(speed, GreatestWallSpeed(scene, dt, 0, 0.0));
  for (const GrainTemplate* grain : EnteringGrains(scene)) {
    speed = std::max(speed, (grain->velocity.cwiseAbs() + grain->jitter).norm());
  }
  figures.speed = communicator.Max(speed);
}

void MeasureRadii(const Communicator& communicator, const Scene& scene, const Particles& particles,
                  SceneFigures& figures) {
  double smallest = std::numeric_limits<double>::infinity();
  double largest = 0.0;
  const auto include = [&](double radius) {
    smallest = std::min(smallest, radius);
    largest = std::max(largest, radius);
  };
  for (std::size_t i = 0; i < particles.owned; ++i) {
    include(particles.radius[i]);
    if (particles.shape[i] == kSphereShape) continue;
    include(particles.radius[i] * scene.ClumpOf(particles.shape[i]).smallest_member);
  }
  for (const GrainTemplate* grain : EnteringGrains(scene)) {
    include(grain->sizes.smallest);
    include(grain->sizes.largest);
  }
  figures.smallest_radius = -communicator.Max(-smallest);
  figures.largest_radius = communicator.Max(largest);
}

void MeasureShares(const Communicator& communicator, const Subdomains& subdomains,
                   const Particles& particles, SceneFigures& figures) {
  const auto here = static_cast<std::int64_t>(particles.owned);
  figures.particles = communicator.Sum(here);
  figures.most = communicator.Max(here);
  figures.fewest = -communicator.Max(-here);
  figures.ranks = subdomains.Count();
  figures.cuts = DescribeCuts(subdomains.Description());
  figures.box = subdomains.SmallestBox();
}

void MeasureStorage(const RunConfig& config, int ranks, SceneFigures& figures) {
  const double dt = config.step.dt;
  figures.steps = Interval{0, config.time.end}.InSteps(dt, "time.end");
  figures.most_particles = MostParticles(config, figures);
  const std::int64_t every = config.output.every.InSteps(dt, "output.every");
  // One at step 0, and the last step even out of turn.
  if (every > 0) figures.snapshots = 1 + (figures.steps + every - 1) / every;
  const auto most = static_cast<double>(figures.most_particles);
  figures.snapshot_bytes = kSnapshotBytes + kBytesPerParticle * most;
  figures.memory_bytes = kMemoryPerRank * ranks + kMemoryPerParticle * most;
}

}  // namespace

std::int64_t MostParticles(const RunConfig& config, const SceneFigures& figures) {
  if (figures.inflows.empty()) return figures.particles;
  const double volume = 4.0 / 3.0 * std::numbers::pi * std::pow(figures.smallest_radius, 3);
  const double capacity = kDensePacking * config.scene.domain.box.Extent().prod() / volume;
  double entered = 0.0;
  for (const InflowFigures& inflow : figures.inflows) {
    entered += static_cast<double>(inflow.particles);
  }
  const auto present = static_cast<double>(figures.particles);
  return static_cast<std::int64_t>(std::max(present, std::min(present + entered, capacity)));
}

SceneFigures MeasureScene(const Communicator& communicator, const RunConfig& config,
                          const Subdomains& subdomains, State state) {
  SceneFigures figures;
  TimeStep step(communicator, config.scene, config.step, subdomains, state);
  MeasureShares(communicator, step.Partition(), state.particles, figures);
  MeasureRadii(communicator, config.scene, state.particles, figures);
  MeasureSpeed(communicator, config.scene, config.step.dt, state.particles, figures);
  MeasureInflow(config, figures);
  MeasureStorage(config, communicator.Size(), figures);
  const ReachableSpace space = FindReachableSpace(communicator, config.scene, state.particles,
                                                  figures.smallest_radius, figures.speed);
  figures.open_faces = space.open_faces;
  figures.fall_speed = std::sqrt(figures.speed * figures.speed + 2.0 * space.drop);
  step.Advance(state);
  const Observables observed = step.Observe(state);
  figures.contacts = observed.contacts;
  figures.overlap = observed.max_penetration;
  return figures;
}

}  // namespace scree
