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
///
/// Most pairs end at a normal of a face along which they are too far apart. Of the others only what
/// no face of the other core is too far from is looked at, eight features at a time by conditions
/// that are a little wider than those that decide.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/geometry/clump_shape.hpp"
#include "engine/geometry/polyhedron.hpp"
#include "solvers/base/types.hpp"
#include "solvers/one_contact/sphere_contact.hpp"
#include "solvers/simd/simd.hpp"

namespace scree {

/// Planes of eight faces, n⋅x = h.
struct FacePacket {
  Vector3<Double8> normal;
  Double8 offset;  // from the centre of the body [m]
};

/// Appends the planes of a body's faces; spare lanes repeat one.
/// @param normals  in world axes
/// @param scale    of the shape's lengths
void AppendFaces(const Polyhedron& shape, std::span<const Vec3> normals, double scale,
                 std::vector<FacePacket>& packets);

/// The core of a body at its place: a polyhedron, or the centre of a member sphere.
struct PlacedCore {
  std::span<const Member> vertices;   // centres from that of the body [m]
  const Polyhedron* shape = nullptr;  // null: a point
  std::span<const Vec3> normals;      // of its faces
  std::span<const FacePacket> faces;  // the same, and their planes
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

struct Edge {
  Vec3 from, along;  // [m]
};
struct EdgePair {
  Vec3 on_one, on_other;  // [m]
};

/// The nearest points of two edges if both are between the ends, and within the limit. Edges that
/// are parallel, to 1e-6, have them only if they are nearer there than at their ends.
std::optional<EdgePair> NearestInside(const Edge& one, const Edge& other, double limit);

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
  struct EdgePacket {
    Vector3<Double8> from, along;
  };
  /// A core in axes through the first body's centre, and what of it may be within the limit of the
  /// other one. `along_normals`, `beyond` and `above` are of all vertices, packet after packet of
  /// the other's faces.
  struct Side {
    const PlacedCore* core = nullptr;
    Vec3 shift = Vec3::Zero();                  // of the body's centre [m]
    std::vector<Double8> along_normals;         // n⋅x from the own centre [m]
    std::vector<std::uint8_t> beyond, above;    // faces over which it is beyond the limit; at all
    std::vector<std::uint16_t> vertices;        // near ones, ...
    std::vector<Vector3<Double8>> vertices_at;  // ... eight at a time
    std::vector<std::uint16_t> edges;           // near ones, ...
    std::vector<EdgePacket> edges_at;

    Vec3 At(std::size_t v) const { return core->vertices[v].centre + shift; }
    std::span<const PolyhedronEdge> Edges() const;
    std::span<const PolyhedronFace> Faces() const;
    std::uint16_t FeatureOfVertex(std::size_t v) const;
    double Least(const Vec3& axis) const;
    void MarkNear(const Side& other, const Vec3& from, double limit);
    void MarkNear(const Vec3& axis, double most);
    void Gather();
    void AddVertex(std::size_t v);
    void AddEdge(std::size_t e);
    bool IsInVertexCone(std::size_t v, const Vec3& away) const;
    bool IsInEdgeCone(const PolyhedronEdge& edge, const Vec3& away) const;
  };
  struct Point {
    Vec3 at;
    std::uint16_t feature;
    bool is_flat = false;
  };

  bool FindSeparatingAxis();
  bool TestCentreAxis();
  bool TestFaceAxes(Side& side, const Side& other);
  void VertexFaces(const Side& side, const Side& other);
  void VertexFace(const Side& side, std::size_t v, const Vec3& x, const Side& other, std::size_t f);
  bool ProjectsIntoFace(const Side& side, std::size_t f, const Vec3& x, Vec3& foot) const;
  void EdgeEdges();
  void EdgeEdge(std::size_t k, std::size_t l);
  unsigned NearEdges(const Vec3& p, const Vec3& u, const EdgePacket& eight) const;
  void VertexEdges(const Side& side, const Side& other);
  void VertexVertices();
  void Add(const Side& side, const Point& its, const Point& others);
  void MergeCoincident();
  bool Overlap() const;
  bool IsSeparatedByEdges() const;

  Side first_, second_;
  Vec3 apart_ = Vec3::Zero(), axis_ = Vec3::UnitZ();
  double limit_ = 0.0, merge_ = 0.0;
  double low_ = 0.0, high_ = 0.0;  // of the first and the second along the axis
  std::vector<CoreContact> found_;
  std::vector<std::uint8_t> fate_;  // of each: scratch of MergeCoincident
};

/// Keeps at most four of contacts between two bodies: the deepest, the farthest from it, and those
/// that span the greatest area with these on either side.
/// @returns those, at the front
std::span<CoreContact> ReduceManifold(std::span<CoreContact> contacts);

}  // namespace scree
