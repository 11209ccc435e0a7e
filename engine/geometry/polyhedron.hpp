/// \file  Convex polyhedra: convex hulls of points, with coplanar triangles merged into faces, and
///        erosion, which moves the faces inwards.
///
/// The hull is found by gift wrapping (D. R. Chand, S. S. Kapur, J. ACM 17 (1970) 78). The
/// algorithm walks from face to face across edges and collects all points of a plane at once. Its
/// cost, faces times points, is low because shapes have few points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/base/types.hpp"

namespace scree {

struct PolyhedronFace {
  Vec3 normal = Vec3::UnitZ();         // unit vector, outwards
  double offset = 0.0;                 // h: n⋅x = h on the face [m]
  std::vector<std::uint16_t> corners;  // vertices, counterclockwise seen from outside
};

/// An edge between two faces, in the direction in which the corners of `left` are listed.
struct PolyhedronEdge {
  std::uint16_t from = 0, to = 0;     // vertices
  std::uint16_t left = 0, right = 0;  // faces
};

/// A convex polyhedron. Features are numbered: vertices first, then edges, then faces.
struct Polyhedron {
  std::vector<Vec3> vertices;  // [m]
  std::vector<PolyhedronEdge> edges;
  std::vector<PolyhedronFace> faces;

  /// Feature number of an edge or a face. The feature number of a vertex is its index.
  std::uint16_t FeatureOfEdge(std::size_t edge) const {
    return static_cast<std::uint16_t>(vertices.size() + edge);
  }
  std::uint16_t FeatureOfFace(std::size_t face) const {
    return static_cast<std::uint16_t>(vertices.size() + edges.size() + face);
  }
};

/// Maximum number of points of ConvexHull. Gift wrapping is too slow for more.
inline constexpr std::size_t kMaxHullPoints = 10000;

/// Computes the convex hull of points. Points in one plane, to 1e-6 of the extent, form one face.
/// @throws InputError, whose message the caller puts after the name of the shape: fewer than four
///         points, more than kMaxHullPoints, a hull with more than 500 vertices, numbers that are
///         not finite, coplanar points
Polyhedron ConvexHull(std::span<const Vec3> points);

/// Smallest distance of a point inside the polyhedron from the plane of a face [m].
double DepthOf(const Polyhedron& polyhedron, const Vec3& point);

/// Erodes a polyhedron by a ball of radius `distance` [m]. What remains are the points at least
/// this far from the planes of all faces. Faces may vanish.
/// @param centre  a point inside the polyhedron   @pre 0 ≤ distance < DepthOf(polyhedron, centre)
Polyhedron Erode(const Polyhedron& polyhedron, const Vec3& centre, double distance);

}  // namespace scree
