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
};

/// To the nearest whole number, without the call that std::llround is.
std::int64_t Rounded(double x) { return static_cast<std::int64_t>(std::floor(x + 0.5)); }

/// Over all ranks, to 2⁻¹⁶ m/s and 2⁻²⁹ of the largest radius. Sums of whole numbers do not depend
/// on how many ranks there are, and so neither does when lists are built.
Means MeansOf(const Communicator& communicator, const Particles& particles, double largest_radius) {
  constexpr double kUnits = 65536.0;       // in 1 m/s
  constexpr double kFastest = 8192.0;      // the sum of 8e9 particles fits
  constexpr double kShares = 536870912.0;  // of the largest radius; as many particles fit
  std::int64_t sums[5] = {};
  for (const Vec3& v : particles.velocity) {
    for (int axis = 0; axis < 3; ++axis) {
      sums[axis] += Rounded(kUnits * std::clamp(v[axis], -kFastest, kFastest));
    }
  }
  for (const double radius : particles.radius) {
    sums[3] += Rounded(kShares * (radius / largest_radius));
  }
  sums[4] = static_cast<std::int64_t>(particles.velocity.size());
  communicator.Sum(sums);
  if (sums[4] == 0) return {Vec3::Zero(), largest_radius};
  const auto count = static_cast<double>(sums[4]);
  const double share = static_cast<double>(sums[3]) / (kShares * count);
  return {Eigen::Matrix<std::int64_t, 3, 1>(sums).cast<double>() / (kUnits * count),
          share * largest_radius};
}

/// Walls get no discount for the drift; but few particles are near one, so a wide skin is cheap:
/// this many mean radii.
constexpr double kWallSkin = 2.0;

}  // namespace

ListReach ReachFor(const Communicator& communicator, const Subdomains& subdomains,
                   const Scene& scene, const Particles& particles, std::int64_t step,
                   const LeastReach& least, FreeWallStates free_walls) {
  const Means mean = MeansOf(communicator, particles, least.largest_radius);
  // Fastest particle: against the drift, and at all.
  double squared[2] = {0.0, 0.0};
  const Domain& domain = scene.domain;
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    const Vec3& v = particles.velocity[i];
    Vec3 against = v - mean.velocity;
    if (domain.Flows()) against -= domain.MeanFlow(particles.position[i]);
    squared[0] = std::max(squared[0], against.squaredNorm());
    squared[1] = std::max(squared[1], v.squaredNorm());
  }
  communicator.Max(squared);
  const double wall_speed = GreatestWallSpeed(scene, least.base, step, 2.0 * least.largest_radius,
                                              free_walls, least.stride);

  const double dt = least.Length();
  const double kick = least.push > 0.0 ? least.push : dt * scene.gravity.norm();
  constexpr double kRounding = 1.001;
  const double pair_step = dt * (std::sqrt(squared[0]) + kick);
  const double wall_step = dt * (std::sqrt(squared[1]) + kick + wall_speed);
  const double strained = LossOfStrain(domain, dt, 2.0 * least.largest_radius);
  const double least_skin = kRounding * (2.0 * pair_step + least.margin + strained) /
                            (1.0 - LossOfStrain(domain, dt, 1.0));
  const double widest = subdomains.LargestReach();
  double usual = least.skin >= 0.0 ? least.skin : kSkinRadii * mean.radius;
  if (least.skin < 0.0 && least.is_long) {
    constexpr double kSteps = 4.0;  // that lists are to live, about
    const double longest =
        std::min(kLongSkinRadii * mean.radius, widest - 2.0 * least.largest_radius);
    usual = std::max(usual, std::min(kSteps * least_skin, longest));
  }
  const ListReach reach(std::max(usual, least_skin),
                        std::max(kWallSkin * mean.radius, kRounding * (wall_step + least.margin)),
                        mean.velocity);
  if (reach.skin > usual && 2.0 * least.largest_radius + reach.skin > widest) {
    throw SimulationError(Text("at step ", step, " the fastest particle moves at ",
                               std::sqrt(squared[0]), " m/s against the mean, ", pair_step,
                               " m in one step of ", dt, " s: too far for subdomains that are ",
                               widest, " m wide; use a shorter step or fewer ranks"));
  }
  return reach;
}

}  // namespace scree
