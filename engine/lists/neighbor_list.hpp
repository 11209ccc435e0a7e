/// \file  Candidate pairs with a skin: found rarely, good until something has moved half the skin
///        against the common drift.
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

/// The number of no WallImage.
inline constexpr Index kNoImage = -1;

struct WallCandidate {
  Index particle = 0;
  Index wall = 0;
  Index image = kNoImage;  // of the wall: in NeighborList::wall_images
  double gap = 0.0;        // when the list was built [m]
  // Of a mesh: its triangles within NearTriangles(radius) of the centre then are triangles[first]
  // .. triangles[first + count - 1].
  Index first = 0;
  Index count = 0;
};

/// How far from the centre of a sphere the list looks for triangles [m]: a quarter of a radius
/// beyond its surface, as most spheres move less before the next list, and a wider net has more
/// triangles to look at in each step.
inline double NearTriangles(double radius) { return 1.25 * radius; }

/// Pairs closer than the skin (surface to surface) of own particles with each other and with the
/// ghosts there are. The partners of owned particle i are partner[first[i]] .. partner[first[i + 1]
/// - 1]: owned particles with greater indices, then ghosts. Rebuilding reuses the memory. Where
/// very many particles lie within one radius the state is invalid, and one such pair is listed.
struct NeighborList {
  ListReach reach;
  std::vector<Index> first;          // owned + 1
  std::vector<Index> partner;        // and kLanes - 1 more, so that eight can be read at any entry
  std::vector<Index> triangles;      // near the candidates
  std::vector<WallCandidate> walls;  // owned particles only, in the order of their indices
  std::vector<WallImage> wall_images;
  std::vector<Vec3> reference;           // owned positions when the list was built [m]
  std::vector<Vec3> drift;               // there, of reach.drift [m/s]
  std::vector<WallPose> wall_reference;  // the walls then
  std::vector<Box> wall_extent;          // of their shapes, what particles can meet [m]

  std::size_t Pairs() const { return first.empty() ? 0 : static_cast<std::size_t>(first.back()); }
};

/// Neighbours in space become neighbours in memory, among particles of similar sizes. Leaves the
/// ghosts out.
/// @param skin     of the list that comes next [m]
/// @param classes  becomes that of the sorted particles: slot k of its order holds particle k
/// @param spare    memory to use
void SortAlongCells(double skin, Particles& particles, SpareArrays& spare, SizeClasses& classes);

/// Which ghosts have an own particle within the skin, one mark per ghost: those that will be
/// listed.
/// @param classes  as SortAlongCells left them for these owned particles
/// @param skin     of the list [m]
/// @param places   scratch
std::vector<std::uint8_t> MarkNearGhosts(const Particles& particles, const SizeClasses& classes,
                                         const Halo& halo, double skin,
                                         std::vector<PackedSphere>& places);

/// @param classes  the same
/// @param walls    where the walls are
/// @param places   scratch
void BuildNeighborList(const Particles& particles, const SizeClasses& classes, const Halo& halo,
                       const Scene& scene, const std::vector<WallPose>& walls,
                       const ListReach& reach, std::vector<PackedSphere>& places,
                       NeighborList& list);

/// True while every pair that can come within `margin` in the next step is in the list. Pairs: as
/// long as no particle has moved more than (skin − margin − LossOfStrain)/2 away from where the
/// drift would have carried it. Walls: as long as no particle has moved more than wall skin −
/// margin against them.
/// @param velocities  of the particles, owned ones at least [m/s]
/// @param elapsed  time since the list was built, next step included [s]
/// @param kick     change of velocity before the next move, dt g [m/s]
/// @param walls    where they are at the end of the next step
/// @param domain   whose mean flow particles follow: the skin counts what remains (LossOfStrain)
/// @param largest_radius  of all particles; for sheared domains and drifts of neighbourhoods [m]
bool CoversNextStep(const NeighborList& list, const Particles& particles,
                    std::span<const Vec3> velocities, const std::vector<WallPose>& walls,
                    double elapsed, double dt, const Vec3& kick, double margin,
                    const Domain& domain = {}, double largest_radius = 0.0);

}  // namespace scree
