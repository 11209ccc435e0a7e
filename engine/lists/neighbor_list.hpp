/// \file  Candidate pairs with a skin. A list is valid until some particle has moved half the skin
///        relative to the drift.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/lists/list_reach.hpp"
#include "engine/lists/packed_sphere.hpp"
#include "engine/lists/size_classes.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/halo.hpp"
#include "engine/scene/scene.hpp"
#include "engine/scene/wall_images.hpp"
#include "engine/scene/wall_motion.hpp"

namespace scree {

/// Image index of a candidate that is the wall itself.
inline constexpr Index kNoImage = -1;

struct WallCandidate {
  Index particle = 0;
  Index wall = 0;
  Index image = kNoImage;  // index in NeighborList::wall_images
  double gap = 0.0;        // when the list was built [m]
  // For a mesh: the triangles within TriangleReach(radius) of the centre when the list was built
  // are triangles[first] .. triangles[first + count - 1].
  Index first = 0;
  Index count = 0;
};

/// The list collects the triangles within this distance from the centre of a sphere [m], a quarter
/// of a radius beyond the surface. Most spheres move less before the next rebuild. With a larger
/// distance each step would check more triangles.
inline double TriangleReach(double radius) { return 1.25 * radius; }

/// Pairs of two owned particles, or of an owned particle and a ghost, whose surfaces are closer
/// than the skin. The partners of owned particle i are partner[first[i]] .. partner[first[i + 1] -
/// 1]: owned particles with larger indices, then ghosts. Rebuilding reuses the memory. If a
/// particle has very many partners, and overlaps one so deeply that one of the two contains the
/// centre of the other (an invalid state), the list ends with this pair: particles with larger
/// indices have no partners.
struct NeighborList {
  ListReach reach;
  std::vector<Index> first;    // owned + 1 entries
  std::vector<Index> partner;  // plus kLanes - 1 entries, so that a packet can be read at any entry
  std::vector<Index> triangles;      // near the particles of the wall candidates
  std::vector<WallCandidate> walls;  // owned particles only, in the order of their indices
  std::vector<WallImage> wall_images;
  std::vector<Vec3> reference;           // owned positions when the list was built [m]
  std::vector<Vec3> drift;               // reach.drift at `reference` [m/s]
  std::vector<WallPose> wall_reference;  // the walls when the list was built
  std::vector<Box> wall_extent;          // of the parts that particles can reach [m]

  std::size_t Pairs() const { return first.empty() ? 0 : static_cast<std::size_t>(first.back()); }
};

/// Sorts the particles so that particles of similar size that are neighbours in space are
/// neighbours in memory. Removes the ghosts.
/// @param skin     of the next list [m]
/// @param classes  set to the sorted particles: slot k contains particle k
/// @param spare    scratch
void SortAlongCells(double skin, Particles& particles, SpareArrays& spare, SizeClasses& classes);

/// Marks the ghosts that have an owned particle within the skin. Returns one mark per ghost.
/// @param classes  from SortAlongCells for these owned particles
/// @param skin     of the list [m]
/// @param packed   scratch
std::vector<std::uint8_t> MarkNearGhosts(const Particles& particles, const SizeClasses& classes,
                                         const Halo& halo, double skin,
                                         std::vector<PackedSphere>& packed);

/// Rebuilds the list.
/// @param classes  from SortAlongCells for these owned particles
/// @param walls    current poses
/// @param packed   scratch
void BuildNeighborList(const Particles& particles, const SizeClasses& classes, const Halo& halo,
                       const Scene& scene, const std::vector<WallPose>& walls,
                       const ListReach& reach, std::vector<PackedSphere>& packed,
                       NeighborList& list);

/// Whether the list contains every pair that can come within `margin` in the next step. This holds
/// as long as no particle is farther than (skin − margin − StrainLoss)/2 from the position to
/// which the drift alone would have moved it, and no particle has moved farther than wall skin −
/// margin relative to a wall.
/// @param velocities  at least of the owned particles [m/s]
/// @param elapsed  time since the list was built, including the next step [s]
/// @param kick     change of velocity before the next displacement, dt g [m/s]
/// @param walls    poses at the end of the next step
/// @param domain   its mean flow is added to the drift, and its strain enters StrainLoss
/// @param largest_radius  of all particles; used in sheared domains and for local drifts [m]
bool CoversNextStep(const NeighborList& list, const Particles& particles,
                    std::span<const Vec3> velocities, const std::vector<WallPose>& walls,
                    double elapsed, double dt, const Vec3& kick, double margin,
                    const Domain& domain = {}, double largest_radius = 0.0);

}  // namespace scree
