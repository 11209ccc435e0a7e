#include "engine/particles/random_places.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/particles/random.hpp"
#include "engine/particles/sphere_grid.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

/// An empty grid whose cells fit these spheres.
SphereGrid GridFor(const Box& bounds, const std::vector<double>& radii) {
  const auto count = static_cast<double>(radii.size());
  const double mean = std::accumulate(radii.begin(), radii.end(), 0.0) / count;
  // About one sphere per cell, and not many more cells than spheres.
  return {bounds, std::max(2.0 * mean, std::cbrt(bounds.Extent().prod() / count))};
}

}  // namespace

Vec3 TrialPlace(const Box& bounds, double radius, std::uint64_t seed, ParticleId id,
                std::uint64_t trial) {
  const Vec3 reach = (0.5 * bounds.Extent() - Vec3::Constant(radius)).cwiseMax(0.0);
  Vec3 place = 0.5 * (bounds.lower + bounds.upper);
  for (int axis = 0; axis < 3; ++axis) {
    place[axis] += reach[axis] * UniformAroundZero(seed, id, PlaceDraw(trial, axis));
  }
  return place;
}

std::vector<Vec3> RandomPlaces(const Region& region, const std::vector<double>& radii,
                               std::uint64_t seed, ParticleId first_id, const IsFree& is_free) {
  if (radii.empty()) return {};
  std::vector<std::size_t> order(radii.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return radii[a] > radii[b]; });
  const Box bounds = BoundsOf(region);
  const bool is_box = std::holds_alternative<Box>(region);  // then trials are inside
  SphereGrid placed = GridFor(bounds, radii);
  std::vector<Vec3> places(radii.size(), Vec3::Zero());
  const auto finds_place = [&](std::size_t sphere) {
    constexpr std::uint64_t kTrials = 10000;
    const auto id = first_id + static_cast<ParticleId>(sphere);
    for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
      const double radius = radii[sphere];
      const Vec3 place = TrialPlace(bounds, radius, seed, id, trial);
      if (!is_box && !Holds(region, place, radius)) continue;
      if (placed.Overlaps(place, radius) || !is_free(place, radius)) continue;
      placed.Add({place, radius});
      places[sphere] = place;
      return true;
    }
    return false;
  };
  const auto failed = std::find_if_not(order.begin(), order.end(), finds_place);
  if (failed != order.end()) {
    throw InputError(
        Text("found places for ", failed - order.begin(), " of ", radii.size(),
             " spheres only; expected a smaller solid_fraction or number, a wider region, or "
             "fewer walls in it"));
  }
  return places;
}

}  // namespace scree
