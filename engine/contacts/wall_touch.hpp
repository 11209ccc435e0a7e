/// \file  Scratch memory of the narrow phase with walls, for one particle at a time. It is kept
///        between steps to avoid allocations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/geometry/shapes.hpp"
#include "engine/geometry/triangle_mesh.hpp"
#include "engine/lists/neighbor_list.hpp"
#include "engine/scene/wall_motion.hpp"

namespace scree {

/// A sphere that may touch a wall: a particle, a member of a particle, or the rounding at a point
/// of a polyhedron's core.
struct TouchingSphere {
  std::size_t particle;
  std::uint16_t number;  // of the member, or of the core's feature
  Vec3 centre;           // [m]
  Vec3 velocity;         // of the centre [m/s]
  double radius;         // [m]
};

/// An active point of contact between a sphere and a wall.
struct WallTouch {
  TouchingSphere sphere;
  const WallCandidate* candidate;
  Index piece;                    // of surface (WallBody::surface)
  SurfacePoint surface;           // normal in world axes
  Vec3 position;                  // of the contact point on the wall [m]
  Vec3 wall_velocity;             // at the contact point [m/s]
  Index stored_entry;             // entry of the warm start
  double closing = 0.0;           // WallBody::closing
  bool is_bridge = false;         // the plane of the touch lies across a crack
  Vec3 core_edge = Vec3::Zero();  // WallMinimum::core_edge in world axes, for a core
};

struct WallScratch {
  std::vector<WallPose> image_poses;  // one per NeighborList::wall_images
  std::vector<WallTouch> touches;     // of a particle
  std::vector<WallTouch> supports;    // planes that support the particle next to an edge
  MeshQuery query;
  std::string error;  // reports a sphere that moves too far in the step for its walls; empty: none
};

}  // namespace scree
