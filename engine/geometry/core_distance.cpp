#include "engine/geometry/core_distance.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

namespace scree {
namespace {

/// A vertex still projects into a face if it is outside by at most this fraction of the edge's
/// length. The contacts of flush faces then do not depend on rounding.
constexpr double kBeyond = 1e-7;
/// A minimum counts as nearer than another only if the difference is larger than this fraction of
/// the distance.
constexpr double kCloser = 1e-12;
/// Two edges are nearly parallel if the squared sine of their angle is smaller than this. The
/// nearest points of such edges count only if each end is farther from the other edge than these
/// points are from each other.
constexpr double kMinSquaredSine = 1e-12;
/// Minimum of the difference, as a fraction of the sum of the edges' lengths.
constexpr double kEndMargin = 1e-13;

/// Relative widening of the tests of packets, so that in spite of rounding they accept all that the
/// exact tests accept.
constexpr double kWider = 1e-4;

Vector3<Double8> AllLanes(const Vec3& x) {
  return {Double8{} + x.x(), Double8{} + x.y(), Double8{} + x.z()};
}
Vector3<Double8> Minus(const Vector3<Double8>& a, const Vector3<Double8>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

/// Sets the lane of entry k. Spare lanes repeat the first entry of the packet.
void SetLane(const Vec3& x, std::size_t k, Vector3<Double8>& packet) {
  const std::size_t lane = k % kLanes;
  if (lane == 0) {
    packet = AllLanes(x);
    return;
  }
  packet.x[lane] = x.x();
  packet.y[lane] = x.y();
  packet.z[lane] = x.z();
}

/// Calls visit(k) for all k < count whose bit is set in test(packets[k / 8]).
template <class Packet, class Test, class Visit>
void ForEachPassing(const std::vector<Packet>& packets, std::size_t count, Test&& test,
                    Visit&& visit) {
  for (std::size_t first = 0; first < count; first += kLanes) {
    const std::size_t remaining = std::min<std::size_t>(count - first, kLanes);
    for (unsigned bits = test(packets[first / kLanes]) & ((1u << remaining) - 1u); bits != 0;
         bits &= bits - 1) {
      visit(first + static_cast<std::size_t>(std::countr_zero(bits)));
    }
  }
}

/// The point nearest to x on the segment from p to p + direction.
Vec3 NearestOfSegment(const Vec3& x, const Vec3& p, const Vec3& direction) {
  return p + std::clamp((x - p).dot(direction) / direction.squaredNorm(), 0.0, 1.0) * direction;
}

/// Whether each end of the two edges is farther from the other edge than `distance`.
bool AreEndsFarther(const Edge& first, const Edge& second, double distance) {
  const auto distance_to = [](const Edge& edge, const Vec3& x) {
    return (x - NearestOfSegment(x, edge.from, edge.direction)).norm();
  };
  const double ends = std::min(
      {distance_to(second, first.from), distance_to(second, first.from + first.direction),
       distance_to(first, second.from), distance_to(first, second.from + second.direction)});
  return distance < ends - kEndMargin * (first.direction.norm() + second.direction.norm());
}

}  // namespace

void AppendFaces(const Polyhedron& shape, std::span<const Vec3> normals, double scale,
                 std::vector<FacePacket>& packets) {
  for (std::size_t f = 0; f < normals.size(); ++f) {
    if (f % kLanes == 0) packets.emplace_back();
    SetLane(normals[f], f, packets.back().normal);
    const double offset = scale * shape.faces[f].offset;
    if (f % kLanes == 0) packets.back().offset = Double8{} + offset;
    packets.back().offset[f % kLanes] = offset;
  }
}

std::optional<EdgePair> NearestInside(const Edge& first, const Edge& second, double limit) {
  const Vec3 &p = first.from, &u = first.direction, &q = second.from, &v = second.direction;
  const Vec3 across = u.cross(v);
  const double squared = across.squaredNorm();
  // For nearly parallel edges s is inaccurate, but the distance hardly depends on s because t is
  // computed from s. For parallel edges s is not finite, and the test fails.
  const double s = (q - p).cross(v).dot(across) / squared;
  if (!(s > 0.0 && s < 1.0)) return {};
  const Vec3 on_first = p + s * u;
  const double t = (on_first - q).dot(v) / v.squaredNorm();
  if (!(t > 0.0 && t < 1.0)) return {};
  const Vec3 on_second = q + t * v;
  const double distance = (on_first - on_second).norm();
  if (distance > limit) return {};
  const bool nearly_parallel = squared <= kMinSquaredSine * u.squaredNorm() * v.squaredNorm();
  if (nearly_parallel && !AreEndsFarther(first, second, distance)) return {};
  return EdgePair{on_first, on_second};
}

std::span<const PolyhedronEdge> CoreDistance::Side::Edges() const {
  if (core->shape == nullptr) return {};
  return core->shape->edges;
}
std::span<const PolyhedronFace> CoreDistance::Side::Faces() const {
  if (core->shape == nullptr) return {};
  return core->shape->faces;
}
std::uint16_t CoreDistance::Side::FeatureOfVertex(std::size_t v) const {
  return core->shape == nullptr ? core->number : static_cast<std::uint16_t>(v);
}

double CoreDistance::Side::MinProjection(const Vec3& axis) const {
  double min = HUGE_VAL;
  for (std::size_t v = 0; v < core->vertices.size(); ++v)
    min = std::min(min, axis.dot(PositionOf(v)));
  return min;
}

/// Marks vertices that are above faces of the other core by more than the limit. A feature is not
/// near if all its vertices are marked for the same face.
/// @param from  from the centre of the other body to the centre of this one [m]
void CoreDistance::Side::MarkBeyond(const Side& other, const Vec3& from, double limit) {
  const std::span<const FacePacket> faces = other.core->faces;
  const std::size_t count = core->vertices.size();
  beyond.resize(faces.size() * count);
  above.resize(faces.size() * count);
  for (std::size_t p = 0; p < faces.size(); ++p) {
    const Double8 up = Dot(faces[p].normal, AllLanes(from)) - faces[p].offset;
    for (std::size_t k = p * count; k < (p + 1) * count; ++k) {
      const Double8 height = up + along_normals[k];
      beyond[k] = static_cast<std::uint8_t>(Bits(height > Double8{} + (1.0 + kWider) * limit));
      above[k] = static_cast<std::uint8_t>(Bits(height > Double8{} - kWider * limit));
    }
  }
}

/// If the other core is a point, which has no faces: marks vertices with axis⋅x > max. A feature
/// near the point has an unmarked vertex.
void CoreDistance::Side::MarkBeyond(const Vec3& axis, double max) {
  const std::size_t count = core->vertices.size();
  beyond.resize(count);
  for (std::size_t v = 0; v < count; ++v) beyond[v] = axis.dot(PositionOf(v)) > max ? 1 : 0;
}

void CoreDistance::Side::PackNear() {
  const std::size_t count = core->vertices.size();
  vertices.clear();
  vertex_packets.clear();
  edges.clear();
  edge_packets.clear();
  const auto is_near = [&](std::size_t from, std::size_t to) {
    for (std::size_t p = 0; p < beyond.size(); p += count) {
      if ((beyond[p + from] & beyond[p + to]) != 0) return false;
    }
    return true;
  };
  for (std::size_t v = 0; v < count; ++v) {
    if (is_near(v, v)) AddVertex(v);
  }
  for (std::size_t e = 0; e < Edges().size(); ++e) {
    if (is_near(Edges()[e].from, Edges()[e].to)) AddEdge(e);
  }
}

void CoreDistance::Side::AddVertex(std::size_t v) {
  if (vertices.size() % kLanes == 0) vertex_packets.emplace_back();
  SetLane(PositionOf(v), vertices.size(), vertex_packets.back());
  vertices.push_back(static_cast<std::uint16_t>(v));
}

void CoreDistance::Side::AddEdge(std::size_t e) {
  const PolyhedronEdge& edge = Edges()[e];
  const Vec3 from = PositionOf(edge.from);
  if (edges.size() % kLanes == 0) edge_packets.emplace_back();
  SetLane(from, edges.size(), edge_packets.back().from);
  SetLane(PositionOf(edge.to) - from, edges.size(), edge_packets.back().direction);
  edges.push_back(static_cast<std::uint16_t>(e));
}

/// @param away  points away from the other core
bool CoreDistance::Side::IsInVertexCone(std::size_t v, const Vec3& away) const {
  const double max = kParallel * away.norm();
  for (const PolyhedronEdge& edge : Edges()) {
    if (edge.from != v && edge.to != v) continue;
    const Vec3 direction = PositionOf(edge.from == v ? edge.to : edge.from) - PositionOf(v);
    if (direction.dot(away) < -max * direction.norm()) return false;
  }
  return true;
}

bool CoreDistance::Side::IsInEdgeCone(const PolyhedronEdge& edge, const Vec3& away) const {
  const Vec3 direction = PositionOf(edge.to) - PositionOf(edge.from);
  const double min = -kParallel * away.norm() * direction.norm();
  return core->normals[edge.left].cross(direction).dot(away) >= min &&
         direction.cross(core->normals[edge.right]).dot(away) >= min;
}

std::span<CoreContact> CoreDistance::FindMinima(const PlacedCore& first, const PlacedCore& second,
                                                const Vec3& separation, double limit,
                                                double rounding_sum) {
  separation_ = separation;
  limit_ = limit;
  merge_distance_ = 0.25 * rounding_sum;
  minima_.clear();
  first_.core = &first;
  first_.shift = Vec3::Zero();
  second_.core = &second;
  second_.shift = -separation;
  if (!FindSeparatingAxis()) return {};
  // Points x and y of the two cores, at most L apart, satisfy n⋅x ≤ high + L and n⋅y ≥ low − L.
  second.faces.empty() ? first_.MarkBeyond(axis_, high_ + limit_)
                       : first_.MarkBeyond(second_, separation, limit_);
  first.faces.empty() ? second_.MarkBeyond(-axis_, limit_ - low_)
                      : second_.MarkBeyond(first_, -separation, limit_);
  first_.PackNear();
  second_.PackNear();
  TestVertexFaces(first_, second_);
  TestVertexFaces(second_, first_);
  TestEdgeEdges();
  TestVertexEdges(first_, second_);
  TestVertexEdges(second_, first_);
  TestVertexVertices();
  MergeCoincident();
  if (AreOverlapping()) {
    const double distance = low_ - high_;
    const Vec3 point = first_.PositionOf(0);
    minima_.assign(1, {axis_, distance, point, point + separation_, first_.FeatureOfVertex(0),
                       second_.FeatureOfVertex(0)});
  }
  return minima_;
}

/// Finds the axis along which the cores are farthest apart: a face normal or, if no normal
/// separates them, the line of centres.
/// @returns false if they are apart by more than the limit
bool CoreDistance::FindSeparatingAxis() {
  low_ = -HUGE_VAL, high_ = HUGE_VAL;
  return TestFaceAxes(first_, second_) && TestFaceAxes(second_, first_) &&
         (low_ > high_ || TestCentreAxis());
}

bool CoreDistance::TestCentreAxis() {
  const double distance = separation_.norm();
  if (!(distance > 0.0)) return true;
  const Vec3 axis = separation_ / distance;
  const double low = first_.MinProjection(axis), high = -second_.MinProjection(-axis);
  if (low - high > low_ - high_) {
    axis_ = axis;
    low_ = low;
    high_ = high;
  }
  return low_ - high_ <= limit_;
}

/// @param other  the core whose face normals are tested
bool CoreDistance::TestFaceAxes(Side& side, const Side& other) {
  const bool is_first = &side == &first_;
  const Vector3<Double8> separation = AllLanes(is_first ? separation_ : Vec3(-separation_));
  side.along_normals.resize(other.core->faces.size() * side.core->vertices.size());
  auto stored = side.along_normals.begin();
  for (const FacePacket& faces : other.core->faces) {
    Double8 min = Double8{} + HUGE_VAL;
    for (const Member& vertex : side.core->vertices) {
      const Double8 projection = Dot(faces.normal, AllLanes(vertex.centre));
      min = Select(projection < min, projection, min);
      *stored++ = projection;
    }
    const Double8 shift = Dot(faces.normal, separation);
    const Double8 distance = min + shift - faces.offset;
    if (Bits(distance > Double8{} + limit_) != 0) return false;
    unsigned better = Bits(distance > Double8{} + (low_ - high_));
    if (better == 0) continue;
    auto lane = static_cast<std::size_t>(std::countr_zero(better));
    for (; better != 0; better &= better - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(better));
      if (distance[k] > distance[lane]) lane = k;
    }
    axis_ = is_first ? LaneOf(faces.normal, lane) : Vec3(-LaneOf(faces.normal, lane));
    low_ = is_first ? min[lane] : -faces.offset[lane];
    high_ = is_first ? faces.offset[lane] - shift[lane] : -shift[lane] - min[lane];
  }
  return true;
}

void CoreDistance::TestVertexFaces(const Side& side, const Side& other) {
  const std::size_t count = side.core->vertices.size(), faces = other.Faces().size();
  for (const std::uint16_t v : side.vertices) {
    const Vec3 x = side.PositionOf(v);
    for (std::size_t first = 0; first < faces; first += kLanes) {
      for (unsigned bits = side.above[first / kLanes * count + v]; bits != 0; bits &= bits - 1) {
        const std::size_t f = first + static_cast<std::size_t>(std::countr_zero(bits));
        if (f < faces) TestVertexFace(side, v, x, other, f);
      }
    }
  }
}

void CoreDistance::TestVertexFace(const Side& side, std::size_t v, const Vec3& x, const Side& other,
                                  std::size_t f) {
  const Vec3& normal = other.core->normals[f];
  const double height = normal.dot(x - other.PositionOf(other.Faces()[f].corners[0]));
  if (!(height > 0.0 && height <= limit_)) return;
  Vec3 foot = x - height * normal;
  if (!ProjectsIntoFace(other, f, x, foot) || !side.IsInVertexCone(v, x - foot)) return;
  Add(side, {x, side.FeatureOfVertex(v)}, {foot, other.core->shape->FeatureOfFace(f), true});
}

/// Whether a point projects into a face.
/// @param foot  the projection. If it is slightly outside, it is moved to the nearest point on that
///              side of the face, so that the distance stays exact
bool CoreDistance::ProjectsIntoFace(const Side& side, std::size_t f, const Vec3& x,
                                    Vec3& foot) const {
  const std::vector<std::uint16_t>& corners = side.Faces()[f].corners;
  const Vec3& normal = side.core->normals[f];
  double nearest = HUGE_VAL;
  Vec3 p = side.PositionOf(corners.back());
  for (const std::uint16_t corner : corners) {
    const Vec3 q = side.PositionOf(corner), direction = q - p;
    const double inside = normal.dot(direction.cross(x - p));
    if (!(inside >= -kBeyond * direction.squaredNorm())) return false;
    if (inside < 0.0) {
      const Vec3 on_side = NearestOfSegment(x, p, direction);
      const double squared = (x - on_side).squaredNorm();
      if (squared < nearest) foot = on_side;
      nearest = std::min(nearest, squared);
    }
    p = q;
  }
  return true;
}

void CoreDistance::TestEdgeEdges() {
  for (std::size_t k = 0; k < first_.edges.size(); ++k) {
    const PolyhedronEdge& edge = first_.Edges()[first_.edges[k]];
    const Vec3 p = first_.PositionOf(edge.from), u = first_.PositionOf(edge.to) - p;
    const auto can_touch = [&](const EdgePacket& packet) { return NearEdgeMask(p, u, packet); };
    ForEachPassing(second_.edge_packets, second_.edges.size(), can_touch,
                   [&](std::size_t l) { TestEdgeEdge(first_.edges[k], second_.edges[l]); });
  }
}

/// Mask of the packet's edges that are within the limit of the edge p + s u and that cross it when
/// seen along the common normal.
unsigned CoreDistance::NearEdgeMask(const Vec3& p, const Vec3& u, const EdgePacket& packet) const {
  const Vector3<Double8> direction = AllLanes(u), between = Minus(packet.from, AllLanes(p));
  const Vector3<Double8> across = Cross(direction, packet.direction);
  const Double8 squared = Dot(across, across), wider = (1.0 + kWider) * squared;
  const Double8 height = Dot(between, across);
  const Double8 s = Dot(Cross(between, packet.direction), across);
  const Double8 t = Dot(Cross(between, direction), across);
  const Double8 min = -kWider * squared;
  return Bits((height * height <= limit_ * limit_ * wider) & (s >= min) & (s <= wider) &
              (t >= min) & (t <= wider));
}

void CoreDistance::TestEdgeEdge(std::size_t k, std::size_t l) {
  const PolyhedronEdge &first = first_.Edges()[k], &second = second_.Edges()[l];
  const Vec3 p = first_.PositionOf(first.from), q = second_.PositionOf(second.from);
  const std::optional<EdgePair> nearest = NearestInside(
      {p, first_.PositionOf(first.to) - p}, {q, second_.PositionOf(second.to) - q}, limit_);
  if (!nearest) return;
  const Vec3 w = nearest->on_first - nearest->on_second;
  if (!first_.IsInEdgeCone(first, w) || !second_.IsInEdgeCone(second, -w)) return;
  Add(first_, {nearest->on_first, first_.core->shape->FeatureOfEdge(k)},
      {nearest->on_second, second_.core->shape->FeatureOfEdge(l)});
}

void CoreDistance::TestVertexEdges(const Side& side, const Side& other) {
  const double squared_limit = limit_ * limit_;
  for (const std::uint16_t k : other.edges) {
    const PolyhedronEdge& edge = other.Edges()[k];
    const Vec3 p = other.PositionOf(edge.from), direction = other.PositionOf(edge.to) - p;
    const double squared = direction.squaredNorm();
    const Vector3<Double8> ps = AllLanes(p), directions = AllLanes(direction);
    // Conditions on the parameter s and the squared distance from the line, times ‖direction‖².
    const auto can_touch = [&](const Vector3<Double8>& x) {
      const Vector3<Double8> from = Minus(x, ps), across = Cross(from, directions);
      const Double8 s = Dot(from, directions);
      return Bits((s >= Double8{} - kWider * squared) &
                  (s <= Double8{} + (1.0 + kWider) * squared) &
                  (Dot(across, across) <= Double8{} + (1.0 + kWider) * squared_limit * squared));
    };
    ForEachPassing(side.vertex_packets, side.vertices.size(), can_touch, [&](std::size_t j) {
      const std::size_t v = side.vertices[j];
      const Vec3 x = side.PositionOf(v), from = x - p;
      const double s = from.dot(direction) / squared;
      if (!(s > 0.0 && s < 1.0)) return;
      const Vec3 w = from - s * direction;
      if (w.squaredNorm() > squared_limit || !side.IsInVertexCone(v, w) ||
          !other.IsInEdgeCone(edge, -w)) {
        return;
      }
      Add(side, {x, side.FeatureOfVertex(v)},
          {p + s * direction, other.core->shape->FeatureOfEdge(k)});
    });
  }
}

void CoreDistance::TestVertexVertices() {
  const double squared_limit = limit_ * limit_;
  for (const std::uint16_t v : first_.vertices) {
    const Vec3 x = first_.PositionOf(v);
    const Vector3<Double8> xs = AllLanes(x);
    const auto can_touch = [&](const Vector3<Double8>& y) {
      const Vector3<Double8> w = Minus(xs, y);
      return Bits(Dot(w, w) <= Double8{} + (1.0 + kWider) * squared_limit);
    };
    ForEachPassing(second_.vertex_packets, second_.vertices.size(), can_touch, [&](std::size_t k) {
      const std::size_t u = second_.vertices[k];
      const Vec3 y = second_.PositionOf(u), w = x - y;
      if (w.squaredNorm() > squared_limit) return;
      if (!first_.IsInVertexCone(v, w) || !second_.IsInVertexCone(u, -w)) return;
      Add(first_, {x, first_.FeatureOfVertex(v)}, {y, second_.FeatureOfVertex(u)});
    });
  }
}

/// @param side  the core of own_point
void CoreDistance::Add(const Side& side, const Point& own_point, const Point& other_point) {
  const bool is_first = &side == &first_;
  const Point &first = is_first ? own_point : other_point,
              &second = is_first ? other_point : own_point;
  const Vec3 w = first.position - second.position;
  const double distance = w.norm();
  if (!(distance > 0.0)) return;
  minima_.push_back({w / distance, distance, first.position, second.position + separation_,
                     first.feature, second.feature, first.is_flat, second.is_flat});
}

/// Removes each minimum that coincides with a nearer one, and keeps the order of the others.
void CoreDistance::MergeCoincident() {
  enum : std::uint8_t { kOpen, kKept, kDropped };
  const std::size_t count = minima_.size();
  if (count < 2) return;
  states_.assign(count, kOpen);
  const auto coincide = [&](const CoreContact& a, const CoreContact& b) {
    return (a.on_first - b.on_first).squaredNorm() <= merge_distance_ * merge_distance_ ||
           (a.on_second - b.on_second).squaredNorm() <= merge_distance_ * merge_distance_;
  };
  for (;;) {
    std::size_t nearest = count;
    for (std::size_t k = 0; k < count; ++k) {
      if (states_[k] != kOpen) continue;
      if (nearest == count || minima_[k].distance < (1.0 - kCloser) * minima_[nearest].distance) {
        nearest = k;
      }
    }
    if (nearest == count) break;
    for (std::size_t k = 0; k < count; ++k) {
      if (states_[k] == kOpen && coincide(minima_[k], minima_[nearest])) states_[k] = kDropped;
    }
    states_[nearest] = kKept;
  }
  std::size_t kept = 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (states_[k] == kKept) minima_[kept++] = minima_[k];
  }
  minima_.erase(minima_.begin() + static_cast<std::ptrdiff_t>(kept), minima_.end());
}

