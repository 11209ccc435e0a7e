/// \file  The bodies b of contacts with walls. Their mass is infinite, or a fraction of the mass of
///        a free wall.
#pragma once

#include <span>
#include <vector>

#include "engine/geometry/shapes.hpp"
#include "engine/geometry/triangle_mesh.hpp"
#include "engine/particles/particles.hpp"
#include "engine/scene/wall_motion.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// WallBody k is body Particles::Size() + k of a step's contacts. The whole walls come first, then
/// the patches. A contact has its own patch if its wall rotates, is free, is a belt or is hollow,
/// if the wall has several pieces of surface, or if the contact is with a periodic image of the
/// wall.
struct WallBody {
  Index wall = 0;                // row of Scene::walls
  Index surface = 0;             // piece of surface: wall k has k; the pieces of meshes follow
  Vec3 velocity = Vec3::Zero();  // of the surface, mean over the step; of a free wall: the velocity
                                 // before the step [m/s]
  Vec3 change = Vec3::Zero();    // WallPose::CarriedVelocityChange of the touching body [m/s]
  Vec3 shift = Vec3::Zero();     // from the wall to its touched periodic image [m]
  double closing = 0.0;  // loss of gap along the path due to the wall's curvature, ≥ 0 [m]
  // For free walls only.
  Vec3 kick = Vec3::Zero();  // change of velocity in the step by the wall's own forces [m/s]
  Vec3 free_velocity = Vec3::Zero();  // WallPose::FreeVelocity at the contact [m/s]
  Vec3 contact_point = Vec3::Zero();  // on the wall itself [m]
  double mobility = 0.0;    // largest mobility of the undivided tree at the contact [1/kg]
  Vec3 arm = Vec3::Zero();  // to the contact from the body that represents the tree [m]
};

/// Number of the first piece of surface of a mesh wall (WallBody::surface).
inline Index FirstSurface(const Scene& scene, std::size_t wall) {
  auto first = static_cast<Index>(scene.walls.size());
  for (std::size_t w = 0; w < wall; ++w) {
    const TriangleMesh* const mesh = MeshOf(scene.walls[w].shape);
    if (mesh != nullptr) first += mesh->Features();
  }
  return first;
}

/// Sets `bodies` to the whole walls, without patches.
inline void BeginWallBodies(std::span<const WallPose> poses, std::vector<WallBody>& bodies) {
  bodies.clear();
  for (std::size_t w = 0; w < poses.size(); ++w) {
    bodies.push_back({static_cast<Index>(w), static_cast<Index>(w), poses[w].velocity,
                      poses[w].velocity_change});
  }
}

}  // namespace scree
