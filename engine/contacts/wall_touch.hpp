/// \file  Scratch of the narrow phase with walls: what it knows of the particle at hand; kept
///        between steps, so that nothing is allocated.
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

/// A point at which a sphere touches a wall and that takes part.
struct WallTouch {
  TouchingSphere sphere;
  const WallCandidate* candidate;
  Index piece;  // of surface
  SurfacePoint surface;
  Vec3 place, wall_velocity;
  Index last;                     // entry of the warm start
  bool is_bridge = false;         // the plane across a crack, of which this is one border
  Vec3 core_edge = Vec3::Zero();  // of a core: WallMinimum::core_edge, in space
};

struct WallScratch {
  std::vector<WallPose> image_poses;  // of NeighborList::wall_images
  std::vector<WallTouch> touches;     // of a particle
  std::vector<WallTouch> supports;    // planes that support it next to an edge
  MeshQuery query;
  std::string trouble;  // a sphere that moves too far in the step for its walls; empty: none
};

}  // namespace scree