/// Whether the cores overlap: no axis separates them. The normal of the nearest minimum is tried
/// before the normals of all pairs of edges.
bool CoreDistance::AreOverlapping() const {
  if (low_ > high_) return false;
  // No face separates the cores, so a core that is a point is inside the other one.
  if (first_.Faces().empty() || second_.Faces().empty()) return true;
  const auto nearest = std::ranges::min_element(minima_, {}, &CoreContact::distance);
  if (nearest != minima_.end() &&
      first_.MinProjection(nearest->normal) + second_.MinProjection(-nearest->normal) > 0.0) {
    return false;
  }
  return !IsSeparatedByEdges();
}

bool CoreDistance::IsSeparatedByEdges() const {
  for (const PolyhedronEdge& edge : first_.Edges()) {
    const Vec3 u = first_.PositionOf(edge.to) - first_.PositionOf(edge.from);
    for (const PolyhedronEdge& other : second_.Edges()) {
      const Vec3 axis = u.cross(second_.PositionOf(other.to) - second_.PositionOf(other.from));
      if (first_.MinProjection(axis) + second_.MinProjection(-axis) > 0.0 ||
          first_.MinProjection(-axis) + second_.MinProjection(axis) > 0.0) {
        return true;
      }
    }
  }
  return false;
}

