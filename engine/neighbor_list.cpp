#include "engine/neighbor_list.hpp"

#include "engine/cell_grid.hpp"
#include "engine/contact_ownership.hpp"

namespace scree {
namespace {

std::vector<Vec3> PlacesWithShift(const Particles& particles, const Halo& halo) {
  std::vector<Vec3> places = particles.position;
  for (std::size_t g = 0; g < halo.shift.size(); ++g) places[particles.owned + g] += halo.shift[g];
  return places;
}

double LargestRadius(const Particles& particles) {
  double largest = 0.0;
  for (const double radius : particles.radius) largest = std::max(largest, radius);
  return largest;
}

void FindPairs(const Particles& particles, const Halo& halo, int rank, NeighborList& list) {
  const std::vector<Vec3> places = PlacesWithShift(particles, halo);
  const double reach = 2.0 * LargestRadius(particles) + list.skin;
  list.first.assign(particles.owned + 1, 0);
  if (particles.owned == 0) return;
  const CellGrid grid(places, reach);
  list.partner.reserve(8 * particles.owned);
  for (std::size_t i = 0; i < particles.owned; ++i) {
    const Vec3 x = places[i];
    const double own_reach = particles.radius[i] + list.skin;
    grid.VisitNear(x, [&](Index other, const Vec3& y) {
      const auto j = static_cast<std::size_t>(other);
      if (j <= i) return;
      const double limit = own_reach + particles.radius[j];
      if ((x - y).squaredNorm() >= limit * limit) return;
      if (j >= particles.owned &&
          !IsTreatedHere(rank, particles.id[i], halo.owner[j - particles.owned], particles.id[j])) {
        return;
      }
      list.partner.push_back(other);
    });
    list.first[i + 1] = static_cast<Index>(list.partner.size());
  }
}

void FindWalls(const Particles& particles, const Scene& scene, const std::vector<Vec3>& walls,
               NeighborList& list) {
  for (std::size_t w = 0; w < walls.size(); ++w) {
    const Shape& shape = scene.walls[w].shape;
    const Box bounds = BoundingBox(shape);
    for (std::size_t i = 0; i < particles.owned; ++i) {
      const Vec3 x = particles.position[i] - walls[w];
      const double limit = particles.radius[i] + list.skin;
      if (bounds.Distance(x) >= limit || NearestSurface(shape, x).distance >= limit) continue;
      list.walls.push_back({static_cast<Index>(i), static_cast<Index>(w)});
    }
  }
}

}  // namespace

NeighborList BuildNeighborList(const Particles& particles, const Halo& halo, const Scene& scene,
                               const std::vector<Vec3>& walls, double skin, int rank) {
  NeighborList list;
  list.skin = skin;
  FindPairs(particles, halo, rank, list);
  FindWalls(particles, scene, walls, list);
  list.reference.assign(particles.position.begin(),
                        particles.position.begin() + static_cast<std::ptrdiff_t>(particles.owned));
  list.wall_reference = walls;
  return list;
}

bool CoversNextStep(const NeighborList& list, const Particles& particles,
                    const std::vector<Vec3>& walls, double dt, const Vec3& kick, double margin) {
  const double limit = 0.5 * (list.skin - margin);
  for (std::size_t w = 0; w < walls.size(); ++w) {
    if ((walls[w] - list.wall_reference[w]).norm() > limit) return false;
  }
  for (std::size_t i = 0; i < particles.owned; ++i) {
    const Vec3 moved =
        particles.position[i] - list.reference[i] + dt * (particles.velocity[i] + kick);
    const double squared = moved.squaredNorm();
    // Written so that NaN does not count as covered.
    if (!(squared <= limit * limit) && particles.id[i] != kGone) return false;
  }
  return true;
}

}  // namespace scree
