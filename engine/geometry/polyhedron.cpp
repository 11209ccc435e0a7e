#include "engine/geometry/polyhedron.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// Tolerances as fractions of the extent. Points nearer to a plane or a line than the tolerance
/// count as points of it. Points nearer to each other than the tolerance are merged. A chain of
/// neighbouring points may bend out of any plane. Faces then overlap, and the next tolerance is
/// tried.
constexpr std::array<double, 3> kInputTolerances = {1e-6, 1e-8, 1e-10};
/// The tolerances for points that are exact to rounding.
constexpr std::array<double, 6> kExactTolerances = {1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8};
constexpr std::size_t kMaxVertices = 500;

/// An axis through two points of the hull, and the outward normal of a plane that contains the axis
/// and touches the hull.
struct Hinge {
  Vec3 point, axis, normal;  // axis and normal: unit vectors at a right angle
};

class GiftWrapping {
 public:
  GiftWrapping(std::vector<Vec3> points, double tolerance)
      : points_(std::move(points)), tolerance_(tolerance) {}

  /// @returns nothing if faces overlap or have no area
  std::optional<Polyhedron> Run() {
    AddFace(FirstNormal());
    // The edges of each face are hinges of its neighbours. faces_ grows in this loop.
    for (std::size_t face = 0; face < faces_.size() && !failed_; ++face) {
      if (faces_.size() > 2 * kMaxVertices) ThrowTooManyVertices();
      const std::vector<std::uint16_t> loop = faces_[face].corners;
      for (std::size_t k = 0; k < loop.size(); ++k) {
        const std::uint16_t from = loop[k], to = loop[(k + 1) % loop.size()];
        if (left_face_.contains({to, from})) continue;
        const Vec3 axis = (points_[to] - points_[from]).normalized();
        AddFace(RotateAbout({points_[from], axis, faces_[face].normal}));
      }
    }
    if (failed_) return {};
    Polyhedron hull = MakePolyhedron();
    if (failed_) return {};
    if (hull.vertices.size() > kMaxVertices) ThrowTooManyVertices();
    return hull;
  }

 private:
  [[noreturn]] static void ThrowTooManyVertices() {
    throw InputError(Text("has a hull of more than ", kMaxVertices,
                          " vertices; expected fewer: use a coarser mesh"));
  }

  /// Rotates the plane about the axis until it reaches a point, and returns its normal. The vector
  /// `out` lies in the plane and points away from the face. The point that is reached first has the
  /// smallest angle from `out` towards −n.
  Vec3 RotateAbout(const Hinge& hinge) const {
    const Vec3 out = hinge.axis.cross(hinge.normal);
    double min = HUGE_VAL;
    Vec3 normal = hinge.normal;
    for (const Vec3& point : points_) {
      const Vec3 arm = point - hinge.point;
      const double a = arm.dot(out), b = -arm.dot(hinge.normal);
      const double distance = std::hypot(a, b);  // from the axis
      if (distance <= tolerance_) continue;
      const double angle = std::atan2(b, a);
      if (angle >= min || angle < -0.5) continue;
      min = angle;
      normal = (b * out + a * hinge.normal) / distance;
    }
    return normal;
  }

  /// Normal of a first face. The plane starts at the point with the smallest x and rotates until it
  /// reaches a second point, then about the line through both points.
  Vec3 FirstNormal() const {
    const auto lowest = std::ranges::min_element(
        points_, [](const Vec3& p, const Vec3& q) { return p.x() < q.x(); });
    const Vec3 tilted = RotateAbout({*lowest, Vec3::UnitY(), -Vec3::UnitX()});
    const std::vector<std::uint16_t> in_plane = HighestPoints(tilted);
    const Vec3& start = points_[in_plane.front()];
    Vec3 direction = Vec3::Zero();
    for (const std::uint16_t other : in_plane) {
      if ((points_[other] - start).squaredNorm() > direction.squaredNorm())
        direction = points_[other] - start;
    }
    return RotateAbout({start, (direction - direction.dot(tilted) * tilted).normalized(), tilted});
  }

  std::vector<std::uint16_t> HighestPoints(const Vec3& normal) const {
    double top = -HUGE_VAL;
    for (const Vec3& point : points_) top = std::max(top, normal.dot(point));
    std::vector<std::uint16_t> highest;
    for (std::size_t k = 0; k < points_.size(); ++k) {
      if (normal.dot(points_[k]) >= top - tolerance_)
        highest.push_back(static_cast<std::uint16_t>(k));
    }
    return highest;
  }

