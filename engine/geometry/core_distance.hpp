/// \file  The local minima of the distance between two convex cores.
///
/// The cores of touching bodies do not overlap: their distance is the sum of the roundings. It is
/// therefore enough to find distances between vertices, edges and faces. Let w be the vector
/// between the nearest points of two features, from the second core to the first. The pair is a
/// minimum if w is within an angular tolerance of the normals of both features:
///
///     vertex   no edge e of the vertex leads nearer: e⋅w ≥ −kParallel ‖e‖ ‖w‖
///     edge     no adjacent face leads nearer, and the nearest point is not an end
///     face     the nearest point of the other core projects into it
///
/// Without the tolerance two convex bodies would have one minimum. With it, nearly parallel faces,
/// or an edge nearly parallel to a face, have one minimum at each corner of their overlap.
///
/// Most pairs are rejected because they are too far apart along the normal of a face. For the other
/// pairs, a feature is checked only if it is not above any face of the other core by more than the
/// limit. Packets of eight features pass a slightly wider test before the exact one.
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

/// Planes n⋅x = h of eight faces.
struct FacePacket {
  Vector3<Double8> normal;
  Double8 offset;  // from the centre of the body [m]
};

/// Appends the planes of a body's faces. Spare lanes repeat a face.
/// @param normals  in world axes
/// @param scale    factor from lengths of the shape to lengths of the body
void AppendFaces(const Polyhedron& shape, std::span<const Vec3> normals, double scale,
                 std::vector<FacePacket>& packets);

/// The core of a body at its current position: a polyhedron, or the centre of a member sphere.
struct PlacedCore {
  std::span<const Member> vertices;   // relative to the centre of the body [m]
  const Polyhedron* shape = nullptr;  // null: a point
  std::span<const Vec3> normals;      // of its faces
  std::span<const FacePacket> faces;  // planes of its faces
  std::uint16_t number = 0;           // for a point: the number of its member
};

struct CoreContact {
  Vec3 normal;               // from the second to the first
  double distance;           // between the cores; < 0: they overlap by about this [m]
  Vec3 on_first, on_second;  // nearest points, each relative to the centre of its body [m]
  std::uint16_t first = 0, second = 0;                 // feature numbers
  bool is_first_flat = false, is_second_flat = false;  // whether the feature is a face
  bool was_loaded = false;  // whether the contact had an impulse in the last step
};

/// Angular tolerance: angles with a smaller sine count as zero.
inline constexpr double kParallel = 0.1;

struct Edge {
  Vec3 from, direction;  // [m]
};
struct EdgePair {
  Vec3 on_first, on_second;  // [m]
};

/// Finds the nearest points of two edges; none unless each is between the ends of its edge and
/// their distance is within the limit [m]. If the edges are nearly parallel (to 1e-6), the points
/// must also be nearer to each other than each end is to the other edge.
std::optional<EdgePair> NearestInside(const Edge& first, const Edge& second, double limit);

class CoreDistance {
 public:
  /// Finds all minima of the distance up to `limit`. Of coinciding minima only the nearest is kept.
  /// If they are equally near, the first kind in the order vertex-face, edge-edge, vertex-edge,
  /// vertex-vertex is kept. Cores that overlap have one contact of negative distance.
  /// @param separation    from the centre of the second body to that of the first [m]
  /// @param limit         largest distance > 0 [m]
  /// @param rounding_sum  sum of the roundings. Minima closer together than a quarter of this sum
  ///                      coincide [m]
  /// @returns the minima; valid until the next call
  std::span<CoreContact> FindMinima(const PlacedCore& first, const PlacedCore& second,
                                    const Vec3& separation, double limit, double rounding_sum);

 private:
  struct EdgePacket {
    Vector3<Double8> from, direction;
  };
  /// A core, with positions relative to the centre of the first body, and its features that may be
  /// within the limit of the other core. `along_normals`, `beyond` and `above` have one entry per
  /// vertex for each packet of the other core's faces, ordered by packet.
  struct Side {
    const PlacedCore* core = nullptr;
    Vec3 shift = Vec3::Zero();  // of the centre of the body [m]
    // n⋅x of the vertices, with x relative to the centre of their own body [m].
    std::vector<Double8> along_normals;
    // Masks of the faces in a packet: the vertex is above them by more than the limit, or at all.
    std::vector<std::uint8_t> beyond, above;
    std::vector<std::uint16_t> vertices;  // near vertices
    std::vector<Vector3<Double8>> vertex_packets;
    std::vector<std::uint16_t> edges;  // near edges
    std::vector<EdgePacket> edge_packets;

    Vec3 PositionOf(std::size_t v) const { return core->vertices[v].centre + shift; }
    std::span<const PolyhedronEdge> Edges() const;
    std::span<const PolyhedronFace> Faces() const;
    std::uint16_t FeatureOfVertex(std::size_t v) const;
    double MinProjection(const Vec3& axis) const;
    void MarkBeyond(const Side& other, const Vec3& from, double limit);
    void MarkBeyond(const Vec3& axis, double max);
    void PackNear();
    void AddVertex(std::size_t v);
    void AddEdge(std::size_t e);
    bool IsInVertexCone(std::size_t v, const Vec3& away) const;
    bool IsInEdgeCone(const PolyhedronEdge& edge, const Vec3& away) const;
  };
  struct Point {
    Vec3 position;
    std::uint16_t feature;
    bool is_flat = false;
  };

  bool FindSeparatingAxis();
  bool TestCentreAxis();
  bool TestFaceAxes(Side& side, const Side& other);
  void TestVertexFaces(const Side& side, const Side& other);
  void TestVertexFace(const Side& side, std::size_t v, const Vec3& x, const Side& other,
                      std::size_t f);
  bool ProjectsIntoFace(const Side& side, std::size_t f, const Vec3& x, Vec3& foot) const;
  void TestEdgeEdges();
  void TestEdgeEdge(std::size_t k, std::size_t l);
  unsigned NearEdgeMask(const Vec3& p, const Vec3& u, const EdgePacket& packet) const;
  void TestVertexEdges(const Side& side, const Side& other);
  void TestVertexVertices();
  void Add(const Side& side, const Point& own_point, const Point& other_point);
  void MergeCoincident();
  bool AreOverlapping() const;
  bool IsSeparatedByEdges() const;

  Side first_, second_;
  Vec3 separation_ = Vec3::Zero(), axis_ = Vec3::UnitZ();
  double limit_ = 0.0, merge_distance_ = 0.0;
  double low_ = 0.0, high_ = 0.0;  // along axis_: lower end of the first core, upper of the second
  std::vector<CoreContact> minima_;
  std::vector<std::uint8_t> states_;  // of each minimum; scratch of MergeCoincident
};

/// Keeps at most four contacts between two bodies: the deepest contact, the contact farthest from
/// it, and on each side of the line between these two the contact farthest from the line. Contacts
/// that were loaded are preferred if others are hardly better. Otherwise a stack of cylinders would
/// rest on other corners in each step, whose impulses start from zero, and would shake.
/// @returns the kept contacts, which are moved to the front
std::span<CoreContact> ReduceManifold(std::span<CoreContact> contacts);

}  // namespace scree
