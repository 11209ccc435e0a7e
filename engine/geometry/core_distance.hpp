/// \file  Where two convex cores are near each other: the local minima of their distance.
///
/// Cores of bodies that touch are apart (by the sum of their roundings), so that all that is needed
/// is distances of vertices, edges and faces. A pair of features counts whose difference w, from
/// the second core to the first, is along the normals of both, to an angular tolerance:
///
///     vertex   no edge leads nearer by more than the tolerance: e⋅w ≥ −tan ‖e‖ ‖w‖
///     edge     no adjacent face does, and the nearest point is not an end
///     face     the other's nearest point projects into it
///
/// With no tolerance convex bodies would have one minimum; with it faces, or an edge and a face,
/// that are nearly parallel have one at each corner of their overlap.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/geometry/clump_shape.hpp"
#include "engine/geometry/polyhedron.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// The core of a body at its place: a polyhedron, or the centre of a member sphere.
struct PlacedCore {
  std::span<const Member> vertices;   // centres from that of the body [m]
  const Polyhedron* shape = nullptr;  // null: a point
  std::span<const Vec3> normals;      // of its faces
  std::uint16_t number = 0;           // of a point: of its member
};

struct CoreContact {
  Vec3 normal;                          // from the second to the first
  double distance;                      // of the cores; < 0: they overlap by about this [m]
  Vec3 on_first, on_second;             // the nearest points, each from the centre of its body [m]
  std::uint16_t first = 0, second = 0;  // features
  bool is_flat_first = false, is_flat_second = false;  // whether these are faces
};

/// Sines of angles below this count as none.
inline constexpr double kParallel = 0.1;

class CoreDistance {
 public:
  /// All minima up to a distance. Of some that coincide the nearest is kept, of equally near ones
  /// that with the lower kind of the order vertex-face, edge-edge, vertex-edge, vertex-vertex.
  /// Cores that overlap have one contact of negative distance.
  /// @param apart    from the centre of the second body to that of the first [m]
  /// @param limit    > 0 [m]
  /// @param touches  of cores that touch: the sum of the roundings; minima that are nearer to each
  ///                 other than a quarter of it coincide [m]
  /// @returns them, until the next call
  std::span<CoreContact> Between(const PlacedCore& first, const PlacedCore& second,
                                 const Vec3& apart, double limit, double touches);

 private:
  /// A core in axes through the first body's centre.
  struct Side {
    const PlacedCore* core = nullptr;
    std::vector<Vec3> at;            // vertices
    std::vector<std::uint8_t> near;  // 1: it may be within the limit of the other core

    std::span<const PolyhedronEdge> Edges() const;
    std::span<const PolyhedronFace> Faces() const;
    bool IsNear(const PolyhedronEdge& edge) const { return (near[edge.from] | near[edge.to]) != 0; }
    std::uint16_t FeatureOfVertex(std::size_t v) const;
    bool HoldsVertex(std::size_t v, const Vec3& away) const;
    bool HoldsEdge(const PolyhedronEdge& edge, const Vec3& away) const;
  };
  struct Point {
    Vec3 at;
    std::uint16_t feature;
    bool is_flat = false;
  };

  void Place(const PlacedCore& core, const Vec3& at, Side& side);
  bool FindAxis();
  void TryAxis(const Vec3& axis, double low, double high);
  void MarkNear();
  void VertexFaces(const Side& side, const Side& other);
  void EdgeEdges();
  void VertexEdges(const Side& side, const Side& other);
  void VertexVertices();
  void Add(const Side& side, const Point& its, const Point& others);
  bool Overlap() const;
  bool IsSeparatedByEdges() const;

  Side first_, second_;
  Vec3 apart_ = Vec3::Zero(), axis_ = Vec3::UnitZ();
  double limit_ = 0.0, merge_ = 0.0;
  double low_ = 0.0, high_ = 0.0;  // of the first and the second along the axis
  std::vector<CoreContact> found_;
};

/// Keeps at most four of contacts between two bodies: the deepest, the farthest from it, and those
/// that span the greatest area with these on either side.
/// @returns those, at the front
std::span<CoreContact> KeepFour(std::span<CoreContact> contacts);

}  // namespace scree
