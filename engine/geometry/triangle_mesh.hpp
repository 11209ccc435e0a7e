/// \file  A surface of triangles and the points where a sphere touches its faces, edges and
///        vertices.
///
/// A sphere at x touches the surface at the local minima of the distance from x. A minimum is the
/// foot of the perpendicular on a face or an edge, or it is a vertex. Each minimum belongs to one
/// feature (face, edge, vertex). An edge that two triangles share counts once, or not at all if the
/// triangles are coplanar.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "engine/geometry/shapes.hpp"
#include "engine/geometry/triangle_tree.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// A point where a sphere at x may touch.
struct MeshPoint {
  Index feature = 0;      // faces first, then edges, then vertices
  double distance = 0.0;  // from x, < 0 if x is inside the solid [m]
  Vec3 normal = Vec3::UnitZ();
};

/// Scratch memory of queries, and the result of the last query.
struct MeshQuery {
  std::vector<MeshPoint> points;  // sorted by feature

  struct NearTriangle {
    Index triangle;
    double distance;
  };
  std::vector<Index> found;                  // result of a search for near triangles
  std::vector<NearTriangle> near_triangles;  // triangles within the limit
  std::vector<Vec3> feet;                    // surface points of `points` [m]
};

/// Removes triangles whose corners coincide or are collinear, which TriangleMesh rejects.
/// @returns the number of removed triangles
std::size_t DropDegenerate(std::vector<Triangle>& triangles);

class TriangleMesh {
 public:
  /// @param triangles  [m]; corners closer than 1e-7 of the extent are merged
  /// @throws InputError if there are no triangles, if a triangle is degenerate, or if a surface
  ///         other than a sheet is open, inconsistently oriented, or inside out
  TriangleMesh(std::span<const Triangle> triangles, MeshSolid solid);

  /// Sets query.points to the minima nearer than `limit` that other triangles do not occlude.
  void FindPoints(const Vec3& x, double limit, MeshQuery& query) const;

  /// As above, with only the given triangles, which must include all triangles within the limit.
  void FindPoints(const Vec3& x, double limit, std::span<const Index> triangles,
                  MeshQuery& query) const;
  /// Appends each triangle within the limit once, and possibly some that are farther away.
  void AppendNear(const Vec3& x, double limit, std::vector<Index>& triangles) const;

  /// Whether this surface covers a contact with another object at `point`: a triangle nearer to x
  /// than `limit` contains `point`, up to the tolerance, or is between x and `point`.
  bool Covers(const Vec3& x, const Vec3& point, double limit, double tolerance,
              MeshQuery& query) const;

  /// The nearest point of the surface; at infinite distance if it is farther than `limit`.
  SurfacePoint Nearest(const Vec3& x, double limit) const;

  /// Finds the edges of these triangles where the surface is not flat, and the ends of these edges.
  /// @param features  set to their feature numbers, ascending, without duplicates
  void FindSharpFeatures(std::span<const Index> triangles, std::vector<Index>& features) const;
  bool IsFace(Index feature) const { return feature < FirstEdge(); }
  bool IsVertex(Index feature) const { return feature >= FirstVertex(); }
  const Vec3& VertexPosition(Index feature) const {
    return vertices_[static_cast<std::size_t>(feature - FirstVertex())];
  }
  std::array<Vec3, 2> EndsOf(Index feature) const {
    const auto& ends = edges_[static_cast<std::size_t>(feature - FirstEdge())].ends;
    return {VertexPosition(FirstVertex() + ends[0]), VertexPosition(FirstVertex() + ends[1])};
  }
  /// Whether `point`, on an edge or a vertex, is a local minimum of the distance from x.
  /// @param tolerance  sine of the largest angle at which the surface may approach x
  bool IsLocalMinimum(Index feature, const Vec3& point, const Vec3& x, double tolerance) const;
  /// The point of an edge or a vertex nearest to x.
  Vec3 NearestOn(Index feature, const Vec3& x) const;
  /// Whether `point` is within `tolerance` of the triangle.
  bool Contains(Index triangle, const Vec3& point, double tolerance) const;
  /// For a face, its normal. For an edge, among its triangles' normals the one nearest to n; a
  /// sheet has normals to both sides. For a vertex, zero.
  Vec3 FaceNormalAt(Index feature, const Vec3& n) const;
  /// Whether the feature is this triangle's face, one of its edges or one of its vertices.
  bool HasFeature(Index triangle, Index feature) const;
  /// Rounding error of coordinates in single precision, as stored in files [m].
  double Resolution() const { return resolution_; }
  /// Distance and normal at `point`, the surface point of this feature nearest to x.
  SurfacePoint SurfacePointFrom(Index feature, const Vec3& point, const Vec3& x) const;

