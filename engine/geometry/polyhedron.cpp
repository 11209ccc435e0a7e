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

/// Tolerances as fractions of the extent: points nearer to a plane or line are in it, and points
/// nearer to each other are merged. If faces overlap with one tolerance, the next is used, because
/// a chain of near points may bend out of any plane.
constexpr std::array<double, 3> kFlat = {1e-6, 1e-8, 1e-10};
/// The same for exact planes and their intersections.
constexpr std::array<double, 6> kExact = {1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8};
constexpr std::size_t kMaxVertices = 500;

/// An axis through two points of the hull, and the outward normal of a plane through it that
/// touches the hull.
struct Hinge {
  Vec3 point, axis, normal;  // axis and normal: unit vectors at a right angle
};

class Wrapping {
 public:
  Wrapping(std::vector<Vec3> points, double flat) : points_(std::move(points)), flat_(flat) {}

  /// @returns nothing if faces overlap
  std::optional<Polyhedron> Run() {
    AddFace(FirstNormal());
    // The edges of each face are hinges of its neighbours. faces_ grows in this loop.
    for (std::size_t face = 0; face < faces_.size() && !failed_; ++face) {
      if (faces_.size() > 2 * kMaxVertices) FailAsTooFine();
      const std::vector<std::uint16_t> loop = faces_[face].corners;
      for (std::size_t k = 0; k < loop.size(); ++k) {
        const std::uint16_t from = loop[k], to = loop[(k + 1) % loop.size()];
        if (face_at_.contains({to, from})) continue;
        const Vec3 axis = (points_[to] - points_[from]).normalized();
        AddFace(Wrapped({points_[from], axis, faces_[face].normal}));
      }
    }
    if (failed_) return {};
    Polyhedron made = MakePolyhedron();
    if (failed_) return {};
    if (made.vertices.size() > kMaxVertices) FailAsTooFine();
    return made;
  }

 private:
  [[noreturn]] static void FailAsTooFine() {
    throw InputError(Text("has a hull of more than ", kMaxVertices,
                          " vertices; expected fewer: use a coarser mesh"));
  }

  /// The normal after rotating the plane about the axis until it meets a point. The vector `out`
  /// lies in the plane and points away from the face; the point met has the smallest angle from o
  /// towards −n.
  Vec3 Wrapped(const Hinge& hinge) const {
    const Vec3 out = hinge.axis.cross(hinge.normal);
    double min = HUGE_VAL;
    Vec3 normal = hinge.normal;
    for (const Vec3& point : points_) {
      const Vec3 from = point - hinge.point;
      const double a = from.dot(out), b = -from.dot(hinge.normal);
      const double apart = std::hypot(a, b);
      if (apart <= flat_) continue;
      const double angle = std::atan2(b, a);
      if (angle >= min || angle < -0.5) continue;
      min = angle;
      normal = (b * out + a * hinge.normal) / apart;
    }
    return normal;
  }

  /// Normal of a first face: rotates the plane below all points in x until it meets a second point,
  /// then about the line through both.
  Vec3 FirstNormal() const {
    const auto lowest = std::ranges::min_element(
        points_, [](const Vec3& p, const Vec3& q) { return p.x() < q.x(); });
    const Vec3 tilted = Wrapped({*lowest, Vec3::UnitY(), -Vec3::UnitX()});
    const std::vector<std::uint16_t> on = HighestPoints(tilted);
    const Vec3& start = points_[on.front()];
    Vec3 direction = Vec3::Zero();
    for (const std::uint16_t other : on) {
      if ((points_[other] - start).squaredNorm() > direction.squaredNorm())
        direction = points_[other] - start;
    }
    return Wrapped({start, (direction - direction.dot(tilted) * tilted).normalized(), tilted});
  }

  std::vector<std::uint16_t> HighestPoints(const Vec3& normal) const {
    double top = -HUGE_VAL;
    for (const Vec3& point : points_) top = std::max(top, normal.dot(point));
    std::vector<std::uint16_t> on;
    for (std::size_t k = 0; k < points_.size(); ++k) {
      if (normal.dot(points_[k]) >= top - flat_) on.push_back(static_cast<std::uint16_t>(k));
    }
    return on;
  }

