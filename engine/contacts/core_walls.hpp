/// \file  Finds the points of the edges and faces of a polyhedron's core that are nearest to a
///        wall. (The vertices of the core touch walls as spheres do.)
///
/// The wall is the outer side of a convex solid, a sheet swept about an axis (disk, pipe, cone), or
/// the edges and vertices of a mesh. A point of the core counts if its distance from the wall is a
/// local minimum on its edge or face, up to the angular tolerance of core_distance.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/geometry/core_distance.hpp"
#include "engine/geometry/shapes.hpp"
#include "engine/geometry/triangle_mesh.hpp"

namespace scree {

/// A core in the coordinates of a wall's shape.
struct CoreAtWall {
  const Polyhedron* shape = nullptr;
  std::vector<Vec3> vertices;  // [m]
  std::vector<Vec3> normals;   // of its faces
};

struct WallMinimum {
  std::uint16_t feature;   // of the core
  Vec3 on_core;            // [m]
  SurfacePoint surface;    // of the wall, seen from on_core
  Index mesh_feature = 0;  // of the wall, if it is a mesh
  /// Direction of the core's edge if the normal rotates about that edge as the bodies move; zero if
  /// the normal is defined by two edges or by a face.
  Vec3 core_edge = Vec3::Zero();  // unit vector
};

/// Whether a part of a wall can touch the edges and faces of a polyhedron, not only its vertices.
bool HasEdgeContacts(const ShapePart& part);

/// Appends the points of the core's edges and faces at which the distance from a part has a
/// minimum of at most `limit` [m].
/// @pre the part is no mesh
void AppendMinima(const CoreAtWall& core, const ShapePart& part, double limit,
                  std::vector<WallMinimum>& minima);

/// Appends the minima of the distance from a mesh.
/// @param triangles  includes all triangles within the limit of the core
/// @param features   scratch
void AppendMinima(const CoreAtWall& core, const TriangleMesh& mesh,
                  std::span<const Index> triangles, double limit, std::vector<Index>& features,
                  std::vector<WallMinimum>& minima);

}  // namespace scree
