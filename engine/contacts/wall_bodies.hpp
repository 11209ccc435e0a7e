/// \file  The bodies that contacts with walls have as their b: of infinite mass, or with a share of
///        the mass of a free wall.
#pragma once

#include <span>
#include <vector>

#include "engine/geometry/triangle_mesh.hpp"
#include "engine/particles/particles.hpp"
#include "engine/scene/wall_motion.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// Body Size() + k of a step's contacts: the walls as wholes, then a patch for each contact whose
/// wall has different velocities at different places (a belt: of different normals), more than one
/// piece of surface, or is touched at an image.
struct WallBody {
  Index wall = 0;     // row of Scene::walls
  Index surface = 0;  // piece of surface: the wall itself; Scene walls and up: pieces of meshes
  Vec3 velocity = Vec3::Zero();  // of the surface, mean over the step; of a free wall that before
                                 // the step [m/s]
  Vec3 change = Vec3::Zero();    // WallPose::ChangeOfCarried of the body that touches [m/s]
  Vec3 shift = Vec3::Zero();     // from the wall to the periodic image of it that is touched [m]
  // Of free walls.
  Vec3 push = Vec3::Zero();   // what its own forces add to the velocity in the step [m/s]
  Vec3 free = Vec3::Zero();   // part of the velocity that comes from the axes of its tree [m/s]
  Vec3 place = Vec3::Zero();  // of the contact, on the wall itself [m]
  double mobility = 0.0;      // of the undivided tree there, the largest [1/kg]
};

/// Number of the first piece of surface of a wall that is a mesh.
inline Index FirstSurface(const Scene& scene, std::size_t wall) {
  auto first = static_cast<Index>(scene.walls.size());
  for (std::size_t w = 0; w < wall; ++w) {
    const TriangleMesh* const mesh = MeshOf(scene.walls[w].shape);
    if (mesh != nullptr) first += mesh->Features();
  }
  return first;
}

/// The walls as wholes.
inline void BeginWallBodies(std::span<const WallPose> poses, std::vector<WallBody>& bodies) {
  bodies.clear();
  for (std::size_t w = 0; w < poses.size(); ++w) {
    bodies.push_back({static_cast<Index>(w), static_cast<Index>(w), poses[w].velocity,
                      poses[w].velocity_change});
  }
}

}  // namespace scree
