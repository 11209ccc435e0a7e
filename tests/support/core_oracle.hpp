/// \file  The distance between two convex polyhedra, found by comparing all pairs of features: slow
///        and simple.
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/geometry/polyhedron.hpp"

namespace scree::test {

inline Vec3 NearestOnSegment(const Vec3& x, const Vec3& p, const Vec3& q) {
  return p + std::clamp((x - p).dot(q - p) / (q - p).squaredNorm(), 0.0, 1.0) * (q - p);
}
inline double DistanceFromSegment(const Vec3& x, const Vec3& p, const Vec3& q) {
  return (x - NearestOnSegment(x, p, q)).norm();
}

/// For nearly parallel segments an upper bound: rounding may displace the compared points, but they
/// stay on the segments.
inline double DistanceOfSegments(const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& t) {
  const double min = std::min({DistanceFromSegment(p, r, t), DistanceFromSegment(q, r, t),
                               DistanceFromSegment(r, p, q), DistanceFromSegment(t, p, q)});
  const Vec3 u = q - p, v = t - r, n = u.cross(v);
  const double a = (r - p).cross(v).dot(n) / n.squaredNorm();
  return a > 0.0 && a < 1.0 ? std::min(min, DistanceFromSegment(p + a * u, r, t)) : min;
}

/// Distance of a vertex from a face. Infinite if the vertex does not project into the face, because
/// then edges are nearer.
inline double DistanceAboveFace(const Polyhedron& body, const PolyhedronFace& face, const Vec3& x) {
  const double height = face.normal.dot(x) - face.offset;
  for (std::size_t k = 0; k < face.corners.size(); ++k) {
    const Vec3& p = body.vertices[face.corners[k]];
    const Vec3& q = body.vertices[face.corners[(k + 1) % face.corners.size()]];
    if (face.normal.dot((q - p).cross(x - p)) < 0.0) return HUGE_VAL;
  }
  return height >= 0.0 ? height : HUGE_VAL;
}

/// @pre the polyhedra do not overlap
inline double DistanceOf(const Polyhedron& first, const Polyhedron& second) {
  double min = HUGE_VAL;
  for (const PolyhedronEdge& a : first.edges) {
    for (const PolyhedronEdge& b : second.edges) {
      min = std::min(min, DistanceOfSegments(first.vertices[a.from], first.vertices[a.to],
                                             second.vertices[b.from], second.vertices[b.to]));
    }
  }
  for (const auto& [points, body] : {std::pair{&first, &second}, std::pair{&second, &first}}) {
    for (const Vec3& x : points->vertices) {
      for (const PolyhedronFace& face : body->faces) {
        min = std::min(min, DistanceAboveFace(*body, face, x));
      }
    }
  }
  return min;
}

/// The nearest points of two features at which the distance has a local minimum.
struct CoreMinimum {
  Vec3 on_first, on_second;
};

/// The pairs of features that satisfy the conditions of core_distance.hpp by a margin (narrower
/// tolerances, kInside), so that rounding does not change the list.
class CoreMinima {
 public:
  CoreMinima(const Polyhedron& first, const Polyhedron& second, double angular_tolerance,
             double limit)
      : angular_tolerance_(angular_tolerance), limit_(limit) {
    for (const auto& [points, body] : {std::pair{&first, &second}, std::pair{&second, &first}}) {
      for (std::size_t v = 0; v < points->vertices.size(); ++v) {
        for (std::size_t g = 0; g < body->FeatureOfFace(body->faces.size()); ++g) {
          AddVertex(*points, v, *body, g, points == &first);
        }
      }
    }
    for (std::size_t a = 0; a < first.edges.size(); ++a) {
      for (std::size_t b = 0; b < second.edges.size(); ++b) AddEdges(first, a, second, b);
    }
  }
  const std::vector<CoreMinimum>& All() const { return minima_; }

  /// Whether the distance grows in all directions along a feature of a body, to first order.
  /// @param away  from the nearest point of the other body to the nearest point of the feature
  static bool IsLocalMinimum(const Polyhedron& body, std::size_t feature, const Vec3& away,
                             double angular_tolerance) {
    const auto grows = [&](const Vec3& direction) {
      return direction.dot(away) >= -angular_tolerance * direction.norm() * away.norm();
    };
    const std::size_t edges = body.FeatureOfEdge(0), faces = body.FeatureOfFace(0);
    if (feature >= faces) {
      return body.faces[feature - faces].normal.cross(away).norm() <=
             angular_tolerance * away.norm();
    }
    if (feature >= edges) {
      const PolyhedronEdge& edge = body.edges[feature - edges];
      const Vec3 direction = body.vertices[edge.to] - body.vertices[edge.from];
      return grows(body.faces[edge.left].normal.cross(direction)) &&
             grows(direction.cross(body.faces[edge.right].normal));
    }
    return std::ranges::all_of(body.edges, [&](const PolyhedronEdge& edge) {
      if (edge.from != feature && edge.to != feature) return true;
      const Vec3 direction = body.vertices[edge.to] - body.vertices[edge.from];
      return grows(edge.from == feature ? direction : Vec3(-direction));
    });
  }

 private:
  // Minimum distance from the ends of a feature, relative to its size.
  static constexpr double kInside = 1e-6;

