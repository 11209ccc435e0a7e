#include "apps/open_space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/scene/wall_images.hpp"

namespace scree {
namespace {

constexpr int kPlaces = 32;     // along each edge of a face
constexpr int kSlices = 48;     // of the domain, across the fall
constexpr double kDense = 0.6;  // solid fraction of what has settled

/// Without the walls that vanish, or let some particles pass.
Scene WithLastingWalls(Scene scene) {
  std::erase_if(scene.walls, [](const Wall& wall) {
    return std::isfinite(wall.removed_at) || !wall.StopsAll();
  });
  return scene;
}

bool IsCovered(const Box& box, int axis, bool upper, const StandingWalls& walls, double radius) {
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  for (int k = 0; k < kPlaces * kPlaces; ++k) {
    Vec3 share = Vec3::Constant(upper ? 1.0 : 0.0);
    share[u] = (k % kPlaces + 0.5) / kPlaces;
    share[v] = (k / kPlaces + 0.5) / kPlaces;
    if (!walls.AreNearer(box.lower + share.cwiseProduct(box.Extent()), radius)) return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> OpenFaces(const Scene& scene, double dt, double radius) {
  const Scene lasting = WithLastingWalls(scene);
  const StandingWalls walls(lasting, WallPoses(lasting, dt, 0), radius);
  std::vector<std::string> open;
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    for (const bool upper : {false, true}) {
      if (scene.domain.periodic[a] || scene.outflow[a][upper ? 1 : 0]) continue;
      if (IsCovered(scene.domain.box, axis, upper, walls, radius)) continue;
      open.push_back({"xyz"[axis], upper ? '+' : '-'});
    }
  }
  return open;
}

double LongestFall(const Communicator& communicator, const Scene& scene,
                   const Particles& particles) {
  Eigen::Index axis = 0;  // of the strongest pull
  const double pull = scene.gravity.cwiseAbs().maxCoeff(&axis);
  if (!(pull > 0.0) || scene.domain.periodic[static_cast<std::size_t>(axis)]) return 0.0;
  const Box& box = scene.domain.box;
  const double width = box.Extent()[axis] / kSlices;
  const auto height = [&](const Vec3& x) {
    return scene.gravity[axis] < 0.0 ? x[axis] - box.lower[axis] : box.upper[axis] - x[axis];
  };
  double highest = 0.0;
  std::vector<double> volumes(kSlices, 0.0);  // of the particles, from below
  for (std::size_t i = 0; i < particles.owned; ++i) {
    const double at = height(particles.position[i]);
    const double slice = std::clamp(std::floor(at / width), 0.0, kSlices - 1.0);
    volumes[static_cast<std::size_t>(slice)] += SphereVolume(particles.radius[i]);
    highest = std::max(highest, at);
  }
  const auto enters = [&](const Box& region) {
    highest = std::max({highest, height(region.lower), height(region.upper)});
  };
  for (const Inflow& inflow : scene.pistons) enters(BoundsOf(inflow.lattice.region));
  for (const Rain& rain : scene.rains) enters(BoundsOf(rain.region));
  communicator.Sum(volumes);
  highest = communicator.Max(highest);
  // What is packed more densely than it settles takes from the way.
  const double dense = kDense * box.Extent().prod() / kSlices;
  double longest = 0.0, way = 0.0;
  for (int k = 0; k < kSlices && k * width < highest; ++k) {
    const double slice = std::min(width, highest - k * width);
    way = std::max(0.0, way + slice - width * volumes[static_cast<std::size_t>(k)] / dense);
    longest = std::max(longest, way);
  }
  return pull * longest;
}

}  // namespace scree
