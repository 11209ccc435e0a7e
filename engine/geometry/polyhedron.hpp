/// \file  Convex polyhedra: hulls of points, with triangles in one plane merged to faces, and what
///        is left of one when its faces are moved inwards.
///
/// The hull is found by gift wrapping (D. R. Chand, S. S. Kapur, J. ACM 17 (1970) 78), which walks
/// from face to face over their edges and takes all points of a plane at a time; shapes have so few
/// points that its time, faces times points, does not count.
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
  std::vector<std::uint16_t> corners;  // vertices, counterclockwise as seen from outside
};

/// Between two faces; its direction is that in which the corners of `left` go round.
struct PolyhedronEdge {
  std::uint16_t from = 0, to = 0;     // vertices
  std::uint16_t left = 0, right = 0;  // faces
};

/// Its features are numbered: vertices first, then edges, then faces.
struct Polyhedron {
  std::vector<Vec3> vertices;  // [m]
  std::vector<PolyhedronEdge> edges;
  std::vector<PolyhedronFace> faces;

  /// Number of an edge or a face among all features; vertices have their own.
  std::uint16_t FeatureOfEdge(std::size_t edge) const {
    return static_cast<std::uint16_t>(vertices.size() + edge);
  }
  std::uint16_t FeatureOfFace(std::size_t face) const {
    return static_cast<std::uint16_t>(vertices.size() + edges.size() + face);
  }
};

/// Gift wrapping is slow for more.
inline constexpr std::size_t kMaxHullPoints = 10000;

/// The hull of points. Those in one plane, to 1e-6 of the extent, have one face.
/// @throws InputError, a sentence that goes on after the shape's name: fewer than four points, more
///         than kMaxHullPoints, a hull of more than 500, numbers that are not finite, points in a
///         plane
Polyhedron ConvexHull(std::span<const Vec3> points);

/// The least distance of a face's plane from a point inside [m].
double DepthOf(const Polyhedron& polyhedron, const Vec3& point);

/// All points of a polyhedron that are at least so far from the planes of all its faces: its
/// erosion by a ball. Faces may vanish.
/// @param centre  some point inside it   @pre 0 ≤ by < DepthOf(polyhedron, centre)
Polyhedron Eroded(const Polyhedron& polyhedron, const Vec3& centre, double by);

}  // namespace scree