  /// @param direction  approximate normal of the face
  void AddFace(const Vec3& direction) {
    PolyhedronFace face;
    face.corners = FindLoop(HighestPoints(direction), direction);
    const std::size_t count = face.corners.size();
    failed_ = failed_ || count < 3;
    if (failed_) return;
    // Newell's normal of all corners.
    Vec3 normal = Vec3::Zero(), sum = Vec3::Zero();
    const Vec3& origin = points_[face.corners[0]];
    for (std::size_t k = 0; k < count; ++k) {
      const Vec3 &p = points_[face.corners[k]], &q = points_[face.corners[(k + 1) % count]];
      normal += (p - origin).cross(q - origin);
      sum += p;
    }
    face.normal = normal.normalized();
    face.offset = face.normal.dot(sum) / static_cast<double>(count);
    for (std::size_t k = 0; k < count; ++k) {
      const auto added = left_face_.insert({{face.corners[k], face.corners[(k + 1) % count]},
                                            static_cast<std::uint16_t>(faces_.size())});
      failed_ = failed_ || !added.second;
    }
    faces_.push_back(std::move(face));
  }

  /// Finds the convex hull of points in a plane, counterclockwise about the normal (A. M. Andrew,
  /// Inf. Process. Lett. 9 (1979) 216). Points on the sides are left out.
  std::vector<std::uint16_t> FindLoop(std::vector<std::uint16_t> in_plane,
                                      const Vec3& normal) const {
    const Vec3 u = normal.unitOrthogonal(), v = normal.cross(u);
    const auto project = [&](std::uint16_t k) {
      return Eigen::Vector2d(u.dot(points_[k]), v.dot(points_[k]));
    };
    std::ranges::sort(in_plane, [&](std::uint16_t k, std::uint16_t l) {
      const Eigen::Vector2d p = project(k), q = project(l);
      return p.x() < q.x() || (p.x() == q.x() && p.y() < q.y());
    });
    std::vector<std::uint16_t> loop;
    const auto add_half = [&](auto begin, auto end) {
      const std::size_t first = loop.size();
      for (auto k = begin; k != end; ++k) {
        while (loop.size() >= first + 2) {
          const Eigen::Vector2d last = project(loop[loop.size() - 2]), side = project(*k) - last;
          const Eigen::Vector2d middle = project(loop.back()) - last;
          if (middle.x() * side.y() - middle.y() * side.x() > tolerance_ * side.norm()) break;
          loop.pop_back();
        }
        loop.push_back(*k);
      }
      loop.pop_back();  // the last point is the first one of the other half
    };
    add_half(in_plane.begin(), in_plane.end());
    add_half(in_plane.rbegin(), in_plane.rend());
    return loop;
  }

  Polyhedron MakePolyhedron() {
    Polyhedron hull;
    std::vector<int> number(points_.size(), -1);
    for (PolyhedronFace& face : faces_) {
      for (std::uint16_t& corner : face.corners) {
        int& index = number[corner];
        if (index < 0) {
          index = static_cast<int>(hull.vertices.size());
          hull.vertices.push_back(points_[corner]);
        }
        corner = static_cast<std::uint16_t>(index);
      }
    }
    for (const auto& [ends, left] : left_face_) {
      const auto other = left_face_.find({ends.second, ends.first});
      failed_ = failed_ || other == left_face_.end();
      if (failed_ || ends.first > ends.second) continue;
      hull.edges.push_back({static_cast<std::uint16_t>(number[ends.first]),
                            static_cast<std::uint16_t>(number[ends.second]), left, other->second});
    }
    hull.faces = std::move(faces_);
    failed_ = failed_ || hull.vertices.size() + hull.faces.size() != hull.edges.size() + 2;
    return hull;
  }

  std::vector<Vec3> points_;
  double tolerance_;     // [m]
  bool failed_ = false;  // a face has no area, or an edge has other than two faces
  std::vector<PolyhedronFace> faces_;
  std::map<std::pair<std::uint16_t, std::uint16_t>, std::uint16_t>
      left_face_;  // of each edge (from, to)
};

std::vector<Vec3> MergeCopies(std::span<const Vec3> points, double tolerance) {
  std::vector<Vec3> kept;
  for (const Vec3& point : points) {
    const auto is_copy = [&](const Vec3& other) { return (other - point).norm() <= tolerance; };
    if (std::ranges::none_of(kept, is_copy)) kept.push_back(point);
  }
  return kept;
}