  void AddVertex(const Polyhedron& points, std::size_t v, const Polyhedron& body, std::size_t g,
                 bool is_first) {
    const Vec3 &x = points.vertices[v], foot = ProjectOn(body, g, x), w = x - foot;
    if (!(w.norm() <= limit_) || !IsLocalMinimum(points, v, w, angular_tolerance_)) return;
    if (!IsLocalMinimum(body, g, -w, angular_tolerance_)) return;
    minima_.push_back(is_first ? CoreMinimum{x, foot} : CoreMinimum{foot, x});
  }

  /// The projection of x on a feature if it is inside the feature, else NaN.
  static Vec3 ProjectOn(const Polyhedron& body, std::size_t feature, const Vec3& x) {
    const Vec3 no_point = Vec3::Constant(NAN);
    const std::size_t edges = body.FeatureOfEdge(0), faces = body.FeatureOfFace(0);
    if (feature < edges) return body.vertices[feature];
    if (feature < faces) {
      const PolyhedronEdge& edge = body.edges[feature - edges];
      const Vec3 &p = body.vertices[edge.from], direction = body.vertices[edge.to] - p;
      const double s = (x - p).dot(direction) / direction.squaredNorm();
      return s > kInside && s < 1.0 - kInside ? Vec3(p + s * direction) : no_point;
    }
    const PolyhedronFace& face = body.faces[feature - faces];
    const double height = face.normal.dot(x) - face.offset;
    for (std::size_t k = 0; k < face.corners.size(); ++k) {
      const Vec3& p = body.vertices[face.corners[k]];
      const Vec3 direction = body.vertices[face.corners[(k + 1) % face.corners.size()]] - p;
      if (face.normal.dot(direction.cross(x - p)) < kInside * direction.squaredNorm())
        return no_point;
    }
    return height > 0.0 ? Vec3(x - height * face.normal) : no_point;
  }

  void AddEdges(const Polyhedron& first, std::size_t a, const Polyhedron& second, std::size_t b) {
    // Sine of the angle below which the nearest points of two edges are ill-conditioned.
    constexpr double kParallelEdges = 1e-4;
    const Vec3 &p = first.vertices[first.edges[a].from], &q = second.vertices[second.edges[b].from];
    const Vec3 u = first.vertices[first.edges[a].to] - p,
               v = second.vertices[second.edges[b].to] - q;
    const Vec3 n = u.cross(v);
    if (n.norm() < kParallelEdges * u.norm() * v.norm()) return;
    const double s = (q - p).cross(v).dot(n) / n.squaredNorm();
    const double t = (q - p).cross(u).dot(n) / n.squaredNorm();
    if (std::min(s, t) < kInside || std::max(s, t) > 1.0 - kInside) return;
    const Vec3 x = p + s * u, y = q + t * v;
    if ((x - y).norm() > limit_ ||
        !IsLocalMinimum(first, first.FeatureOfEdge(a), x - y, angular_tolerance_))
      return;
    if (IsLocalMinimum(second, second.FeatureOfEdge(b), y - x, angular_tolerance_))
      minima_.push_back({x, y});
  }

  double angular_tolerance_, limit_;
  std::vector<CoreMinimum> minima_;
};

/// Distance of a point from a vertex, an edge or a face.
inline double DistanceFromFeature(const Polyhedron& body, std::size_t feature, const Vec3& x) {
  const std::size_t edges = body.FeatureOfEdge(0), faces = body.FeatureOfFace(0);
  if (feature < edges) return (x - body.vertices[feature]).norm();
  if (feature < faces) {
    const PolyhedronEdge& edge = body.edges[feature - edges];
    return DistanceFromSegment(x, body.vertices[edge.from], body.vertices[edge.to]);
  }
  const PolyhedronFace& face = body.faces[feature - faces];
  double min = HUGE_VAL;
  bool projects_inside = true;
  for (std::size_t k = 0; k < face.corners.size(); ++k) {
    const Vec3& p = body.vertices[face.corners[k]];
    const Vec3& q = body.vertices[face.corners[(k + 1) % face.corners.size()]];
    min = std::min(min, DistanceFromSegment(x, p, q));
    projects_inside = projects_inside && face.normal.dot((q - p).cross(x - p)) >= 0.0;
  }
  return projects_inside ? std::abs(face.normal.dot(x) - face.offset) : min;
}

/// Distance of two features. One of them is a vertex, or both are edges.
inline double DistanceOfFeatures(const Polyhedron& first, std::size_t a, const Polyhedron& second,
                                 std::size_t b) {
  if (a < first.vertices.size()) return DistanceFromFeature(second, b, first.vertices[a]);
  if (b < second.vertices.size()) return DistanceFromFeature(first, a, second.vertices[b]);
  const PolyhedronEdge& edge_a = first.edges[a - first.vertices.size()];
  const PolyhedronEdge& edge_b = second.edges[b - second.vertices.size()];
  return DistanceOfSegments(first.vertices[edge_a.from], first.vertices[edge_a.to],
                            second.vertices[edge_b.from], second.vertices[edge_b.to]);
}

/// Returns the body after a rotation about the origin and then a displacement.
inline Polyhedron MovePolyhedron(Polyhedron body, const Mat3& rotation, const Vec3& shift) {
  for (Vec3& vertex : body.vertices) vertex = rotation * vertex + shift;
  for (PolyhedronFace& face : body.faces) {
    face.normal = rotation * face.normal;
    face.offset += face.normal.dot(shift);
  }
  return body;
}

}  // namespace scree::test
