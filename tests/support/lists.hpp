/// \file  Functions that make neighbour lists and distributed clouds of particles in one call.
#pragma once

#include "engine/lists/neighbor_list.hpp"
#include "tests/support/all_pairs.hpp"

namespace scree::test {

/// Sorts the owned particles, removes the ghosts, and returns the size classes.
inline SizeClasses SortIntoClasses(Particles& particles, double skin) {
  SizeClasses classes;
  SpareArrays scratch;
  SortAlongCells(skin, particles, scratch, classes);
  return classes;
}

/// Makes ghosts as a time step does, and keeps those that are closer than the skin to a particle.
inline Halo MakeNearGhosts(const Communicator& world, const Subdomains& subdomains,
                           const SizeClasses& classes, double skin, double largest_radius,
                           InterfacePairs interface, Particles& particles) {
  Halo halo = BuildHalo(world, subdomains, skin, largest_radius, interface, particles);
  std::vector<PackedSphere> packed;
  RemoveUnmarkedGhosts(world, MarkNearGhosts(particles, classes, halo, skin, packed), halo,
                       particles);
  return halo;
}

/// A domain with 200 particles distributed over the ranks, and each rank's ghosts.
struct DistributedCloud {
  static constexpr std::size_t kCount = 200;
  static constexpr double kRadius = 0.08;  // largest radius
  static constexpr double kSkin = 0.04;

  Communicator world = Communicator::World();
  Particles particles;
  Halo halo;

  explicit DistributedCloud(const Subdomains& subdomains) {
    const Particles all = RandomParticles(subdomains.WholeDomain().box, kCount, kRadius, 1);
    particles = OwnedBy(subdomains, world.Rank(), all);
    const SizeClasses classes = SortIntoClasses(particles, kSkin);
    halo =
        MakeNearGhosts(world, subdomains, classes, kSkin, kRadius, InterfacePairs::kAll, particles);
  }
};

/// The pose of a wall that is displaced without rotation.
inline WallPose DisplacedPose(const Vec3& displacement) {
  WallPose pose;
  pose.displacement = displacement;
  return pose;
}

/// @param sorting_skin  the skin for which the owned particles are sorted
inline NeighborList ListOf(const Particles& particles, double sorting_skin, const Halo& halo,
                           const Scene& scene, const std::vector<WallPose>& walls,
                           const ListReach& reach) {
  const SizeClasses classes(std::span(particles.position).first(particles.owned),
                            std::span(particles.radius).first(particles.owned), sorting_skin);
  for (std::size_t k = 0; k < particles.owned; ++k) {
    SCREE_DEMAND(classes.Order()[k] == static_cast<Index>(k));
  }
  NeighborList list;
  std::vector<PackedSphere> packed;
  BuildNeighborList(particles, classes, halo, scene, walls, reach, packed, list);
  return list;
}

}  // namespace scree::test
