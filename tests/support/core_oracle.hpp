/// \file  The distance of two convex polyhedra by all pairs of their features: slow and obvious.
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/geometry/polyhedron.hpp"

namespace scree::test {

inline double DistanceFromSegment(const Vec3& x, const Vec3& p, const Vec3& q) {
  const double s = std::clamp((x - p).dot(q - p) / (q - p).squaredNorm(), 0.0, 1.0);
  return (x - (p + s * (q - p))).norm();
}

inline double DistanceOfSegments(const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& t) {
  double least = std::min({DistanceFromSegment(p, r, t), DistanceFromSegment(q, r, t),
                           DistanceFromSegment(r, p, q), DistanceFromSegment(t, p, q)});
  const Vec3 u = q - p, v = t - r, n = u.cross(v);
  if (n.norm() < 1e-9 * u.norm() * v.norm()) return least;
  const double a = (r - p).cross(v).dot(n) / n.squaredNorm();
  const double b = (r - p).cross(u).dot(n) / n.squaredNorm();
  if (a < 0.0 || a > 1.0 || b < 0.0 || b > 1.0) return least;
  return std::min(least, (p + a * u - r - b * v).norm());
}

/// Of a vertex that projects into a face; else infinite, as edges are nearer.
inline double DistanceOverFace(const Polyhedron& body, const PolyhedronFace& face, const Vec3& x) {
  const double height = face.normal.dot(x) - face.offset;
  for (std::size_t k = 0; k < face.corners.size(); ++k) {
    const Vec3& p = body.vertices[face.corners[k]];
    const Vec3& q = body.vertices[face.corners[(k + 1) % face.corners.size()]];
    if (face.normal.dot((q - p).cross(x - p)) < 0.0) return HUGE_VAL;
  }
  return height >= 0.0 ? height : HUGE_VAL;
}

/// @pre they do not overlap
inline double DistanceOf(const Polyhedron& one, const Polyhedron& other) {
  double least = HUGE_VAL;
  for (const PolyhedronEdge& a : one.edges) {
    for (const PolyhedronEdge& b : other.edges) {
      least = std::min(least, DistanceOfSegments(one.vertices[a.from], one.vertices[a.to],
                                                 other.vertices[b.from], other.vertices[b.to]));
    }
  }
  for (const auto& [points, body] : {std::pair{&one, &other}, std::pair{&other, &one}}) {
    for (const Vec3& x : points->vertices) {
      for (const PolyhedronFace& face : body->faces) {
        least = std::min(least, DistanceOverFace(*body, face, x));
      }
    }
  }
  return least;
}

/// The body turned, then moved.
inline Polyhedron Moved(Polyhedron body, const Mat3& turn, const Vec3& by) {
  for (Vec3& vertex : body.vertices) vertex = turn * vertex + by;
  for (PolyhedronFace& face : body.faces) {
    face.normal = turn * face.normal;
    face.offset += face.normal.dot(by);
  }
  return body;
}

}  // namespace scree::test
