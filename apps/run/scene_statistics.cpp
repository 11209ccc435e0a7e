#include "apps/run/scene_statistics.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "apps/run/longest_fall.hpp"
#include "engine/particles/body_mass.hpp"
#include "engine/particles/particles.hpp"
#include "engine/particles/rain.hpp"
#include "engine/scene/wall_motion.hpp"
#include "engine/step/radius_range.hpp"

namespace scree {
namespace {

// Measured as largest resident size of the channel with 10 000 and 190 000 particles on 1 and 2
// ranks, and of a process without particles. Besides its fields a particle takes 500 bytes on the
// lattice at the start, 700 in the flow, and more in a dense packing with its contacts. The fields
// count twice because of the spare array of each type and the additional memory during rebuilds.
constexpr double kMemoryPerParticle = 752.0 + 2.0 * kBytesPerParticle;  // [bytes]
constexpr double kMemoryPerRank = 27e6;                                 // [bytes]

// In a dense packing a sphere has six neighbours, and two spheres share each contact.
constexpr double kDenseContacts = 3.0;

constexpr double kSnapshotBytes = 50e3;  // overhead of HDF5 and the configuration

/// Solid fraction of the densest random packing of equal spheres.
constexpr double kDensePacking = 0.64;

std::vector<const GrainTemplate*> EnteringGrains(const Scene& scene) {
  std::vector<const GrainTemplate*> grains;
  for (const Inflow& inflow : scene.pistons) grains.push_back(&inflow.grain);
  for (const Rain& rain : scene.rains) grains.push_back(&rain.grain);
  return grains;
}

void MeasureInflow(const RunConfig& config, SceneStatistics& statistics) {
  const Scene& scene = config.scene;
  const double dt = config.step.dt;
  const std::int64_t steps = Interval{0, config.time.end}.InSteps(config.step, "time.end");
  for (const Inflow& inflow : scene.pistons) {
    std::array<std::int64_t, 3> sites = inflow.lattice.Sites();
    const Vec3& normal = std::get<Plane>(scene.walls[inflow.piston].shape.parts[0]).normal;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (normal[static_cast<Eigen::Index>(axis)] != 0.0) sites[axis] = 1;
    }
    const std::int64_t layer = sites[0] * sites[1] * sites[2];
    const std::int64_t every = StepsPerLayer(scene, inflow, dt);
    const double time =
        2.0 * inflow.grain.sizes.largest / scene.walls[inflow.piston].velocity.norm();
    statistics.inflows.push_back({inflow.name, layer, every, layer * (steps / every), 0.0, time});
  }
  for (const Rain& rain : scene.rains) {
    const double mass_per_particle = rain.counts ? 1.0 : MeanMass(scene, rain.grain);
    const double amount = AmountDue(rain, dt, steps);
    const std::int64_t every = StepsPerRainEvent(scene, rain, dt);
    const double event_particles = rain.rate * dt * static_cast<double>(every) / mass_per_particle;
    statistics.inflows.push_back({rain.name, static_cast<std::int64_t>(std::ceil(event_particles)),
                                  every, std::llround(amount / mass_per_particle),
                                  rain.counts ? 0.0 : amount});
  }
}

void MeasureSpeed(const Communicator& communicator, const Scene& scene, double dt,
                  const Particles& particles, SceneStatistics& statistics) {
  double speed = 0.0;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    speed = std::max(speed, particles.velocity[i].norm());
  }
  speed = std::max(speed, MaxWallSpeed(scene, dt, 0, 0.0));
  for (const GrainTemplate* grain : EnteringGrains(scene)) {
    speed = std::max(speed, (grain->velocity.cwiseAbs() + grain->jitter).norm());
  }
  statistics.speed = communicator.Max(speed);
}

/// The largest speed of each wall that moves freely along its axis: after its drive has accelerated
/// it over the length of the domain, but at most the terminal speed of its damping.
void MeasureClosing(const Scene& scene, SceneStatistics& statistics) {
  for (const Wall& wall : scene.walls) {
    const FreeMotion& free = wall.free;
    if (free.freedom != Freedom::kAlong) continue;
    const double weight = free.HasPressureDrive() ? 0.0 : free.mass * scene.gravity.dot(wall.axis);
    const double drive = std::abs(free.force + free.pressure * free.area + weight);
    const double extent_along_axis = wall.axis.cwiseAbs().dot(scene.domain.box.Extent());
    double speed = std::sqrt(2.0 * drive / free.mass * extent_along_axis);
    if (free.damping > 0.0) speed = std::min(speed, drive / free.damping);
    statistics.closing_walls.push_back({wall.name, drive, speed});
  }
}