std::span<CoreContact> ReduceManifold(std::span<CoreContact> contacts) {
  constexpr std::size_t kMax = 4;
  if (contacts.size() <= kMax) return contacts;
  const auto move_best_to = [&](std::size_t k, auto&& worth) {
    const auto best = std::ranges::max_element(contacts.subspan(k), {}, worth);
    std::swap(*best, contacts[k]);
  };
  const auto from_first = [&](const CoreContact& contact) {
    return Vec3(contact.on_first - contacts[0].on_first);
  };
  // What a loaded contact may be less deep, or nearer, than another one that it is preferred to.
  constexpr double kTilt = 2e-3, kPreference = 1.05;
  const auto preference = [](const CoreContact& contact) {
    return contact.was_loaded ? kPreference : 1.0;
  };
  double size = 0.0;
  for (const CoreContact& contact : contacts) size = std::max(size, from_first(contact).norm());
  move_best_to(0, [&](const CoreContact& contact) {
    return (contact.was_loaded ? kTilt * size : 0.0) - contact.distance;
  });
  move_best_to(1, [&](const CoreContact& contact) {
    return preference(contact) * from_first(contact).norm();
  });
  const Vec3 side = contacts[0].normal.cross(from_first(contacts[1]));
  move_best_to(2, [&](const CoreContact& contact) {
    return preference(contact) * std::abs(side.dot(from_first(contact)));
  });
  const double sign = side.dot(from_first(contacts[2])) < 0.0 ? -1.0 : 1.0;
  move_best_to(3, [&](const CoreContact& contact) {
    return -sign * preference(contact) * side.dot(from_first(contact));
  });
  return contacts.first(kMax);
}

}  // namespace scree
