/// \file  Neighbour lists, and clouds of particles that ranks share, made in one call.
#pragma once

#include "engine/neighbor_list.hpp"
#include "tests/support/all_pairs.hpp"

namespace scree::test {

/// Sorts the owned particles; ghosts are left out.
inline CellGrid Sorted(Particles& particles, double cell_size) {
  Particles spare;
  CellGrid cells;
  SortAlongCells(cell_size, particles, spare, cells);
  return cells;
}

/// The domain of a test with 200 particles, shared out, and each rank's ghosts.
struct SharedCloud {
  static constexpr std::size_t kCount = 200;
  static constexpr double kReach = 0.2;

  Communicator world = Communicator::World();
  Particles particles;
  Halo halo;

  explicit SharedCloud(const Subdomains& subdomains) {
    const Particles all = RandomParticles(subdomains.WholeDomain().box, kCount, 0.08, 1);
    particles = OwnedBy(subdomains, world.Rank(), all);
    Sorted(particles, kReach);
    halo = BuildHalo(world, subdomains, kReach, particles);
  }
};

/// A wall that has moved this far without turning.
inline WallPose MovedBy(const Vec3& displacement) {
  WallPose pose;
  pose.displacement = displacement;
  return pose;
}

/// @param cell_size  for which the owned particles are sorted; any, if they fit into one cell
inline NeighborList ListOf(const Particles& particles, double cell_size, const Halo& halo,
                           const Scene& scene, const std::vector<WallPose>& walls,
                           const ListReach& reach, int rank,
                           InterfacePairs interface = InterfacePairs::kTreatedHere) {
  const CellGrid cells(std::span(particles.position).first(particles.owned), cell_size);
  for (std::size_t k = 0; k < particles.owned; ++k) {
    SCREE_DEMAND(cells.Order()[k] == static_cast<Index>(k));
  }
  NeighborList list;
  std::vector<Place> places;
  BuildNeighborList(particles, cells, halo, scene, walls, reach, rank, places, list, interface);
  return list;
}

}  // namespace scree::test
