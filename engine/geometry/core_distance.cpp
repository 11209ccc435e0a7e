#include "engine/geometry/core_distance.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

namespace scree {
namespace {

/// Of an edge's length: so far beyond it a vertex still projects into its face. (Faces that are
/// flush have their contacts whatever rounding makes of them.)
constexpr double kBeyond = 1e-7;
/// Of a distance: nearer is what is nearer by more than this.
constexpr double kCloser = 1e-12;
/// Squared sine of edges that have no point of their own where they are nearest.
constexpr double kAlong = 1e-12;

double Least(const std::vector<Vec3>& points, const Vec3& axis) {
  double least = HUGE_VAL;
  for (const Vec3& point : points) least = std::min(least, axis.dot(point));
  return least;
}

}  // namespace

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

/// @param away  from the other core
bool CoreDistance::Side::HoldsVertex(std::size_t v, const Vec3& away) const {
  const double most = kParallel * away.norm();
  return std::ranges::none_of(Edges(), [&](const PolyhedronEdge& edge) {
    if (edge.from != v && edge.to != v) return false;
    const Vec3 along = at[edge.from == v ? edge.to : edge.from] - at[v];
    return along.dot(away) < -most * along.norm();
  });
}

bool CoreDistance::Side::HoldsEdge(const PolyhedronEdge& edge, const Vec3& away) const {
  const Vec3 along = at[edge.to] - at[edge.from];
  const double least = -kParallel * away.norm() * along.norm();
  return core->normals[edge.left].cross(along).dot(away) >= least &&
         along.cross(core->normals[edge.right]).dot(away) >= least;
}

std::span<CoreContact> CoreDistance::Between(const PlacedCore& first, const PlacedCore& second,
                                             const Vec3& apart, double limit, double touches) {
  apart_ = apart;
  limit_ = limit;
  merge_ = 0.25 * touches;
  found_.clear();
  Place(first, Vec3::Zero(), first_);
  Place(second, -apart, second_);
  if (!FindAxis()) return {};
  MarkNear();
  VertexFaces(first_, second_);
  VertexFaces(second_, first_);
  EdgeEdges();
  VertexEdges(first_, second_);
  VertexEdges(second_, first_);
  VertexVertices();
  if (Overlap()) {
    const double depth = low_ - high_;
    const Vec3 middle = first_.at[0];
    found_.assign(1, {axis_, depth, middle, middle + apart_, first_.FeatureOfVertex(0),
                      second_.FeatureOfVertex(0)});
  }
  return found_;
}

void CoreDistance::Place(const PlacedCore& core, const Vec3& at, Side& side) {
  side.core = &core;
  side.at.clear();
  for (const Member& vertex : core.vertices) side.at.push_back(vertex.centre + at);
}

/// Of the line of centres and all normals of faces the one along which the cores are farthest
/// apart.
/// @returns false if that is beyond the limit
bool CoreDistance::FindAxis() {
  low_ = -HUGE_VAL, high_ = HUGE_VAL;
  const double distance = apart_.norm();
  if (distance > 0.0) {
    const Vec3 axis = apart_ / distance;
    TryAxis(axis, Least(first_.at, axis), -Least(second_.at, -axis));
  }
  for (std::size_t f = 0; f < second_.Faces().size() && low_ - high_ <= limit_; ++f) {
    const Vec3& axis = second_.core->normals[f];
    TryAxis(axis, Least(first_.at, axis), axis.dot(second_.at[second_.Faces()[f].corners[0]]));
  }
  for (std::size_t f = 0; f < first_.Faces().size() && low_ - high_ <= limit_; ++f) {
    const Vec3& normal = first_.core->normals[f];
    TryAxis(-normal, -normal.dot(first_.at[first_.Faces()[f].corners[0]]),
            -Least(second_.at, normal));
  }
  return low_ - high_ <= limit_;
}

void CoreDistance::TryAxis(const Vec3& axis, double low, double high) {
  if (low - high <= low_ - high_) return;
  axis_ = axis;
  low_ = low;
  high_ = high;
}

/// Whatever the axis n, points at most L apart are between n⋅x ≤ high + L and n⋅y ≥ low − L.
void CoreDistance::MarkNear() {
  first_.near.clear();
  second_.near.clear();
  for (const Vec3& x : first_.at) first_.near.push_back(axis_.dot(x) <= high_ + limit_);
  for (const Vec3& y : second_.at) second_.near.push_back(axis_.dot(y) >= low_ - limit_);
}

void CoreDistance::VertexFaces(const Side& side, const Side& other) {
  for (std::size_t f = 0; f < other.Faces().size(); ++f) {
    const std::vector<std::uint16_t>& corners = other.Faces()[f].corners;
    const auto is_near = [&](std::uint16_t corner) { return other.near[corner] != 0; };
    if (std::ranges::none_of(corners, is_near)) continue;
    const Vec3& normal = other.core->normals[f];
    for (std::size_t v = 0; v < side.at.size(); ++v) {
      if (side.near[v] == 0) continue;
      const Vec3& x = side.at[v];
      const double height = normal.dot(x - other.at[corners[0]]);
      if (!(height > 0.0 && height <= limit_)) continue;
      bool is_over = true;
      for (std::size_t k = 0; k < corners.size() && is_over; ++k) {
        const Vec3 &p = other.at[corners[k]], &q = other.at[corners[(k + 1) % corners.size()]];
        is_over = normal.dot((q - p).cross(x - p)) >= -kBeyond * (q - p).squaredNorm();
      }
      if (!is_over || !side.HoldsVertex(v, height * normal)) continue;
      Add(side, {x, side.FeatureOfVertex(v)},
          {x - height * normal, other.core->shape->FeatureOfFace(f), true});
    }
  }
}

void CoreDistance::EdgeEdges() {
  for (std::size_t k = 0; k < first_.Edges().size(); ++k) {
    const PolyhedronEdge& one = first_.Edges()[k];
    if (!first_.IsNear(one)) continue;
    const Vec3 &p = first_.at[one.from], u = first_.at[one.to] - p;
    for (std::size_t l = 0; l < second_.Edges().size(); ++l) {
      const PolyhedronEdge& other = second_.Edges()[l];
      if (!second_.IsNear(other)) continue;
      const Vec3 &q = second_.at[other.from], v = second_.at[other.to] - q;
      const Vec3 across = u.cross(v), between = q - p;
      const double squared = across.squaredNorm();
      if (squared <= kAlong * u.squaredNorm() * v.squaredNorm()) continue;
      const double s = between.cross(v).dot(across) / squared;
      const double t = between.cross(u).dot(across) / squared;
      if (!(s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0)) continue;
      const Vec3 on_first = p + s * u, on_second = q + t * v, w = on_first - on_second;
      if (w.squaredNorm() > limit_ * limit_) continue;
      if (!first_.HoldsEdge(one, w) || !second_.HoldsEdge(other, -w)) continue;
      Add(first_, {on_first, first_.core->shape->FeatureOfEdge(k)},
          {on_second, second_.core->shape->FeatureOfEdge(l)});
    }
  }
}

void CoreDistance::VertexEdges(const Side& side, const Side& other) {
  for (std::size_t k = 0; k < other.Edges().size(); ++k) {
    const PolyhedronEdge& edge = other.Edges()[k];
    if (!other.IsNear(edge)) continue;
    const Vec3 &p = other.at[edge.from], along = other.at[edge.to] - p;
    for (std::size_t v = 0; v < side.at.size(); ++v) {
      if (side.near[v] == 0) continue;
      const Vec3 from = side.at[v] - p;
      const double s = from.dot(along) / along.squaredNorm();
      if (!(s > 0.0 && s < 1.0)) continue;
      const Vec3 w = from - s * along;
      if (w.squaredNorm() > limit_ * limit_ || !side.HoldsVertex(v, w) ||
          !other.HoldsEdge(edge, -w)) {
        continue;
      }
      Add(side, {side.at[v], side.FeatureOfVertex(v)},
          {p + s * along, other.core->shape->FeatureOfEdge(k)});
    }
  }
}

void CoreDistance::VertexVertices() {
  for (std::size_t v = 0; v < first_.at.size(); ++v) {
    for (std::size_t u = 0; u < (first_.near[v] ? second_.at.size() : 0); ++u) {
      const Vec3 w = first_.at[v] - second_.at[u];
      if (second_.near[u] == 0 || w.squaredNorm() > limit_ * limit_) continue;
      if (!first_.HoldsVertex(v, w) || !second_.HoldsVertex(u, -w)) continue;
      Add(first_, {first_.at[v], first_.FeatureOfVertex(v)},
          {second_.at[u], second_.FeatureOfVertex(u)});
    }
  }
}

/// @param side  whose point the first one is
void CoreDistance::Add(const Side& side, const Point& its, const Point& others) {
  const bool is_first = &side == &first_;
  const Point &one = is_first ? its : others, &other = is_first ? others : its;
  const Vec3 w = one.at - other.at;
  const double distance = w.norm();
  if (!(distance > 0.0)) return;
  const CoreContact contact = {w / distance, distance,      one.at,      other.at + apart_,
                               one.feature,  other.feature, one.is_flat, other.is_flat};
  for (CoreContact& old : found_) {
    if ((old.on_first - one.at).squaredNorm() > merge_ * merge_ &&
        (old.on_second - contact.on_second).squaredNorm() > merge_ * merge_) {
      continue;
    }
    if (distance < (1.0 - kCloser) * old.distance) old = contact;
    return;
  }
  found_.push_back(contact);
}

/// The nearest minimum proves that they do not, if its plane divides them; as any axis does.
bool CoreDistance::Overlap() const {
  if (low_ > high_) return false;
  // A point outside a polyhedron is above one of its faces.
  if (first_.Faces().empty() || second_.Faces().empty()) return true;
  const auto nearest = std::ranges::min_element(found_, {}, &CoreContact::distance);
  if (nearest != found_.end() &&
      Least(first_.at, nearest->normal) + Least(second_.at, -nearest->normal) > 0.0) {
    return false;
  }
  return !IsSeparatedByEdges();
}

bool CoreDistance::IsSeparatedByEdges() const {
  for (const PolyhedronEdge& one : first_.Edges()) {
    const Vec3 u = first_.at[one.to] - first_.at[one.from];
    for (const PolyhedronEdge& other : second_.Edges()) {
      const Vec3 axis = u.cross(second_.at[other.to] - second_.at[other.from]);
      if (Least(first_.at, axis) + Least(second_.at, -axis) > 0.0 ||
          Least(first_.at, -axis) + Least(second_.at, axis) > 0.0) {
        return true;
      }
    }
  }
  return false;
}

std::span<CoreContact> KeepFour(std::span<CoreContact> contacts) {
  constexpr std::size_t kMost = 4;
  if (contacts.size() <= kMost) return contacts;
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
  return contacts.first(kMost);
}

}  // namespace scree
