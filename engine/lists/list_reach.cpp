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

/// Means over all ranks, from integers in units of 2⁻¹⁶ m/s and 2⁻²⁹ of the largest radius. Integer
/// sums, and hence the steps at which lists are built, do not depend on the number of ranks.
Means MeansOf(const Communicator& communicator, const Particles& particles, double largest_radius) {
  // Units per largest radius, 2²⁹. Sums over 8e9 particles do not overflow.
  constexpr double kRadiusUnits = 536870912.0;
  std::int64_t sums[5] = {};
  for (const Vec3& v : particles.velocity) IntegerVelocities::Add(v, sums);
  for (const double radius : particles.radius) {
    sums[3] +=
        static_cast<std::int64_t>(std::floor(kRadiusUnits * (radius / largest_radius) + 0.5));
  }
  sums[4] = static_cast<std::int64_t>(particles.velocity.size());
  communicator.Sum(sums);
  if (sums[4] == 0) return {Vec3::Zero(), largest_radius, 0};
  const double fraction =
      static_cast<double>(sums[3]) / (kRadiusUnits * static_cast<double>(sums[4]));
  return {IntegerVelocities::Mean(sums, sums[4]), fraction * largest_radius, sums[4]};
}

/// Speed of the fastest particle over all ranks [m/s]. Collective.
/// @param relative_velocity  function of a particle's velocity and position
template <class RelativeVelocity>
double MaxSpeed(const Communicator& communicator, const Particles& particles,
                const RelativeVelocity& relative_velocity) {
  double squared = 0.0;
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    const Vec3 relative = relative_velocity(particles.velocity[i], particles.position[i]);
    squared = std::max(squared, relative.squaredNorm());
  }
  return std::sqrt(communicator.Max(squared));
}

/// A drift, and the maximum speed relative to the drift and the mean flow [m/s].
struct DriftAndSpeed {
  DriftField drift;
  double max_speed = 0.0;
};

/// Chooses the drift: the mean velocity, or a local mean if steps are long and lists last longer
/// with it. Collective.
DriftAndSpeed ChooseDrift(const Communicator& communicator, const Domain& domain,
                          const Particles& particles, const Means& mean,
                          const ReachRequirements& required) {
  const auto find_speed = [&](DriftField drift) -> DriftAndSpeed {
    const double max_speed =
        MaxSpeed(communicator, particles, [&](const Vec3& v, const Vec3& x) -> Vec3 {
          return v - drift.At(domain, x) - domain.MeanFlow(x);
        });
    return {std::move(drift), max_speed};
  };
  DriftAndSpeed with_mean = find_speed(mean.velocity);
  if (!required.has_long_steps || domain.HasMeanFlow() || mean.count == 0) return with_mean;
  // Width of a block in mean radii. In a dense packing it has about thirty particles.
  constexpr double kBlockRadii = 6.0;
  // At most two blocks per particle, because blocks cost work too.
  const double max = std::min(2.0 * static_cast<double>(mean.count), kMaxBlocks);
  DriftAndSpeed with_local = find_speed(
      LocalDrift(communicator, domain, particles, mean.velocity, kBlockRadii * mean.radius, max));
  const double distance = 2.0 * required.largest_radius + kSkinRadii * mean.radius;
  const double skin_loss =
      2.0 * with_local.max_speed + with_local.drift.closing_rate * distance;  // [m/s]
  const bool lasts_longer = skin_loss < 2.0 * with_mean.max_speed;
  // The closing rate of the drift must not lengthen the skin much.
  return lasts_longer && required.Length() * with_local.drift.closing_rate < 0.1 ? with_local
                                                                                 : with_mean;
}

/// Wall skin in mean radii. A wide skin is necessary, because walls do not follow the drift. It is
/// cheap, because few particles are near a wall.
constexpr double kWallSkin = 2.0;

}  // namespace

ListReach FindReach(const Communicator& communicator, const Subdomains& subdomains,
                    const Scene& scene, const Particles& particles, std::int64_t step,
                    const ReachRequirements& required, FreeWallStates free_walls) {
  const Means mean = MeansOf(communicator, particles, required.largest_radius);
  const Domain& domain = scene.domain;
  const auto [drift, relative_speed] = ChooseDrift(communicator, domain, particles, mean, required);
  const double max_speed =
      MaxSpeed(communicator, particles, [](const Vec3& v, const Vec3&) { return v; });
  const double wall_speed = MaxWallSpeed(scene, required.base, step, 2.0 * required.largest_radius,
                                         free_walls, required.stride);

  const double dt = required.Length();
  const double kick = required.max_kick > 0.0 ? required.max_kick : dt * scene.gravity.norm();
  constexpr double kRounding = 1.001;
  const double pair_step = dt * (relative_speed + kick);
  const double wall_step = dt * (max_speed + kick + wall_speed);
  const double strain_loss = StrainLoss(domain, drift, dt, 2.0 * required.largest_radius);
  const double min_skin = kRounding * (2.0 * pair_step + required.margin + strain_loss) /
                          (1.0 - StrainLoss(domain, drift, dt, 1.0));
  const double max_reach = subdomains.LargestReach();
  double default_skin = required.skin >= 0.0 ? required.skin : kSkinRadii * mean.radius;
  if (required.skin < 0.0 && required.has_long_steps && !required.is_rank_independent) {
    constexpr double kSteps = 4.0;  // steps that a list should last, approximately
    const double max_skin =
        std::min(kLongSkinRadii * mean.radius, max_reach - 2.0 * required.largest_radius);
    default_skin = std::max(default_skin, std::min(kSteps * min_skin, max_skin));
  }
  const ListReach reach(
      std::max(default_skin, min_skin),
      std::max(kWallSkin * mean.radius, kRounding * (wall_step + required.margin)), drift);
  if (reach.skin > default_skin && 2.0 * required.largest_radius + reach.skin > max_reach) {
    throw SimulationError(Text("at ", MomentText(required.has_long_steps, required.base, step),
                               " the fastest particle moves at ", relative_speed,
                               " m/s relative to the mean velocity, ", pair_step,
                               " m in one step of ", dt, " s; the subdomains allow lists of pairs ",
                               "up to ", max_reach, " m apart, which is not enough for such a ",
                               "step; use a shorter step or fewer ranks"));
  }
  return reach;
}

}  // namespace scree