void MeasureRadii(const Communicator& communicator, const Scene& scene, const Particles& particles,
                  SceneStatistics& statistics) {
  double smallest = std::numeric_limits<double>::infinity();
  double largest = 0.0, smallest_mass = smallest;
  const auto include = [&](double radius) {
    smallest = std::min(smallest, radius);
    largest = std::max(largest, radius);
  };
  for (std::size_t i = 0; i < particles.owned; ++i) {
    include(particles.radius[i]);
    smallest_mass = std::min(smallest_mass, MassOf(particles, i, scene));
    if (particles.shape[i] == kSphereShape) continue;
    include(particles.radius[i] * scene.ClumpOf(particles.shape[i]).smallest_member);
  }
  for (const GrainTemplate* grain : EnteringGrains(scene)) {
    include(grain->sizes.smallest);
    include(grain->sizes.largest);
  }
  statistics.smallest_radius = -communicator.Max(-smallest);
  statistics.smallest_ball = RadiiOf(communicator, scene, particles).smallest_ball;
  statistics.smallest_mass = -communicator.Max(-smallest_mass);
  statistics.largest_radius = communicator.Max(largest);
}

/// The smallest and the largest work, or number of particles, of a box.
struct BoxCounts {
  std::int64_t min_on_rank = 0, max_on_rank = 0;
  double imbalance = 1.0;

  BoxCounts(const Communicator& communicator, const Subdomains& boxes,
            const std::vector<WorkItem>& items) {
    const std::vector<std::int64_t> counts = WorkOfBoxes(communicator, boxes, items);
    const auto [min, max] = std::ranges::minmax(counts);
    min_on_rank = min;
    max_on_rank = max;
    const double sum = std::accumulate(counts.begin(), counts.end(), 0.0);
    if (sum > 0.0) imbalance = static_cast<double>(max_on_rank) * boxes.Count() / sum;
  }
};

/// The subdomains of the run, balanced if the configuration says so.
/// @param step  has already made its first step
Subdomains CutsFor(const RunConfig& config, const TimeStep& step, const State& state,
                   const Subdomains& subdomains_of_run) {
  const int ranks = subdomains_of_run.Count();
  if (config.step.balance == kNeverBalance || ranks == 1) return subdomains_of_run;
  return Subdomains::WithCuts(config.scene.domain,
                              step.BisectionFor(ranks, step.Work(state), {}).cuts);
}

void MeasureBalance(const Communicator& communicator, const Subdomains& boxes, const TimeStep& step,
                    const State& state, SceneStatistics& statistics) {
  std::vector<WorkItem> particles;
  for (std::size_t i = 0; i < state.particles.owned; ++i) {
    if (state.particles.id[i] == kRemovedId) continue;
    const Vec3 position = boxes.Wrap(state.particles.position[i]);
    particles.push_back({position, position, 1});
  }
  const BoxCounts counts(communicator, boxes, particles);
  statistics.min_on_rank = counts.min_on_rank;
  statistics.max_on_rank = counts.max_on_rank;
  statistics.imbalance = BoxCounts(communicator, boxes, step.Work(state)).imbalance;
  statistics.ranks = boxes.Count();
  statistics.cuts = DescribeCuts(boxes.Description());
  statistics.box = boxes.SmallestBox();
}

/// Number of ghosts per owned particle of the smallest box. The ghosts are assumed to fill a shell
/// as wide as the largest diameter, as densely as the particles fill the box.
double GhostFraction(const Subdomains& boxes, double largest_radius) {
  const Vec3& extent = boxes.WholeDomain().box.Extent();
  double with_shell = 1.0;
  for (int axis = 0; axis < 3; ++axis) {
    const bool is_cut = boxes.SmallestBox()[axis] < extent[axis];
    if (is_cut) with_shell *= 1.0 + 4.0 * largest_radius / boxes.SmallestBox()[axis];
  }
  return with_shell - 1.0;
}

void MeasureStorage(const RunConfig& config, const Subdomains& boxes, SceneStatistics& statistics) {
  statistics.steps = Interval{0, config.time.end}.InSteps(config.step, "time.end");
  statistics.max_particles = MaxParticles(config, statistics);
  const std::int64_t every = config.output.interval.InSteps(config.step, "output.every");
  // Snapshots include those at step 0 and at the last step.
  if (every > 0) statistics.snapshots = 1 + (statistics.steps + every - 1) / every;
  const auto max_particles = static_cast<double>(statistics.max_particles);
  statistics.snapshot_bytes = kSnapshotBytes + kBytesPerParticle * max_particles;
  statistics.memory_bytes = kMemoryPerRank * boxes.Count() + kMemoryPerParticle * max_particles;
  const double fraction = statistics.particles > 0 ? static_cast<double>(statistics.max_on_rank) /
                                                         static_cast<double>(statistics.particles)
                                                   : 1.0 / boxes.Count();
  statistics.max_bytes_of_rank =
      kMemoryPerRank + kMemoryPerParticle * max_particles * fraction *
                           (1.0 + GhostFraction(boxes, statistics.largest_radius));
}

