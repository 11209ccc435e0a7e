/// \file  A surface of triangles: where a sphere touches its faces, edges and vertices.
///
/// A sphere at x touches the surface at the local minima of the distance from x: the foot of the
/// perpendicular on a face, on an edge, or a vertex. Each belongs to one feature (face, edge,
/// vertex): an edge that two triangles share counts once, and not at all where they lie in a plane.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "engine/geometry/shapes.hpp"
#include "engine/geometry/triangle_tree.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// A point where a sphere might touch.
struct MeshPoint {
  Index feature = 0;      // faces first, then edges, then vertices
  double distance = 0.0;  // from x, < 0 if x is inside the solid [m]
  Vec3 normal = Vec3::UnitZ();
};

/// Memory of queries, and the answer of the last one.
struct MeshQuery {
  std::vector<MeshPoint> places;  // by feature

  struct Near {
    Index triangle;
    double distance;
  };
  std::vector<Index> found;  // triangles of a search
  std::vector<Near> near;    // triangles within reach
  std::vector<Vec3> feet;    // of the places
};

/// Leaves out triangles whose corners coincide or lie on a line, which TriangleMesh refuses.
/// @returns how many
std::size_t DropDegenerate(std::vector<Triangle>& triangles);

class TriangleMesh {
 public:
  /// @param triangles  [m]; corners closer than 1e-7 of the extent become one
  /// @throws InputError if there are none, one is degenerate, or, unless it is a sheet, the surface
  ///         is not closed, not oriented alike everywhere, or inside out
  TriangleMesh(std::span<const Triangle> triangles, MeshSolid solid);

  /// Sets query.places to the places nearer than `limit` that are not hidden behind other
  /// triangles.
  void FindPoints(const Vec3& x, double limit, MeshQuery& query) const;

  /// The same from these triangles alone, which are all that are within the limit, and any others.
  void FindPoints(const Vec3& x, double limit, std::span<const Index> triangles,
                  MeshQuery& query) const;
  /// Appends all triangles within the limit, each once.
  void AppendNear(const Vec3& x, double limit, std::vector<Index>& triangles) const;

  /// Whether a touch of something else at `place` is no contact because of this surface: one of
  /// its triangles nearer to x than `limit` contains the point, up to the tolerance, or hides it.
  bool Covers(const Vec3& x, const Vec3& place, double limit, double tolerance,
              MeshQuery& query) const;

  /// The nearest place of all, or nothing (at infinity) if it is farther than `limit`.
  SurfacePoint Nearest(const Vec3& x, double limit) const;

  /// Edges of these triangles where the surface is not flat, and their ends: features, ascending,
  /// each once.
  void FindSharpFeatures(std::span<const Index> triangles, std::vector<Index>& features) const;
  bool IsFace(Index feature) const { return feature < FirstEdge(); }
  bool IsVertex(Index feature) const { return feature >= FirstVertex(); }
  const Vec3& VertexPosition(Index vertex) const {
    return vertices_[static_cast<std::size_t>(vertex - FirstVertex())];
  }
  std::array<Vec3, 2> EndsOf(Index edge) const {
    const auto& ends = edges_[static_cast<std::size_t>(edge - FirstEdge())].ends;
    return {VertexPosition(FirstVertex() + ends[0]), VertexPosition(FirstVertex() + ends[1])};
  }
  /// Whether no place of the surface around one on an edge or a vertex is nearer to x.
  /// @param tolerance  sine of the angle by which it may lead there
  bool IsLeast(Index feature, const Vec3& place, const Vec3& x, double tolerance) const;
  /// The point of an edge or a vertex nearest to x.
  Vec3 NearestOn(Index feature, const Vec3& x) const;
  /// Whether the triangle is no farther from the place than that.
  bool Holds(Index triangle, const Vec3& place, double tolerance) const;
  /// That of the triangles at an edge whose normal, or of a sheet the opposite, is nearest to n;
  /// zero for a vertex.
  Vec3 FaceNormalAt(Index feature, const Vec3& n) const;
  /// Whether a face is the feature, or the feature is an edge or a vertex of it.
  bool Has(Index triangle, Index feature) const;
  /// Coordinates in single precision, as files have them, are rounded by up to this [m].
  double Resolution() const { return resolution_; }
  /// A place as x sees it.
  SurfacePoint SurfacePointFrom(Index feature, const Vec3& place, const Vec3& x) const;

  bool IsSheet() const { return is_sheet_; }
  /// Number of features.
  Index Features() const {
    return static_cast<Index>(corners_.size() + edges_.size() + vertices_.size());
  }
  Box Bounds() const { return tree_.Bounds(); }

  const std::vector<Vec3>& Vertices() const { return vertices_; }
  /// Vertices of the triangles.
  const std::vector<std::array<Index, 3>>& Corners() const { return corners_; }

 private:
  using Corner3 = std::array<Index, 3>;
  /// Foot of a point on a triangle, and where it is.
  struct Foot {
    Vec3 place;
    Index feature;
    double squared;  // distance [m²]
  };
  struct Edge {
    std::array<Index, 2> ends;    // vertices, the lesser first
    Index first_side, last_side;  // its triangles: sides_[first_side] .. sides_[last_side - 1]
  };
  /// A triangle at an edge.
  struct Side {
    Index triangle;
    bool along;   // it runs through the edge from the lesser vertex to the greater
    Vec3 inward;  // unit vector from the edge into the triangle
  };

  /// A triangle as it is looked at.
  struct TriangleFrame {
    std::array<Vec3, 3> corner;
    Vec3 normal;                 // unit vector
    std::array<Vec3, 3> inward;  // unit vectors from the edge at corner k into the triangle
  };
  /// Where a point is as a plate sees it.
  struct LocalPoint {
    double height;             // above the plane [m]
    std::array<double, 3> in;  // from the edges inwards, along the plane [m]
    double least;              // squared: no place of the triangle is nearer [m²]
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

  LocalPoint LocalPointOf(const TriangleFrame& plate, const Vec3& x) const;
  Foot ProjectOn(Index triangle, const LocalPoint& over, const Vec3& x) const;
  bool Occludes(Index triangle, const Vec3& x, const Vec3& place) const;
  void AddPlacesOf(Index triangle, const Vec3& x, double squared_limit, MeshQuery& query) const;
  void Finish(const Vec3& x, MeshQuery& query) const;
  void Sort(MeshQuery& query) const;
  void DropOccluded(const Vec3& x, MeshQuery& query) const;
  void DropInside(MeshQuery& query) const;
  const Vec3& NormalOf(Index feature) const { return normals_[static_cast<std::size_t>(feature)]; }
  std::string Describe(const Edge& edge) const;

  bool is_sheet_;
  double resolution_ = 0.0;  // [m]
  std::vector<Vec3> vertices_;
  std::vector<Corner3> corners_;       // of each triangle
  std::vector<TriangleFrame> plates_;  // the triangles
  std::vector<Corner3> edge_of_;       // of each triangle: from corner k to the next
  std::vector<Edge> edges_;
  std::vector<Side> sides_;
  std::vector<Index> first_neighbour_;  // of each vertex, and the end
  std::vector<Index> neighbours_;       // vertices that share an edge with it
  std::vector<Vec3> normals_;           // of all features, unit vectors
  TriangleTree tree_;
};

}  // namespace scree
