#include "engine/step/restart_point.hpp"

#include <utility>

namespace scree {
namespace {

/// Adds zeros for new walls to the sums of loads, which are rows of six numbers per wall.
std::vector<double> WithZeros(const std::vector<double>& loads, std::size_t before,
                              std::size_t after) {
  std::vector<double> wider;
  for (std::size_t begin = 0; begin < loads.size(); begin += 6 * before) {
    for (std::size_t k = 0; k < 6 * after; ++k) {
      wider.push_back(k < 6 * before ? loads[begin + k] : 0.0);
    }
  }
  return wider;
}

}  // namespace

RestartPoint WithNewWalls(RestartPoint point, std::size_t before, std::size_t after) {
  if (after == before) return point;
  point = WithNewLists(std::move(point));
  WallLoadSums& loads = point.wall_loads;
  if (!loads.mean.empty()) {
    for (std::vector<double>* sums : {&loads.mean, &loads.squares, &loads.pending}) {
      *sums = WithZeros(*sums, before, after);
    }
  }
  // Surface ids of meshes come after the ids of the walls.
  const auto renumber = [&](auto& item) {
    if (!item.b.IsSurface()) return;
    const Index surface = item.b.Surface();
    if (surface < static_cast<Index>(before)) return;
    item.b = GlobalPartner::Surface(surface + static_cast<Index>(after - before));
  };
  for (StoredImpulse& impulse : point.impulses) renumber(impulse);
  for (Bond& bond : point.bonds) renumber(bond);
  return point;
}

}  // namespace scree
