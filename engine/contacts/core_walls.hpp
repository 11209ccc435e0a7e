/// \file  Where the edges and faces of a polyhedron's core are nearest to a wall; its vertices meet
///        walls as spheres do.
///
/// What they meet is the outer side of a convex solid, or the edges and vertices of a mesh. A point
/// of the core counts where its distance from the wall is least on its edge or its face, to the
/// angular tolerance of core_distance.hpp.
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
  std::uint16_t feature;  // of the core
  Vec3 on_core;           // [m]
  SurfacePoint surface;   // of the wall, as seen from there
  Index mesh_feature = 0;
  /// That of an edge of the core whose normal turns about it as the bodies move; zero: it is that
  /// of two edges, or of a face, and stays.
  Vec3 core_edge = Vec3::Zero();  // unit vector
};

/// Whether a part of a wall may meet more of a polyhedron than its vertices.
bool HasEdgeContacts(const ShapePart& part);

/// Appends the minima nearer than the limit of edges and faces over a part that bulges, no mesh.
void AppendMinima(const CoreAtWall& core, const ShapePart& part, double limit,
                  std::vector<WallMinimum>& minima);

/// The same over a mesh.
/// @param features  scratch
void AppendMinima(const CoreAtWall& core, const TriangleMesh& mesh,
                  std::span<const Index> triangles, double limit, std::vector<Index>& features,
                  std::vector<WallMinimum>& minima);

}  // namespace scree
