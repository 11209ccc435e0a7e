/// \file  Scratch of the narrow phase with walls: data on the current particle. It is kept between
///        steps to avoid allocations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/geometry/shapes.hpp"
#include "engine/geometry/triangle_mesh.hpp"
#include "engine/lists/neighbor_list.hpp"
#include "engine/scene/wall_motion.hpp"

namespace scree {

/// A sphere that may touch a wall: a particle, or a member of one.
struct TouchingSphere {
  std::size_t particle;
  std::uint16_t number;  // of the member
  Vec3 centre;           // [m]
  Vec3 velocity;         // of the centre [m/s]
  double radius;         // [m]
};

/// An active point of contact between a sphere and a wall.
struct WallTouch {
  TouchingSphere sphere;
  const WallCandidate* candidate;
  Index piece;  // of surface
  SurfacePoint surface;
  Vec3 position, wall_velocity;
  Index stored_entry;             // entry of the warm start
  double closing = 0.0;           // WallBody::closing
  bool is_bridge = false;         // replaced by a plane across a crack that has this edge
  Vec3 core_edge = Vec3::Zero();  // WallMinimum::core_edge in world axes, for a core
};

struct WallScratch {
  std::vector<WallPose> image_poses;  // of NeighborList::wall_images
  std::vector<WallTouch> touches;     // of a particle
  std::vector<WallTouch> supports;    // planes that support the particle next to an edge
  MeshQuery query;
  std::string error;  // reports a sphere that moves too far in the step for its walls; empty: none
};

}  // namespace scree