  bool IsSheet() const { return is_sheet_; }
  Index Features() const {
    return static_cast<Index>(corners_.size() + edges_.size() + vertices_.size());
  }
  Box Bounds() const { return tree_.Bounds(); }

  const std::vector<Vec3>& Vertices() const { return vertices_; }
  /// Vertex indices of each triangle.
  const std::vector<std::array<Index, 3>>& Corners() const { return corners_; }

 private:
  using Corner3 = std::array<Index, 3>;
  /// Nearest point of a triangle, and the feature on which it lies.
  struct Projection {
    Vec3 point;
    Index feature;
    double squared_distance;  // [m²]
  };
  struct Edge {
    std::array<Index, 2> ends;    // vertices, the smaller index first
    Index first_side, last_side;  // sides_[first_side] .. sides_[last_side - 1] belong to the edge
  };
  /// A triangle next to an edge.
  struct Side {
    Index triangle;
    bool is_along;  // the triangle's corners traverse the edge from ends[0] to ends[1]
    Vec3 inward;    // unit vector from the edge into the triangle
  };

  /// Precomputed data of a triangle for distance queries.
  struct TriangleFrame {
    std::array<Vec3, 3> corner;
    Vec3 normal;                 // unit vector
    std::array<Vec3, 3> inward;  // unit vectors from the edge at corner k into the triangle
  };
  /// Coordinates of a point relative to a triangle.
  struct LocalPoint {
    double height;                 // above the plane [m]
    std::array<double, 3> inward;  // distance inwards from each edge, in the plane [m]
    double min_squared;            // lower bound of the squared distance from the triangle [m²]
  };

  const Vec3& VertexOf(Index triangle, int corner) const {
    return vertices_[static_cast<std::size_t>(
        corners_[static_cast<std::size_t>(triangle)][static_cast<std::size_t>(corner)])];
  }
  Index FirstEdge() const { return static_cast<Index>(corners_.size()); }
  Index FirstVertex() const { return static_cast<Index>(corners_.size() + edges_.size()); }

  void Weld(std::span<const Triangle> triangles);
  void RequireArea() const;
  void FindEdges();
  void FindNeighbours();
  void FindNormals();
  void RequireSolid(MeshSolid solid) const;

  LocalPoint LocalPointOf(const TriangleFrame& frame, const Vec3& x) const;
  Projection ProjectOn(Index triangle, const LocalPoint& local, const Vec3& x) const;
  bool Occludes(Index triangle, const Vec3& x, const Vec3& point) const;
  void AddPointsOf(Index triangle, const Vec3& x, double squared_limit, MeshQuery& query) const;
  void Finish(const Vec3& x, MeshQuery& query) const;
  void Sort(MeshQuery& query) const;
  void DropOccluded(const Vec3& x, MeshQuery& query) const;
  void DropInside(MeshQuery& query) const;
  const Vec3& NormalOf(Index feature) const { return normals_[static_cast<std::size_t>(feature)]; }
  std::string Describe(const Edge& edge) const;

  bool is_sheet_;
  double resolution_ = 0.0;  // [m]
  std::vector<Vec3> vertices_;
  std::vector<Corner3> corners_;       // vertices of each triangle
  std::vector<TriangleFrame> frames_;  // one per triangle
  std::vector<Corner3> edge_of_;       // of each triangle: the edge from corner k to the next
  std::vector<Edge> edges_;
  std::vector<Side> sides_;
  std::vector<Index> first_neighbour_;  // index in neighbours_ for each vertex; last: the total
  std::vector<Index> neighbours_;  // of each vertex in turn: vertices that share an edge with it
  std::vector<Vec3> normals_;      // unit normals of all features
  TriangleTree tree_;
};

}  // namespace scree
