#include "apps/run/longest_fall.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace scree {
namespace {

constexpr int kSlices = 48;             // slices of the domain, normal to the fall
constexpr double kDenseFraction = 0.6;  // solid fraction of a settled bed

}  // namespace

double EnergyOfLongestFall(const Communicator& communicator, const Scene& scene,
                           const Particles& particles) {
  Eigen::Index axis = 0;  // that of the largest component of gravity
  const double acceleration = scene.gravity.cwiseAbs().maxCoeff(&axis);
  if (!(acceleration > 0.0) || scene.domain.periodic[static_cast<std::size_t>(axis)]) return 0.0;
  const Box& box = scene.domain.box;
  const double width = box.Extent()[axis] / kSlices;
  const auto height = [&](const Vec3& x) {
    return scene.gravity[axis] < 0.0 ? x[axis] - box.lower[axis] : box.upper[axis] - x[axis];
  };
  double max_level = 0.0;
  std::vector<double> volumes(kSlices, 0.0);  // of the particles in each slice, lowest first
  for (std::size_t i = 0; i < particles.owned; ++i) {
    const double level = height(particles.position[i]);
    const double slice = std::clamp(std::floor(level / width), 0.0, kSlices - 1.0);
    volumes[static_cast<std::size_t>(slice)] += SphereVolume(particles.radius[i]);
    max_level = std::max(max_level, level);
  }
  const auto include = [&](const Box& region) {
    max_level = std::max({max_level, height(region.lower), height(region.upper)});
  };
  for (const Inflow& inflow : scene.pistons) include(BoundsOf(inflow.lattice.region));
  for (const Rain& rain : scene.rains) include(BoundsOf(rain.region));
  communicator.Sum(volumes);
  max_level = communicator.Max(max_level);
  // The particles in a slice shorten the fall by the height of the bed into which they settle.
  const double dense_volume = kDenseFraction * box.Extent().prod() / kSlices;
  double longest_fall = 0.0, fall = 0.0;
  for (int k = 0; k < kSlices && k * width < max_level; ++k) {
    const double slice = std::min(width, max_level - k * width);
    fall =
        std::max(0.0, fall + slice - width * volumes[static_cast<std::size_t>(k)] / dense_volume);
    longest_fall = std::max(longest_fall, fall);
  }
  return acceleration * longest_fall;
}

}  // namespace scree
