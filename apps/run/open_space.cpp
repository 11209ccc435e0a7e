#include "apps/run/open_space.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
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

/// Which places of the domain a sphere can come to, on a grid of cubes: from cube to neighbouring
/// cube as long as at their centres it touches no wall. Cubes are narrower than the sphere, so that
/// no step leads across even the thinnest wall.
class ReachedSpace {
 public:
  ReachedSpace(const Domain& domain, const PlacedWalls& walls, double radius)
      : box_(domain.box), periodic_(domain.periodic), walls_(walls), radius_(radius) {
    const Vec3 cubes = (box_.Extent() / (kCube * radius)).array().ceil();
    if (!(cubes.prod() < kMaxCubes)) return;
    for (int axis = 0; axis < 3; ++axis) count_[axis] = std::max(1L, std::lround(cubes[axis]));
    state_.assign(static_cast<std::size_t>(count_.prod()), kUnknown);
  }

  bool IsKnown() const { return !state_.empty() && started_; }

  /// A particle may be here.
  void Start(const Vec3& x) {
    if (state_.empty()) return;
    const Vec3 at = (x - box_.lower).cwiseQuotient(box_.Extent());
    Cube cube;
    for (int axis = 0; axis < 3; ++axis) {
      if (!(at[axis] >= 0.0 && at[axis] < 1.0)) return;
      cube[axis] = static_cast<long>(at[axis] * static_cast<double>(count_[axis]));
    }
    Enter(cube);
  }

  void Spread() {
    for (; !front_.empty();) {
      const Cube cube = front_.back();
      front_.pop_back();
      for (int axis = 0; axis < 3; ++axis) {
        for (const long way : {-1L, 1L}) {
          Cube next = cube;
          next[axis] += way;
          const bool is_periodic = periodic_[static_cast<std::size_t>(axis)];
          if (is_periodic) next[axis] = (next[axis] + count_[axis]) % count_[axis];
          if (next[axis] >= 0 && next[axis] < count_[axis]) Enter(next);
        }
      }
    }
  }

  /// Whether a cube at this end of the domain was reached.
  bool Touches(int axis, bool upper) const {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    Cube cube;
    cube[axis] = upper ? count_[axis] - 1 : 0;
    for (cube[u] = 0; cube[u] < count_[u]; ++cube[u]) {
      for (cube[v] = 0; cube[v] < count_[v]; ++cube[v]) {
        if (state_[Row(cube)] == kReached) return true;
      }
    }
    return false;
  }

 private:
  using Cube = Eigen::Matrix<long, 3, 1>;
  enum Reach : std::uint8_t { kUnknown, kReached, kBlocked };
  static constexpr double kCube = 1.1;      // edge over radius; half its diagonal is below 1
  static constexpr double kMaxCubes = 1e6;  // a second or two

  std::size_t Row(const Cube& cube) const {
    return static_cast<std::size_t>((cube[0] * count_[1] + cube[1]) * count_[2] + cube[2]);
  }
  void Enter(const Cube& cube) {
    Reach& state = state_[Row(cube)];
    if (state != kUnknown) return;
    const Vec3 share = (cube.cast<double>().array() + 0.5) / count_.cast<double>().array();
    const Vec3 centre = box_.lower + share.cwiseProduct(box_.Extent());
    state = walls_.AreNearer(centre, radius_) ? kBlocked : kReached;
    if (state == kBlocked) return;
    started_ = true;
    front_.push_back(cube);
  }

  const Box& box_;
  std::array<bool, 3> periodic_;
  const PlacedWalls& walls_;
  double radius_;
  Cube count_ = Cube::Zero();
  std::vector<Reach> state_;
  std::vector<Cube> front_;
  bool started_ = false;
};

/// Begins where particles are or enter.
void StartFrom(const Scene& scene, const Particles& particles, double radius, ReachedSpace& space) {
  for (std::size_t i = 0; i < particles.owned; ++i) space.Start(particles.position[i]);
  const auto enters = [&](const Box& region) {
    const Vec3 extent = region.Extent();
    const Vec3 places = (extent / radius).array().ceil().max(1.0).min(64.0);
    for (double i = 0.5; i < places[0]; ++i) {
      for (double j = 0.5; j < places[1]; ++j) {
        for (double k = 0.5; k < places[2]; ++k) {
          space.Start(region.lower + Vec3(i, j, k).cwiseQuotient(places).cwiseProduct(extent));
        }
      }
    }
  };
  for (const Inflow& inflow : scene.pistons) enters(BoundsOf(inflow.lattice.region));
  for (const Rain& rain : scene.rains) enters(BoundsOf(rain.region));
}

bool IsCovered(const Box& box, int axis, bool upper, const PlacedWalls& walls, double radius) {
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

std::vector<std::string> OpenFaces(const Communicator& communicator, const Scene& scene, double dt,
                                   double radius, const Particles& particles) {
  const Scene lasting = WithLastingWalls(scene);
  const PlacedWalls walls(lasting, WallPoses(lasting, dt, 0), radius);
  std::vector<std::array<int, 2>> uncovered;  // axis, upper
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    for (const bool upper : {false, true}) {
      if (scene.domain.periodic[a] || scene.outflow[a][upper ? 1 : 0]) continue;
      if (IsCovered(scene.domain.box, axis, upper, walls, radius)) continue;
      uncovered.push_back({axis, upper ? 1 : 0});
    }
  }
  if (uncovered.empty()) return {};
  ReachedSpace space(scene.domain, walls, radius);
  StartFrom(scene, particles, radius, space);
  space.Spread();
  const bool is_known = communicator.Max(space.IsKnown() ? 1.0 : 0.0) > 0.0;
  std::vector<std::string> open;
  for (const auto& [axis, upper] : uncovered) {
    const double reached = space.IsKnown() && space.Touches(axis, upper == 1) ? 1.0 : 0.0;
    if (communicator.Max(reached) > 0.0 || !is_known) {
      open.push_back({"xyz"[axis], upper == 1 ? '+' : '-'});
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
