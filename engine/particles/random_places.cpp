#include "engine/particles/random_places.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/particles/random.hpp"
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
    return AnyCell(place, radius,
                   [&](std::size_t cell) { return OverlapsIn(first_[cell], place, radius); });
  }

  void Add(std::size_t sphere, const Vec3& place) {
    places_[sphere] = place;
    AnyCell(place, radii_[sphere], [&](std::size_t cell) {
      links_.push_back({sphere, first_[cell]});
      first_[cell] = static_cast<std::int64_t>(links_.size()) - 1;
      return false;
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

  /// Calls action(number) for the cells that the box around a sphere has a part in, until one is
  /// true. @returns whether one was
  template <class Action>
  bool AnyCell(const Vec3& place, double radius, Action&& action) const {
    const Cell from = CellOf(place - Vec3::Constant(radius));
    const Cell to = CellOf(place + Vec3::Constant(radius));
    for (std::int64_t z = from[2]; z <= to[2]; ++z) {
      for (std::int64_t y = from[1]; y <= to[1]; ++y) {
        for (std::int64_t x = from[0]; x <= to[0]; ++x) {
          if (action(static_cast<std::size_t>((z * cells_[1] + y) * cells_[0] + x))) return true;
        }
      }
    }
    return false;
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

/// The centre of a sphere in its trial: uniform where it is wholly inside the region.
Vec3 TrialPlace(const Box& region, double radius, std::uint64_t seed, ParticleId id,
                std::uint64_t trial) {
  const Vec3 reach = (0.5 * region.Extent() - Vec3::Constant(radius)).cwiseMax(0.0);
  Vec3 place = 0.5 * (region.lower + region.upper);
  for (int axis = 0; axis < 3; ++axis) {
    place[axis] += reach[axis] * UniformAroundZero(seed, id, PlaceDraw(trial, axis));
  }
  return place;
}

}  // namespace

std::vector<Vec3> RandomPlaces(const Box& region, const std::vector<double>& radii,
                               std::uint64_t seed, ParticleId first_id, const IsFree& is_free) {
  if (radii.empty()) return {};
  std::vector<std::size_t> order(radii.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return radii[a] > radii[b]; });
  PlacedSpheres placed(region, radii);
  const auto finds_place = [&](std::size_t sphere) {
    constexpr std::uint64_t kTrials = 10000;
    const auto id = first_id + static_cast<ParticleId>(sphere);
    for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
      const Vec3 place = TrialPlace(region, radii[sphere], seed, id, trial);
      if (placed.Overlaps(place, radii[sphere]) || !is_free(place, radii[sphere])) continue;
      placed.Add(sphere, place);
      return true;
    }
    return false;
  };
  const auto failed = std::find_if_not(order.begin(), order.end(), finds_place);
  if (failed != order.end()) {
    throw InputError(Text("found places for ", failed - order.begin(), " of ", radii.size(),
                          " spheres only; expected a smaller solid_fraction, a wider region, or "
                          "fewer walls in it"));
  }
  return placed.Take();
}

}  // namespace scree