/// Whether the points are coplanar or collinear, to the tolerance.
bool AreCoplanar(const std::vector<Vec3>& points, double tolerance) {
  const auto farthest = [&](auto&& distance) {
    return *std::ranges::max_element(
        points, [&](const Vec3& p, const Vec3& q) { return distance(p) < distance(q); });
  };
  const Vec3 p = points[0];
  const Vec3 q = farthest([&](const Vec3& x) { return (x - p).norm(); });
  const Vec3 direction = (q - p).normalized();
  const Vec3 r = farthest([&](const Vec3& x) { return direction.cross(x - p).norm(); });
  if (direction.cross(r - p).norm() <= tolerance) return true;
  const Vec3 normal = direction.cross(r - p).normalized();
  return std::ranges::all_of(
      points, [&](const Vec3& x) { return std::abs(normal.dot(x - p)) <= tolerance; });
}

/// @param tolerances  fractions of the extent
/// @pre at least four points
Polyhedron FindHull(std::span<const Vec3> points, std::span<const double> tolerances) {
  Vec3 lower = points[0], upper = points[0];
  for (const Vec3& point : points) {
    lower = lower.cwiseMin(point);
    upper = upper.cwiseMax(point);
  }
  for (const double fraction : tolerances) {
    const double tolerance = fraction * (upper - lower).norm();
    std::vector<Vec3> kept = MergeCopies(points, tolerance);
    if (kept.size() < 4 || AreCoplanar(kept, 2.0 * tolerance)) {
      throw InputError("has vertices that lie in a plane; expected a solid with a volume");
    }
    if (std::optional<Polyhedron> hull = GiftWrapping(std::move(kept), tolerance).Run())
      return *hull;
  }
  throw InputError(
      "has a hull with faces too narrow to distinguish from edges; expected wider faces");
}

}  // namespace

Polyhedron ConvexHull(std::span<const Vec3> points) {
  if (points.size() < 4) {
    throw InputError(Text("has ", points.size(), " vertices; expected at least four"));
  }
  if (points.size() > kMaxHullPoints) {
    throw InputError(Text("has ", points.size(), " vertices; expected at most ", kMaxHullPoints,
                          ": use a coarser mesh"));
  }
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (!points[k].allFinite()) {
      throw InputError(Text("has numbers that are not finite in vertex ", k + 1));
    }
  }
  return FindHull(points, kInputTolerances);
}

double DepthOf(const Polyhedron& polyhedron, const Vec3& point) {
  double depth = HUGE_VAL;
  for (const PolyhedronFace& face : polyhedron.faces) {
    depth = std::min(depth, face.offset - face.normal.dot(point));
  }
  return depth;
}

Polyhedron Erode(const Polyhedron& polyhedron, const Vec3& centre, double distance) {
  SCREE_DEMAND(distance >= 0.0 && distance < DepthOf(polyhedron, centre));
  // Duality: the plane n⋅x = h of a face corresponds to the point n/h. A face m⋅y = k of the hull
  // of these points corresponds to the vertex m/k of the core.
  std::vector<Vec3> poles;
  for (const PolyhedronFace& face : polyhedron.faces) {
    poles.push_back(face.normal / (face.offset - face.normal.dot(centre) - distance));
  }
  const Polyhedron dual = FindHull(poles, kExactTolerances);
  Polyhedron core;
  for (const PolyhedronFace& face : dual.faces) {
    core.vertices.push_back(centre + face.normal / face.offset);
  }
  std::vector<std::map<std::uint16_t, std::uint16_t>> next(dual.vertices.size());
  for (const PolyhedronEdge& edge : dual.edges) {
    core.edges.push_back({edge.right, edge.left, edge.from, edge.to});
    next[edge.from][edge.right] = edge.left;
    next[edge.to][edge.left] = edge.right;
  }
  for (std::size_t f = 0; f < dual.vertices.size(); ++f) {
    const double length = dual.vertices[f].norm();
    const Vec3 normal = dual.vertices[f] / length;
    PolyhedronFace& face =
        core.faces.emplace_back(PolyhedronFace{normal, 1.0 / length + normal.dot(centre), {}});
    std::uint16_t corner = next[f].begin()->first;
    for (std::size_t k = 0; k < next[f].size(); ++k) {
      face.corners.push_back(corner);
      corner = next[f].at(corner);
    }
  }
  return core;
}

}  // namespace scree
