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
/// A point counts as nearer only if the difference is larger than this fraction of the distance.
constexpr double kCloser = 1e-12;
/// Two edges are nearly parallel if the squared sine of their angle is smaller. A pair of such
/// edges counts only if the edges are nearer to each other than their ends are.
constexpr double kAlong = 1e-12;
/// The edges must be nearer than their ends by at least this fraction of their lengths.
constexpr double kInside = 1e-13;

/// Relative widening of a condition that makes it safe against rounding.
constexpr double kWider = 1e-4;

Vector3<Double8> AllLanes(const Vec3& x) {
  return {Double8{} + x.x(), Double8{} + x.y(), Double8{} + x.z()};
}
Vector3<Double8> Minus(const Vector3<Double8>& a, const Vector3<Double8>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

/// Sets the lane of an entry. Spare lanes repeat the first entry of the packet.
void SetLane(const Vec3& x, std::size_t place, Vector3<Double8>& packet) {
  const std::size_t lane = place % kLanes;
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
void ForEachOf(const std::vector<Packet>& packets, std::size_t count, Test&& test, Visit&& visit) {
  for (std::size_t first = 0; first < count; first += kLanes) {
    const std::size_t remaining = std::min<std::size_t>(count - first, kLanes);
    for (unsigned bits = test(packets[first / kLanes]) & ((1u << remaining) - 1u); bits != 0;
         bits &= bits - 1) {
      visit(first + static_cast<std::size_t>(std::countr_zero(bits)));
    }
  }
}

/// Nearest point of a segment from p to p + direction.
Vec3 NearestOfSegment(const Vec3& x, const Vec3& p, const Vec3& direction) {
  return p + std::clamp((x - p).dot(direction) / direction.squaredNorm(), 0.0, 1.0) * direction;
}

bool AreNearerInside(const Edge& one, const Edge& other, double distance) {
  const auto from = [](const Vec3& x, const Edge& edge) {
    return (x - NearestOfSegment(x, edge.from, edge.direction)).norm();
  };
  const double ends = std::min({from(one.from, other), from(one.from + one.direction, other),
                                from(other.from, one), from(other.from + other.direction, one)});
  return distance < ends - kInside * (one.direction.norm() + other.direction.norm());
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

std::optional<EdgePair> NearestInside(const Edge& one, const Edge& other, double limit) {
  const Vec3 &p = one.from, &u = one.direction, &q = other.from, &v = other.direction;
  const Vec3 across = u.cross(v);
  const double squared = across.squaredNorm();
  // For nearly parallel edges s is inaccurate, but the distance hardly depends on s if t belongs to
  // the nearest point. For parallel edges s is not finite.
  const double s = (q - p).cross(v).dot(across) / squared;
  if (!(s > 0.0 && s < 1.0)) return {};
  const Vec3 on_one = p + s * u;
  const double t = (on_one - q).dot(v) / v.squaredNorm();
  if (!(t > 0.0 && t < 1.0)) return {};
  const Vec3 on_other = q + t * v;
  const double distance = (on_one - on_other).norm();
  if (distance > limit) return {};
  const bool nearly_parallel = squared <= kAlong * u.squaredNorm() * v.squaredNorm();
  if (nearly_parallel && !AreNearerInside(one, other, distance)) return {};
  return EdgePair{on_one, on_other};
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
  for (std::size_t v = 0; v < core->vertices.size(); ++v) min = std::min(min, axis.dot(At(v)));
  return min;
}

/// Marks vertices beyond the limit of a face of the other core. A feature whose vertices are all
/// beyond the limit of the same face is not near.
/// @param from  from the centre of the other body to the centre of this one [m]
void CoreDistance::Side::MarkNear(const Side& other, const Vec3& from, double limit) {
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

/// The same if the other core is a point without faces: a near feature has a vertex with
/// axis⋅x ≤ most.
void CoreDistance::Side::MarkNear(const Vec3& axis, double max) {
  const std::size_t count = core->vertices.size();
  beyond.resize(count);
  for (std::size_t v = 0; v < count; ++v) beyond[v] = axis.dot(At(v)) > max ? 1 : 0;
}

void CoreDistance::Side::Gather() {
  const std::size_t count = core->vertices.size();
  vertices.clear();
  vertices_at.clear();
  edges.clear();
  edges_at.clear();
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
  if (vertices.size() % kLanes == 0) vertices_at.emplace_back();
  SetLane(At(v), vertices.size(), vertices_at.back());
  vertices.push_back(static_cast<std::uint16_t>(v));
}

void CoreDistance::Side::AddEdge(std::size_t e) {
  const PolyhedronEdge& edge = Edges()[e];
  const Vec3 from = At(edge.from);
  if (edges.size() % kLanes == 0) edges_at.emplace_back();
  SetLane(from, edges.size(), edges_at.back().from);
  SetLane(At(edge.to) - from, edges.size(), edges_at.back().direction);
  edges.push_back(static_cast<std::uint16_t>(e));
}

/// @param away  pointing away from the other core
bool CoreDistance::Side::IsInVertexCone(std::size_t v, const Vec3& away) const {
  const double max = kParallel * away.norm();
  for (const PolyhedronEdge& edge : Edges()) {
    if (edge.from != v && edge.to != v) continue;
    const Vec3 direction = At(edge.from == v ? edge.to : edge.from) - At(v);
    if (direction.dot(away) < -max * direction.norm()) return false;
  }
  return true;
}

bool CoreDistance::Side::IsInEdgeCone(const PolyhedronEdge& edge, const Vec3& away) const {
  const Vec3 direction = At(edge.to) - At(edge.from);
  const double min = -kParallel * away.norm() * direction.norm();
  return core->normals[edge.left].cross(direction).dot(away) >= min &&
         direction.cross(core->normals[edge.right]).dot(away) >= min;
}

std::span<CoreContact> CoreDistance::FindMinima(const PlacedCore& first, const PlacedCore& second,
                                                const Vec3& separation, double limit,
                                                double touches) {
  separation_ = separation;
  limit_ = limit;
  merge_ = 0.25 * touches;
  found_.clear();
  first_.core = &first;
  first_.shift = Vec3::Zero();
  second_.core = &second;
  second_.shift = -separation;
  if (!FindSeparatingAxis()) return {};
  // For any axis n, points at most L apart satisfy n⋅x ≤ high + L and n⋅y ≥ low − L.
  second.faces.empty() ? first_.MarkNear(axis_, high_ + limit_)
                       : first_.MarkNear(second_, separation, limit_);
  first.faces.empty() ? second_.MarkNear(-axis_, limit_ - low_)
                      : second_.MarkNear(first_, -separation, limit_);
  first_.Gather();
  second_.Gather();
  VertexFaces(first_, second_);
  VertexFaces(second_, first_);
  EdgeEdges();
  VertexEdges(first_, second_);
  VertexEdges(second_, first_);
  VertexVertices();
  MergeCoincident();
  if (Overlap()) {
    const double depth = low_ - high_;
    const Vec3 middle = first_.At(0);
    found_.assign(1, {axis_, depth, middle, middle + separation_, first_.FeatureOfVertex(0),
                      second_.FeatureOfVertex(0)});
  }
  return found_;
}

/// Finds the axis along which the cores are farthest apart: among all face normals, and also the
/// line of centres if no normal separates the cores.
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
  auto kept = side.along_normals.begin();
  for (const FacePacket& faces : other.core->faces) {
    Double8 min = Double8{} + HUGE_VAL;
    for (const Member& vertex : side.core->vertices) {
      const Double8 projection = Dot(faces.normal, AllLanes(vertex.centre));
      min = Select(projection < min, projection, min);
      *kept++ = projection;
    }
    const Double8 towards = Dot(faces.normal, separation);
    const Double8 distance = min + towards - faces.offset;
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
    high_ = is_first ? faces.offset[lane] - towards[lane] : -towards[lane] - min[lane];
  }
  return true;
}

void CoreDistance::VertexFaces(const Side& side, const Side& other) {
  const std::size_t count = side.core->vertices.size(), faces = other.Faces().size();
  for (const std::uint16_t v : side.vertices) {
    const Vec3 x = side.At(v);
    for (std::size_t first = 0; first < faces; first += kLanes) {
      for (unsigned bits = side.above[first / kLanes * count + v]; bits != 0; bits &= bits - 1) {
        const std::size_t f = first + static_cast<std::size_t>(std::countr_zero(bits));
        if (f < faces) VertexFace(side, v, x, other, f);
      }
    }
  }
}

void CoreDistance::VertexFace(const Side& side, std::size_t v, const Vec3& x, const Side& other,
                              std::size_t f) {
  const Vec3& normal = other.core->normals[f];
  const double height = normal.dot(x - other.At(other.Faces()[f].corners[0]));
  if (!(height > 0.0 && height <= limit_)) return;
  Vec3 foot = x - height * normal;
  if (!ProjectsIntoFace(other, f, x, foot) || !side.IsInVertexCone(v, x - foot)) return;
  Add(side, {x, side.FeatureOfVertex(v)}, {foot, other.core->shape->FeatureOfFace(f), true});
}

/// Whether a point projects into a face.
/// @param foot  the projection; if it is slightly outside, the nearest point on that side of the
///              face, so that the distance stays exact
bool CoreDistance::ProjectsIntoFace(const Side& side, std::size_t f, const Vec3& x,
                                    Vec3& foot) const {
  const std::vector<std::uint16_t>& corners = side.Faces()[f].corners;
  const Vec3& normal = side.core->normals[f];
  double nearest = HUGE_VAL;
  Vec3 p = side.At(corners.back());
  for (const std::uint16_t corner : corners) {
    const Vec3 q = side.At(corner), direction = q - p;
    const double inside = normal.dot(direction.cross(x - p));
    if (!(inside >= -kBeyond * direction.squaredNorm())) return false;
    if (inside < 0.0) {
      const Vec3 on = NearestOfSegment(x, p, direction);
      const double squared = (x - on).squaredNorm();
      if (squared < nearest) foot = on;
      nearest = std::min(nearest, squared);
    }
    p = q;
  }
  return true;
}

void CoreDistance::EdgeEdges() {
  for (std::size_t k = 0; k < first_.edges.size(); ++k) {
    const PolyhedronEdge& one = first_.Edges()[first_.edges[k]];
    const Vec3 p = first_.At(one.from), u = first_.At(one.to) - p;
    const auto may_touch = [&](const EdgePacket& packet) { return NearEdges(p, u, packet); };
    ForEachOf(second_.edges_at, second_.edges.size(), may_touch,
              [&](std::size_t l) { EdgeEdge(first_.edges[k], second_.edges[l]); });
  }
}

/// Mask of the edges in a packet that cross an edge, seen along the common normal, within the
/// limit.
unsigned CoreDistance::NearEdges(const Vec3& p, const Vec3& u, const EdgePacket& packet) const {
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

void CoreDistance::EdgeEdge(std::size_t k, std::size_t l) {
  const PolyhedronEdge &one = first_.Edges()[k], &other = second_.Edges()[l];
  const Vec3 p = first_.At(one.from), q = second_.At(other.from);
  const std::optional<EdgePair> nearest =
      NearestInside({p, first_.At(one.to) - p}, {q, second_.At(other.to) - q}, limit_);
  if (!nearest) return;
  const Vec3 w = nearest->on_one - nearest->on_other;
  if (!first_.IsInEdgeCone(one, w) || !second_.IsInEdgeCone(other, -w)) return;
  Add(first_, {nearest->on_one, first_.core->shape->FeatureOfEdge(k)},
      {nearest->on_other, second_.core->shape->FeatureOfEdge(l)});
}

void CoreDistance::VertexEdges(const Side& side, const Side& other) {
  const double squared_limit = limit_ * limit_;
  for (const std::uint16_t k : other.edges) {
    const PolyhedronEdge& edge = other.Edges()[k];
    const Vec3 p = other.At(edge.from), direction = other.At(edge.to) - p;
    const double squared = direction.squaredNorm();
    const Vector3<Double8> ps = AllLanes(p), directions = AllLanes(direction);
    // s ‖e‖², and the squared distance from the line times ‖e‖².
    const auto may_touch = [&](const Vector3<Double8>& x) {
      const Vector3<Double8> from = Minus(x, ps), across = Cross(from, directions);
      const Double8 s = Dot(from, directions);
      return Bits((s >= Double8{} - kWider * squared) &
                  (s <= Double8{} + (1.0 + kWider) * squared) &
                  (Dot(across, across) <= Double8{} + (1.0 + kWider) * squared_limit * squared));
    };
    ForEachOf(side.vertices_at, side.vertices.size(), may_touch, [&](std::size_t place) {
      const std::size_t v = side.vertices[place];
      const Vec3 x = side.At(v), from = x - p;
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

void CoreDistance::VertexVertices() {
  const double squared_limit = limit_ * limit_;
  for (const std::uint16_t v : first_.vertices) {
    const Vec3 x = first_.At(v);
    const Vector3<Double8> xs = AllLanes(x);
    const auto may_touch = [&](const Vector3<Double8>& y) {
      const Vector3<Double8> w = Minus(xs, y);
      return Bits(Dot(w, w) <= Double8{} + (1.0 + kWider) * squared_limit);
    };
    ForEachOf(second_.vertices_at, second_.vertices.size(), may_touch, [&](std::size_t k) {
      const std::size_t u = second_.vertices[k];
      const Vec3 y = second_.At(u), w = x - y;
      if (w.squaredNorm() > squared_limit) return;
      if (!first_.IsInVertexCone(v, w) || !second_.IsInVertexCone(u, -w)) return;
      Add(first_, {x, first_.FeatureOfVertex(v)}, {y, second_.FeatureOfVertex(u)});
    });
  }
}

/// @param side  the core on which the first point is
void CoreDistance::Add(const Side& side, const Point& own_point, const Point& other_point) {
  const bool is_first = &side == &first_;
  const Point &one = is_first ? own_point : other_point,
              &other = is_first ? other_point : own_point;
  const Vec3 w = one.at - other.at;
  const double distance = w.norm();
  if (!(distance > 0.0)) return;
  found_.push_back({w / distance, distance, one.at, other.at + separation_, one.feature,
                    other.feature, one.is_flat, other.is_flat});
}

/// Removes each minimum that coincides with a nearer one, and keeps the order of the others.
void CoreDistance::MergeCoincident() {
  enum : std::uint8_t { kOpen, kKept, kDropped };
  const std::size_t count = found_.size();
  if (count < 2) return;
  fate_.assign(count, kOpen);
  const auto coincide = [&](const CoreContact& one, const CoreContact& other) {
    return (one.on_first - other.on_first).squaredNorm() <= merge_ * merge_ ||
           (one.on_second - other.on_second).squaredNorm() <= merge_ * merge_;
  };
  for (;;) {
    std::size_t nearest = count;
    for (std::size_t k = 0; k < count; ++k) {
      if (fate_[k] != kOpen) continue;
      if (nearest == count || found_[k].distance < (1.0 - kCloser) * found_[nearest].distance) {
        nearest = k;
      }
    }
    if (nearest == count) break;
    for (std::size_t k = 0; k < count; ++k) {
      if (fate_[k] == kOpen && coincide(found_[k], found_[nearest])) fate_[k] = kDropped;
    }
    fate_[nearest] = kKept;
  }
  std::size_t kept = 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (fate_[k] == kKept) found_[kept++] = found_[k];
  }
  found_.erase(found_.begin() + static_cast<std::ptrdiff_t>(kept), found_.end());
}

/// Whether the cores overlap. They do not if the normal of the nearest minimum or any other axis
/// separates them.
bool CoreDistance::Overlap() const {
  if (low_ > high_) return false;
  // A point outside a polyhedron is above one of its faces.
  if (first_.Faces().empty() || second_.Faces().empty()) return true;
  const auto nearest = std::ranges::min_element(found_, {}, &CoreContact::distance);
  if (nearest != found_.end() &&
      first_.MinProjection(nearest->normal) + second_.MinProjection(-nearest->normal) > 0.0) {
    return false;
  }
  return !IsSeparatedByEdges();
}

bool CoreDistance::IsSeparatedByEdges() const {
  for (const PolyhedronEdge& one : first_.Edges()) {
    const Vec3 u = first_.At(one.to) - first_.At(one.from);
    for (const PolyhedronEdge& other : second_.Edges()) {
      const Vec3 axis = u.cross(second_.At(other.to) - second_.At(other.from));
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
  const auto keep = [&](std::size_t place, auto&& worth) {
    const auto best = std::ranges::max_element(contacts.subspan(place), {}, worth);
    std::swap(*best, contacts[place]);
  };
  keep(0, [](const CoreContact& one) { return -one.distance; });
  const Vec3 p = contacts[0].on_first, n = contacts[0].normal;
  keep(1, [&](const CoreContact& one) { return (one.on_first - p).squaredNorm(); });
  const Vec3 side = n.cross(contacts[1].on_first - p);
  keep(2, [&](const CoreContact& one) { return std::abs(side.dot(one.on_first - p)); });
  const double sign = side.dot(contacts[2].on_first - p) < 0.0 ? -1.0 : 1.0;
  keep(3, [&](const CoreContact& one) { return -sign * side.dot(one.on_first - p); });
  return contacts.first(kMax);
}

}  // namespace scree
