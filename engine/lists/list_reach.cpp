#include "engine/lists/list_reach.hpp"

#include <algorithm>
#include <cmath>

#include "engine/scene/wall_motion.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

struct Means {
  Vec3 velocity = Vec3::Zero();  // [m/s]
  double radius = 0.0;           // [m]
  std::int64_t count = 0;        // of particles
};

/// Means over all ranks, in units of 2⁻¹⁶ m/s and 2⁻²⁹ of the largest radius. Integer sums do not
/// depend on the number of ranks, so the time at which lists are built does not either.
Means MeansOf(const Communicator& communicator, const Particles& particles, double largest_radius) {
  constexpr double kShares =
      536870912.0;  // units per largest radius; the sum over 8e9 particles fits
  std::int64_t sums[5] = {};
  for (const Vec3& v : particles.velocity) CountedVelocities::Add(v, sums);
  for (const double radius : particles.radius) {
    sums[3] += static_cast<std::int64_t>(std::floor(kShares * (radius / largest_radius) + 0.5));
  }
  sums[4] = static_cast<std::int64_t>(particles.velocity.size());
  communicator.Sum(sums);
  if (sums[4] == 0) return {Vec3::Zero(), largest_radius, 0};
  const double fraction = static_cast<double>(sums[3]) / (kShares * static_cast<double>(sums[4]));
  return {CountedVelocities::Mean(sums, sums[4]), fraction * largest_radius, sums[4]};
}

/// Speed of the fastest particle over all ranks [m/s]. Collective.
/// @param relative_to  computes a particle's relative velocity from its velocity and position
template <class RelativeTo>
double MaxSpeed(const Communicator& communicator, const Particles& particles,
                const RelativeTo& relative_to) {
  double squared = 0.0;
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    const Vec3 counted = relative_to(particles.velocity[i], particles.position[i]);
    squared = std::max(squared, counted.squaredNorm());
  }
  return std::sqrt(communicator.Max(squared));
}

/// A drift, and the maximum speed relative to the drift and the mean flow [m/s].
struct DriftAndSpeed {
  DriftField drift;
  double fastest = 0.0;
};

/// Chooses the drift: the mean velocity, or a local mean if steps are long and lists then last
/// longer. Collective.
DriftAndSpeed ChooseDrift(const Communicator& communicator, const Domain& domain,
                          const Particles& particles, const Means& mean,
                          const ReachRequirements& required) {
  const auto relative_to = [&](DriftField drift) -> DriftAndSpeed {
    const double fastest =
        MaxSpeed(communicator, particles, [&](const Vec3& v, const Vec3& x) -> Vec3 {
          return v - drift.At(domain, x) - domain.MeanFlow(x);
        });
    return {std::move(drift), fastest};
  };
  DriftAndSpeed of_mean = relative_to(mean.velocity);
  if (!required.is_long || domain.HasMeanFlow() || mean.count == 0) return of_mean;
  constexpr double kBlockRadii =
      6.0;  // width of a block, with about twenty particles in a dense packing
  // Blocks also cost work: at most twice as many as particles.
  const double max = std::min(2.0 * static_cast<double>(mean.count), kMaxBlocks);
  DriftAndSpeed local = relative_to(
      LocalDrift(communicator, domain, particles, mean.velocity, kBlockRadii * mean.radius, max));
  const double distance = 2.0 * required.largest_radius + kSkinRadii * mean.radius;
  const double lost = 2.0 * local.fastest + local.drift.closing * distance;
  const bool lasts_longer = lost < 2.0 * of_mean.fastest;
  // The closing rate of the drift must not lengthen the skin much.
  return lasts_longer && required.Length() * local.drift.closing < 0.1 ? local : of_mean;
}

/// Wall skin in mean radii. Walls do not follow the drift, but few particles are near a wall, so a
/// wide skin is cheap.
constexpr double kWallSkin = 2.0;

}  // namespace

ListReach ReachFor(const Communicator& communicator, const Subdomains& subdomains,
                   const Scene& scene, const Particles& particles, std::int64_t step,
                   const ReachRequirements& required, FreeWallStates free_walls) {
  const Means mean = MeansOf(communicator, particles, required.largest_radius);
  const Domain& domain = scene.domain;
  const auto [drift, against_drift] = ChooseDrift(communicator, domain, particles, mean, required);
  const double fastest =
      MaxSpeed(communicator, particles, [](const Vec3& v, const Vec3&) { return v; });
  const double wall_speed = MaxWallSpeed(scene, required.base, step, 2.0 * required.largest_radius,
                                         free_walls, required.stride);

  const double dt = required.Length();
  const double kick = required.max_kick > 0.0 ? required.max_kick : dt * scene.gravity.norm();
  constexpr double kRounding = 1.001;
  const double pair_step = dt * (against_drift + kick);
  const double wall_step = dt * (fastest + kick + wall_speed);
  const double strained = LossOfStrain(domain, drift, dt, 2.0 * required.largest_radius);
  const double min_skin = kRounding * (2.0 * pair_step + required.margin + strained) /
                          (1.0 - LossOfStrain(domain, drift, dt, 1.0));
  const double widest = subdomains.LargestReach();
  double default_skin = required.skin >= 0.0 ? required.skin : kSkinRadii * mean.radius;
  if (required.skin < 0.0 && required.is_long && !required.on_any_ranks) {
    constexpr double kSteps = 4.0;  // steps that a list should last, approximately
    const double longest =
        std::min(kLongSkinRadii * mean.radius, widest - 2.0 * required.largest_radius);
    default_skin = std::max(default_skin, std::min(kSteps * min_skin, longest));
  }
  const ListReach reach(
      std::max(default_skin, min_skin),
      std::max(kWallSkin * mean.radius, kRounding * (wall_step + required.margin)), drift);
  if (reach.skin > default_skin && 2.0 * required.largest_radius + reach.skin > widest) {
    throw SimulationError(Text("at ", MomentText(required.is_long, required.base, step),
                               " the fastest particle moves at ", against_drift,
                               " m/s relative to the mean velocity, ", pair_step,
                               " m in one step of ", dt, " s: too far for subdomains that are ",
                               widest, " m wide; use a shorter step or fewer ranks"));
  }
  return reach;
}

}  // namespace scree