/// Times several steps, and scales the times per particle and per contact separately to a dense
/// packing. The work is assumed to be divided equally among the ranks of the run.
void MeasureTime(const Communicator& communicator, const RunConfig& config, const Subdomains& boxes,
                 TimeStep& step, State& state, SceneStatistics& statistics) {
  constexpr double kMinSeconds = 0.5;  // [s]
  constexpr int kMaxSteps = 30;
  // Times on one core [s], used if there are too few particles or contacts to measure them.
  constexpr double kTypicalParticle = 3e-7, kTypicalAssembly = 3e-7, kTypicalRelaxation = 6e-8;
  const double typical = kTypicalAssembly + kTypicalRelaxation * config.step.solver.sweeps;
  const auto contact_seconds = [&] {
    return step.Timer().Seconds(Phase::kAssembly) + step.Timer().Seconds(Phase::kSweeps);
  };
  step.MarkOther();
  const auto begin = std::chrono::steady_clock::now();
  const double contacts_before = contact_seconds();
  double seconds = 0.0;
  while (seconds < kMinSeconds && statistics.timed_steps < kMaxSteps) {
    step.Advance(state);
    ++statistics.timed_steps;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    seconds = communicator.Max(elapsed.count());
  }
  const double cores = communicator.Size(), steps = statistics.timed_steps;
  const double on_contacts = communicator.Max(contact_seconds() - contacts_before) / steps;
  const double on_particles = std::max(0.0, seconds / steps - on_contacts);
  const auto particles = static_cast<double>(statistics.particles);
  const auto contacts = static_cast<double>(statistics.contacts);
  const auto max_particles = static_cast<double>(statistics.max_particles);
  const double fraction = cores / boxes.Count();
  // With up to 100 particles or contacts, the overhead of calls dominates.
  const double particle = particles > 100.0 ? on_particles / particles : kTypicalParticle / cores;
  const double contact = contacts > 100.0 ? on_contacts / contacts : typical / cores;
  statistics.step_seconds = fraction * (on_particles + on_contacts);
  statistics.full_seconds = fraction * max_particles * (particle + kDenseContacts * contact);
}

}  // namespace

std::int64_t MaxParticles(const RunConfig& config, const SceneStatistics& statistics) {
  if (statistics.inflows.empty()) return statistics.particles;
  const double volume = 4.0 / 3.0 * std::numbers::pi * std::pow(statistics.smallest_radius, 3);
  const double capacity = kDensePacking * config.scene.domain.box.Extent().prod() / volume;
  double entered = 0.0;
  for (const InflowStatistics& inflow : statistics.inflows) {
    entered += static_cast<double>(inflow.particles);
  }
  const auto first = static_cast<double>(statistics.particles);
  return static_cast<std::int64_t>(std::max(first, std::min(first + entered, capacity)));
}

SceneStatistics MeasureScene(const Communicator& communicator, const RunConfig& config,
                             const Subdomains& subdomains, State state,
                             const Subdomains& subdomains_of_run) {
  SceneStatistics statistics;
  TimeStep step(communicator, config.scene, config.step, subdomains, state);
  statistics.particles = communicator.Sum(static_cast<std::int64_t>(state.particles.owned));
  MeasureRadii(communicator, config.scene, state.particles, statistics);
  RequireMinWidth(subdomains_of_run, config.step, statistics.largest_radius);
  MeasureSpeed(communicator, config.scene, config.step.dt, state.particles, statistics);
  MeasureClosing(config.scene, statistics);
  MeasureInflow(config, statistics);
  const double fall_energy = EnergyOfLongestFall(communicator, config.scene, state.particles);
  statistics.fall_speed = std::sqrt(statistics.speed * statistics.speed + 2.0 * fall_energy);
  statistics.step = statistics.longest_step = config.step.dt;
  if (config.step.accuracy > 0.0) {
    const StepLimits limits = MakeStepLimits(
        config.scene, config.step, {statistics.smallest_radius, statistics.largest_radius});
    statistics.step = std::min(LongestStep(limits, statistics.fall_speed), config.time.end);
    statistics.longest_step = std::min(LongestStep(limits, 0.0), config.time.end);
  }
  for (std::size_t i = 0; i < state.particles.owned; ++i) {
    const double diameter = 2.0 * state.particles.radius[i];
    statistics.cell_inertia += MassOf(state.particles, i, config.scene) * diameter * diameter;
  }
  statistics.cell_inertia = config.scene.cell.inertia * communicator.Sum(statistics.cell_inertia);
  step.Advance(state);
  const Observables observed = step.Observe(state);
  statistics.contacts = observed.contacts;
  statistics.overlap = observed.max_penetration;
  const Subdomains balanced = CutsFor(config, step, state, subdomains_of_run);
  MeasureBalance(communicator, balanced, step, state, statistics);
  MeasureStorage(config, balanced, statistics);
  MeasureTime(communicator, config, balanced, step, state, statistics);
  return statistics;
}

}  // namespace scree
