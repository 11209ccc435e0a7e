#include "engine/random_places.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/random.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

/// The spheres that have a place, in every cell of a grid that they may reach into: a sphere then
/// looks for others in its own cells only, however large those are.
class PlacedSpheres {
 public:
  PlacedSpheres(const Box& region, const std::vector<double>& radii)
      : radii_(radii), lower_(region.lower) {
    const double mean =
        std::accumulate(radii.begin(), radii.end(), 0.0) / static_cast<double>(radii.size());
    const Vec3 extent = region.Extent();
    // About one sphere per cell, and not many more cells than spheres.
    const double per_sphere = extent.prod() / static_cast<double>(radii.size());
    width_ = std::max(2.0 * mean, std::cbrt(per_sphere));
    for (int axis = 0; axis < 3; ++axis) {
      cells_[axis] = static_cast<std::int64_t>(extent[axis] / width_) + 1;
    }
    first_.assign(static_cast<std::size_t>(cells_.prod()), -1);
    places_.assign(radii.size(), Vec3::Zero());
  }

  bool Overlaps(const Vec3& place, double radius) const {
    bool overlaps = false;
    ForCells(place, radius, [&](std::size_t cell) {
      overlaps = overlaps || OverlapsIn(first_[cell], place, radius);
    });
    return overlaps;
  }

  void Add(std::size_t sphere, const Vec3& place) {
    places_[sphere] = place;
    ForCells(place, radii_[sphere], [&](std::size_t cell) {
      links_.push_back({sphere, first_[cell]});
      first_[cell] = static_cast<std::int64_t>(links_.size()) - 1;
    });
  }

  std::vector<Vec3> Take() { return std::move(places_); }

 private:
  using Cell = Eigen::Matrix<std::int64_t, 3, 1>;

  /// Clamped to the region.
  Cell CellOf(const Vec3& place) const {
    Cell cell;
    for (int axis = 0; axis < 3; ++axis) {
      cell[axis] = std::clamp<std::int64_t>(
          static_cast<std::int64_t>(std::floor((place[axis] - lower_[axis]) / width_)), 0,
          cells_[axis] - 1);
    }
    return cell;
  }

  /// Calls action(number) for the cells that the box around a sphere has a part in.
  template <class Action>
  void ForCells(const Vec3& place, double radius, Action&& action) const {
    const Cell from = CellOf(place - Vec3::Constant(radius));
    const Cell to = CellOf(place + Vec3::Constant(radius));
    for (std::int64_t z = from[2]; z <= to[2]; ++z) {
      for (std::int64_t y = from[1]; y <= to[1]; ++y) {
        for (std::int64_t x = from[0]; x <= to[0]; ++x) {
          action(static_cast<std::size_t>((z * cells_[1] + y) * cells_[0] + x));
        }
      }
    }
  }

  bool OverlapsIn(std::int64_t first, const Vec3& place, double radius) const {
    for (std::int64_t k = first; k >= 0; k = links_[static_cast<std::size_t>(k)].next) {
      const std::size_t sphere = links_[static_cast<std::size_t>(k)].sphere;
      const double touch = radius + radii_[sphere];
      if ((place - places_[sphere]).squaredNorm() < touch * touch) return true;
    }
    return false;
  }

  /// A sphere in a cell, and the link of the next one there; −1 ends the chain.
  struct Link {
    std::size_t sphere;
    std::int64_t next;
  };

  const std::vector<double>& radii_;
  Vec3 lower_;
  double width_ = 0.0;
  Cell cells_;
  std::vector<std::int64_t> first_;  // link of each cell
  std::vector<Link> links_;
  std::vector<Vec3> places_;
};

}  // namespace

std::vector<Vec3> RandomPlaces(const Box& region, const std::vector<double>& radii,
                               std::uint64_t seed, ParticleId first_id, const IsFree& is_free) {
  if (radii.empty()) return {};
  std::vector<std::size_t> order(radii.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return radii[a] > radii[b]; });
  PlacedSpheres placed(region, radii);
  constexpr std::uint64_t kTrials = 10000;
  for (std::size_t n = 0; n < order.size(); ++n) {
    const std::size_t sphere = order[n];
    const double radius = radii[sphere];
    const Vec3 middle = 0.5 * (region.lower + region.upper);
    const Vec3 reach = (0.5 * region.Extent() - Vec3::Constant(radius)).cwiseMax(0.0);
    std::uint64_t trial = 0;
    for (; trial < kTrials; ++trial) {
      Vec3 place = middle;
      for (int axis = 0; axis < 3; ++axis) {
        place[axis] +=
            reach[axis] * UniformAroundZero(seed, first_id + static_cast<ParticleId>(sphere),
                                            PlaceDraw(trial, axis));
      }
      if (placed.Overlaps(place, radius) || !is_free(place, radius)) continue;
      placed.Add(sphere, place);
      break;
    }
    if (trial == kTrials) {
      throw InputError(Text("found places for ", n, " of ", radii.size(),
                            " spheres only; expected a smaller solid_fraction, a wider region, or "
                            "fewer walls in it"));
    }
  }
  return placed.Take();
}

}  // namespace scree