  void AddFace(const Vec3& towards) {
    PolyhedronFace face;
    face.corners = Loop(HighestPoints(towards), towards);
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
      const auto added = face_at_.insert({{face.corners[k], face.corners[(k + 1) % count]},
                                          static_cast<std::uint16_t>(faces_.size())});
      failed_ = failed_ || !added.second;
    }
    faces_.push_back(std::move(face));
  }

  /// Convex hull of points in a plane, counterclockwise about its normal (A. M. Andrew, Inf.
  /// Process. Lett. 9 (1979) 216). Points on the sides are left out.
  std::vector<std::uint16_t> Loop(std::vector<std::uint16_t> on, const Vec3& normal) const {
    const Vec3 u = normal.unitOrthogonal(), v = normal.cross(u);
    const auto corner = [&](std::uint16_t k) {
      return Eigen::Vector2d(u.dot(points_[k]), v.dot(points_[k]));
    };
    std::ranges::sort(on, [&](std::uint16_t k, std::uint16_t l) {
      const Eigen::Vector2d p = corner(k), q = corner(l);
      return p.x() < q.x() || (p.x() == q.x() && p.y() < q.y());
    });
    std::vector<std::uint16_t> loop;
    const auto walk = [&](auto begin, auto end) {
      const std::size_t first = loop.size();
      for (auto k = begin; k != end; ++k) {
        while (loop.size() >= first + 2) {
          const Eigen::Vector2d last = corner(loop[loop.size() - 2]), side = corner(*k) - last;
          const Eigen::Vector2d middle = corner(loop.back()) - last;
          if (middle.x() * side.y() - middle.y() * side.x() > flat_ * side.norm()) break;
          loop.pop_back();
        }
        loop.push_back(*k);
      }
      loop.pop_back();  // it is the first point of the other half
    };
    walk(on.begin(), on.end());
    walk(on.rbegin(), on.rend());
    return loop;
  }

  Polyhedron MakePolyhedron() {
    Polyhedron made;
    std::vector<int> number(points_.size(), -1);
    for (PolyhedronFace& face : faces_) {
      for (std::uint16_t& corner : face.corners) {
        int& index = number[corner];
        if (index < 0) {
          index = static_cast<int>(made.vertices.size());
          made.vertices.push_back(points_[corner]);
        }
        corner = static_cast<std::uint16_t>(index);
      }
    }
    for (const auto& [ends, left] : face_at_) {
      const auto other = face_at_.find({ends.second, ends.first});
      failed_ = failed_ || other == face_at_.end();
      if (failed_ || ends.first > ends.second) continue;
      made.edges.push_back({static_cast<std::uint16_t>(number[ends.first]),
                            static_cast<std::uint16_t>(number[ends.second]), left, other->second});
    }
    made.faces = std::move(faces_);
    failed_ = failed_ || made.vertices.size() + made.faces.size() != made.edges.size() + 2;
    return made;
  }

  std::vector<Vec3> points_;
  double flat_;          // [m]
  bool failed_ = false;  // an edge does not have exactly two faces
  std::vector<PolyhedronFace> faces_;
  std::map<std::pair<std::uint16_t, std::uint16_t>, std::uint16_t> face_at_;  // left of each edge
};

std::vector<Vec3> WithoutCopies(std::span<const Vec3> points, double near) {
  std::vector<Vec3> kept;
  for (const Vec3& point : points) {
    const auto is_copy = [&](const Vec3& other) { return (other - point).norm() <= near; };
    if (std::ranges::none_of(kept, is_copy)) kept.push_back(point);
  }
  return kept;
}

/// Whether the points are coplanar: the width across their largest triangle is below `flat`.
bool AreCoplanar(const std::vector<Vec3>& points, double flat) {
  const auto far = [&](auto&& distance) {
    return *std::ranges::max_element(
        points, [&](const Vec3& p, const Vec3& q) { return distance(p) < distance(q); });
  };
  const Vec3 p = points[0];
  const Vec3 q = far([&](const Vec3& x) { return (x - p).norm(); });
  const Vec3 direction = (q - p).normalized();
  const Vec3 r = far([&](const Vec3& x) { return direction.cross(x - p).norm(); });
  if (direction.cross(r - p).norm() <= flat) return true;
  const Vec3 normal = direction.cross(r - p).normalized();
  return std::ranges::all_of(points,
                             [&](const Vec3& x) { return std::abs(normal.dot(x - p)) <= flat; });
}

/// @param points  a sample of at least four
Polyhedron HullOf(std::span<const Vec3> points, std::span<const double> flat_shares) {
  Vec3 lower = points[0], upper = points[0];
  for (const Vec3& point : points) {
    lower = lower.cwiseMin(point);
    upper = upper.cwiseMax(point);
  }
  for (const double fraction : flat_shares) {
    const double flat = fraction * (upper - lower).norm();
    std::vector<Vec3> kept = WithoutCopies(points, flat);
    if (kept.size() < 4 || AreCoplanar(kept, 2.0 * flat)) {
      throw InputError("has vertices that lie in a plane; expected a solid with a volume");
    }
    if (std::optional<Polyhedron> hull = Wrapping(std::move(kept), flat).Run()) return *hull;
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
  return HullOf(points, kFlat);
}

double DepthOf(const Polyhedron& polyhedron, const Vec3& point) {
  double depth = HUGE_VAL;
  for (const PolyhedronFace& face : polyhedron.faces) {
    depth = std::min(depth, face.offset - face.normal.dot(point));
  }
  return depth;
}

Polyhedron Eroded(const Polyhedron& polyhedron, const Vec3& centre, double distance) {
  SCREE_DEMAND(distance >= 0.0 && distance < DepthOf(polyhedron, centre));
  // By duality: the plane n⋅x = h corresponds to the point n/h. A face m⋅y = k of the hull of these
  // points corresponds to the vertex m/k where its planes meet.
  std::vector<Vec3> poles;
  for (const PolyhedronFace& face : polyhedron.faces) {
    poles.push_back(face.normal / (face.offset - face.normal.dot(centre) - distance));
  }
  const Polyhedron dual = HullOf(poles, kExact);
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
