// Edges of walls next to the surfaces that support a sphere: drops the edges that the sphere does
// not feel, and finds the contact plane of the other edges.
#include <algorithm>
#include <cmath>

#include "engine/contacts/time_of_impact.hpp"
#include "engine/contacts/wall_detection.hpp"

namespace scree {
namespace {

/// Fraction of the distance: an edge that stands out of a surface by less is no obstacle. The first
/// value is for spheres, the second for polyhedra, whose rounding is small compared with their
/// size. This height is less than the slop by which resting bodies may sink into a surface.
constexpr double kUnfeltBySpheres = 1e-4, kUnfeltBySolids = 1e-3;
/// Fraction of the distance: a narrower gap between two surfaces is a crack, and the two count as
/// one surface. A sphere that rolls across does not feel the crack. It sinks into it by at most
/// w²/8, 0.5 %.
constexpr double kCrack = 0.2;
/// Minimum cosine of the angle between the normal and the direction to a border of such a crack
/// (sine kCrack).
constexpr double kOverCrack = 0.97;
/// Maximum ratio of the distance of a plane to that of an edge that stands out of it.
constexpr double kJustBeyond = 1.05;
/// Normals that differ by less are the same: 1 − cos of the angle.
constexpr double kSameNormal = 1e-12;
/// Fraction of a radius: a surface with a smaller radius of curvature is an edge.
constexpr double kEdge = 0.01;
/// Fraction of a radius: a sphere nearer than this touches.
constexpr double kMeets = 1e-6;

bool IsAlong(const Vec3& n, const Vec3& axis) {
  return std::abs(n.dot(axis)) > (1.0 - kSameNormal) * axis.norm();
}

/// The normal of a flat side of a part that is nearest to n; zero if the part has no flat side.
Vec3 FlatNormal(const ShapePart& part, const Vec3& n) {
  const auto towards = [&n](const Vec3& axis) {
    return Vec3(axis * (axis.dot(n) < 0.0 ? -1.0 : 1.0) / axis.norm());
  };
  if (const auto* disk = std::get_if<Disk>(&part)) return towards(disk->normal);
  if (std::holds_alternative<Block>(part)) {
    int axis = 0;
    n.cwiseAbs().maxCoeff(&axis);
    return towards(Vec3::Unit(axis));
  }
  const auto* cylinder = std::get_if<Cylinder>(&part);
  return cylinder != nullptr ? towards(cylinder->to - cylinder->from) : Vec3(Vec3::Zero());
}

/// Whether a part of a shape is flat where its normal is n.
bool IsFlatAlong(const ShapePart& part, const Vec3& n) {
  if (const auto* plane = std::get_if<Plane>(&part)) return IsAlong(n, plane->normal);
  if (const auto* disk = std::get_if<Disk>(&part)) return IsAlong(n, disk->normal);
  if (std::holds_alternative<Block>(part)) return n.cwiseAbs().maxCoeff() > 1.0 - kSameNormal;
  const auto* cylinder = std::get_if<Cylinder>(&part);
  return cylinder != nullptr && IsAlong(n, cylinder->to - cylinder->from);
}

}  // namespace

/// Drops touches with edges that are too low to be felt. Other open touches get the normal that
/// they will have when the sphere touches the edge, or passes nearest to it.
///
/// Consider a sphere that has sunk by δ into the plane that supports it. Another plane starts at
/// the same height, a distance s ahead. Without correction the sphere would hit the border of that
/// plane as if it were higher by δ, with a normal rotated by s/r, up to √(2 δ/r). Therefore the
/// contact with an edge is predicted from the position without overlaps, and along the supporting
/// planes.
void WallDetection::PredictEdgeNormals(std::span<const WallCandidate> candidates) {
  BridgeCracks();
  std::size_t kept = 0;
  for (std::size_t k = 0; k < touches_.size(); ++k) {
    Touch& touch = touches_[k];
    if (!IsFlat(touch)) {
      FindSupports(touch, candidates);
      const bool is_active =
          BridgeBorders(touch) ? IsActive(touch) : !IsTooLow(touch) && PredictTouch(touch);
      if (!is_active) continue;
    }
    if (kept < k) touches_[kept] = touches_[k];
    ++kept;
  }
  touches_.erase(touches_.begin() + static_cast<std::ptrdiff_t>(kept), touches_.end());
}

/// Makes a sphere over a narrow crack touch a plane across the crack, so that neither border stops
/// the sphere.
void WallDetection::BridgeCracks() {
  for (std::size_t k = 0; k + 1 < touches_.size(); ++k) {
    Touch& touch = touches_[k];
    if (IsOfCore(touch.sphere) || IsFlat(touch)) continue;
    for (std::size_t j = k + 1; j < touches_.size(); ++j) {
      const Touch& other = touches_[j];
      if (other.sphere.number != touch.sphere.number || IsFlat(other)) continue;
      if (!BridgeCrack(touch, other.position)) continue;
      touches_.erase(touches_.begin() + static_cast<std::ptrdiff_t>(j));
      break;
    }
  }
}

/// The same for a point of a polyhedron that no plane supports: bridges the crack between the
/// nearest borders under the point. An edge of the polyhedron that is next to one border may be
/// over the crack.
bool WallDetection::BridgeBorders(Touch& touch) const {
  if (!supports_.empty()) return false;
  for (std::size_t k = 0; k < borders_.size(); ++k) {
    const Border& border = borders_[k];
    for (std::size_t j = 0; j < k; ++j) {
      const Vec3& other = borders_[j].position;
      if ((other - border.position).norm() <= kMeets * touch.sphere.radius) continue;
      // The plane is that of the border's wall; the contact stays that of the touch.
      Touch nearest = touch;
      nearest.candidate = border.candidate;
      nearest.piece = border.piece;
      nearest.position = border.position;
      nearest.surface.distance = (touch.sphere.centre - border.position).norm();
      if (!BridgeCrack(nearest, other)) continue;
      touch.surface = nearest.surface;
      touch.position = nearest.position;
      touch.is_bridge = true;
      return true;
    }
  }
  return false;
}

/// Replaces the plane of a touch at one border of a crack by the plane to the other border, if that
/// border is near and the sphere is between the two. If the sphere does not feel their difference
/// in height, it gets the plane of the surface, because a small difference in height across a
/// narrow crack would give a steep plane.
/// @param border  the nearest point of the other border
bool WallDetection::BridgeCrack(Touch& touch, const Vec3& border) const {
  const Vec3 across = border - touch.position, from = touch.sphere.centre - touch.position;
  const double width = kCrack * std::abs(touch.surface.distance);
  if (!(across.squaredNorm() > 0.0 && across.squaredNorm() <= width * width)) return false;
  const Vec3 flat = FlatNormalAt(touch);
  const double height = flat.dot(across);
  const bool is_flat = !flat.isZero(0.0) && std::abs(height) <= MaxUnfeltHeight(touch);
  const Vec3 direction = is_flat ? Vec3(across - height * flat) : across;
  const double fraction = from.dot(direction) / direction.squaredNorm();
  if (!(fraction >= 0.0 && fraction <= 1.0)) return false;
  const Vec3 up = from - fraction * across;
  touch.surface =
      is_flat ? SurfacePoint{up.dot(flat), flat} : SurfacePoint{up.norm(), up.normalized()};
  touch.position += fraction * across;
  touch.is_bridge = true;
  return true;
}

/// The normal of a flat side at the touched edge; zero if there is none.
Vec3 WallDetection::FlatNormalAt(const Touch& touch) const {
  const PlacedWall wall = PlacedWallOf(*touch.candidate);
  const Vec3& normal = touch.surface.normal;
  const Vec3 n = wall.pose.is_rotated ? Vec3(wall.pose.rotation.transpose() * normal) : normal;
  Vec3 flat = Vec3::Zero();
  if (const TriangleMesh* mesh = MeshOf(wall.shape)) {
    flat = mesh->FaceNormalAt(touch.piece - FirstSurface(scene_, wall.wall), n);
  } else if (wall.shape.parts.size() == 1) {
    flat = FlatNormal(wall.shape.parts.front(), n);
  }
  return flat.dot(n) > kOverCrack ? wall.pose.DirectionInSpace(flat) : Vec3(Vec3::Zero());
}

/// Whether the sphere is over a plane of the wall.
bool WallDetection::IsFlat(const Touch& touch) const {
  if (touch.is_bridge) return true;
  const PlacedWall wall = PlacedWallOf(*touch.candidate);
  if (const TriangleMesh* mesh = MeshOf(wall.shape)) {
    return mesh->IsFace(touch.piece - FirstSurface(scene_, wall.wall));
  }
  const Vec3& normal = touch.surface.normal;
  const Vec3 n = wall.pose.is_rotated ? Vec3(wall.pose.rotation.transpose() * normal) : normal;
  return std::ranges::any_of(wall.shape.parts,
                             [&](const ShapePart& part) { return IsFlatAlong(part, n); });
}

/// Finds the other planes that support the sphere of a touch: among the touches of that sphere, or
/// by a search if the sphere stands for a point of a core.
void WallDetection::FindSupports(const Touch& touch, std::span<const WallCandidate> candidates) {
  supports_.clear();
  borders_.clear();
  if (IsOfCore(touch.sphere)) {
    for (const WallCandidate& candidate : candidates) AddSupports(touch, candidate);
    return;
  }
  for (const Touch& other : touches_) {
    if (other.sphere.number == touch.sphere.number && &other != &touch && IsFlat(other)) {
      supports_.push_back(other);
    }
  }
}

/// Adds the supporting planes of one wall, and the nearest points of the wall's edges.
void WallDetection::AddSupports(const Touch& touch, const WallCandidate& candidate) {
  const PlacedWall wall = PlacedWallOf(candidate);
  if (!wall.pose.is_present) return;
  const Vec3 x = wall.pose.InShape(touch.sphere.centre);
  const double limit = kJustBeyond * std::max(touch.surface.distance, touch.sphere.radius);
  Touch support = touch;
  support.candidate = &candidate;
  const auto add = [&](Index piece, const SurfacePoint& surface) {
    support.piece = piece;
    support.surface = {surface.distance, wall.pose.DirectionInSpace(surface.normal)};
    support.position = touch.sphere.centre - surface.distance * support.surface.normal;
    support.wall_velocity = wall.pose.SurfaceVelocity(support.position);
    supports_.push_back(support);
  };
  const auto add_border = [&](Index piece, const SurfacePoint& surface) {
    const Vec3 normal = wall.pose.DirectionInSpace(surface.normal);
    borders_.push_back({touch.sphere.centre - surface.distance * normal, &candidate, piece});
  };
  if (const TriangleMesh* mesh = MeshOf(wall.shape)) {
    mesh->FindPoints(x, limit, query_);
    for (const MeshPoint& point : query_.points) {
      const Index piece = FirstSurface(scene_, wall.wall) + point.feature;
      if (mesh->IsFace(point.feature)) {
        add(piece, {point.distance, point.normal});
      } else {
        add_border(piece, {point.distance, point.normal});
      }
    }
    return;
  }
  for (const ShapePart& part : wall.shape.parts) {
    const SurfacePoint surface = NearestSurface(part, x);
    if (surface.distance > limit) continue;
    if (IsFlatAlong(part, surface.normal)) {
      add(candidate.wall, surface);
    } else {
      add_border(candidate.wall, surface);
    }
  }
}

/// An edge that stands out of another surface by less than this height is not felt [m].
double WallDetection::MaxUnfeltHeight(const Touch& touch) const {
  const Touching& sphere = touch.sphere;
  const bool is_solid = !members_.IsEmpty() &&
                        (IsOfCore(sphere) || sphere.number < members_.FirstSphere(sphere.particle));
  const double fraction = is_solid ? kUnfeltBySolids : kUnfeltBySpheres;
  const TriangleMesh* const mesh = MeshOf(PlacedWallOf(*touch.candidate).shape);
  return std::max(fraction * std::abs(touch.surface.distance), mesh ? mesh->Resolution() : 0.0);
}

/// Whether the touch lies in the plane of a support, now and at the end of the step, and the
/// support extends to the touch, except for a crack.
bool WallDetection::IsTooLow(const Touch& touch) const {
  const double width = kCrack * std::abs(touch.surface.distance);
  return std::ranges::any_of(supports_, [&](const Touch& support) {
    if (support.is_bridge) return false;
    const double height = std::max(MaxUnfeltHeight(touch), MaxUnfeltHeight(support));
    const Vec3 later = touch.position + rule_.dt * (touch.wall_velocity - support.wall_velocity);
    const auto is_in_plane = [&](const Vec3& point) {
      return std::abs(support.surface.normal.dot(point - support.position)) <= height;
    };
    if (!is_in_plane(touch.position) || !is_in_plane(later)) return false;
    const PlacedWall wall = PlacedWallOf(*support.candidate);
    const TriangleMesh* const mesh = MeshOf(wall.shape);
    const Index first = mesh ? FirstSurface(scene_, wall.wall) : 0;
    if (mesh != nullptr && support.candidate == touch.candidate &&
        mesh->Has(support.piece - first, touch.piece - first)) {
      return false;
    }
    const auto reaches = [&](const Vec3& point) {
      const Vec3 x = wall.pose.InShape(point);
      return mesh ? mesh->Contains(support.piece - first, x, width)
                  : NearestSurface(wall.shape, x).distance <= width;
    };
    return reaches(touch.position) && reaches(later);
  });
}

/// Replaces a touch at an edge by the predicted touch when the sphere hits the edge.
/// @returns whether the touch is still active
bool WallDetection::PredictTouch(Touch& touch) const {
  if (!rule_.speculative) return true;
  if (IsOfCore(touch.sphere) && touch.core_edge.isZero(0.0)) return true;
  const Touching& sphere = touch.sphere;
  Vec3 x = sphere.centre, path = rule_.dt * sphere.velocity;
  double distance = touch.surface.distance;
  for (const Touch& support : supports_) {
    const Vec3& normal = support.surface.normal;
    const double overlap = sphere.radius - support.surface.distance - normal.dot(x - sphere.centre);
    if (overlap > 0.0) x += overlap * normal;
    path = RemainingPath(support, path);
  }
  const bool is_held = !supports_.empty();
  if (is_held) distance = (x - touch.position).norm();
  if (!(distance > sphere.radius)) return true;
  const Vec3 path_velocity = is_held ? Vec3(path / rule_.dt) : sphere.velocity;
  Vec3 velocity = path_velocity - touch.wall_velocity;
  velocity -= velocity.dot(touch.core_edge) * touch.core_edge;
  SurfacePoint later = PredictPlane(touch, x, velocity);
  if (later.normal.dot(touch.surface.normal) > 1.0 - kSameNormal) return true;
  // With an open gap the sphere would meet the edge in the next step, with a normal nearer to that
  // of the plane, and would feel the edge less.
  if (is_held && velocity.dot(later.normal) < 0.0 &&
      later.distance + rule_.dt * velocity.dot(later.normal) <= (1.0 + kMeets) * sphere.radius) {
    later.distance = std::min(later.distance, sphere.radius);
  }
  touch.surface = later;
  touch.position = sphere.centre - later.distance * later.normal;
  return IsActive(touch);
}

/// The contact plane at the time when the sphere first hits the edge; the present plane if the
/// touch is not at an edge.
/// @param x         the centre [m]
/// @param velocity  relative to the wall [m/s]
SurfacePoint WallDetection::PredictPlane(const Touch& touch, const Vec3& x,
                                         const Vec3& velocity) const {
  const PlacedWall wall = PlacedWallOf(*touch.candidate);
  const double radius = touch.sphere.radius;
  SurfacePoint predicted = touch.surface;
  Vec3 point = touch.position;
  constexpr int kMaxChecks = 8;  // the touch moves with the sphere along an edge
  for (int k = 0; k < kMaxChecks; ++k) {
    const Vec3 impact_place = x + TimeOfImpact(x - point, velocity, radius, rule_.dt) * velocity;
    // An edge of a core moves past one point of the wall.
    const Vec3 from = impact_place - point;
    const SurfacePoint later = IsOfCore(touch.sphere) ? SurfacePoint{from.norm(), from.normalized()}
                                                      : PlaceOf(wall, touch.piece, impact_place);
    const Vec3& normal = later.normal;
    const Vec3 next = impact_place - later.distance * normal;
    if (later.distance < (1.0 - kMeets) * radius) {
      // The sphere hits the edge at a point farther along the edge than the present nearest point.
      if ((next - point).norm() <= kMeets * radius) break;
      point = next;
      continue;
    }
    const Vec3 turned = normal - touch.surface.normal;
    // On a round surface the touch moves as the normal rotates.
    if ((next - touch.position).dot(turned) > kEdge * radius * turned.squaredNorm()) break;
    predicted = {later.distance + normal.dot(x - impact_place), normal};
    if ((next - point).norm() <= kMeets * radius) break;
    point = next;
  }
  return predicted;
}

/// The nearest point of a wall, or of an edge or a vertex of a mesh.
SurfacePoint WallDetection::PlaceOf(const PlacedWall& wall, Index piece, const Vec3& x) const {
  const TriangleMesh* const mesh = MeshOf(wall.shape);
  const Vec3 in_shape = wall.pose.InShape(x);
  const Index feature = mesh ? piece - FirstSurface(scene_, wall.wall) : 0;
  SurfacePoint point =
      mesh ? mesh->SurfacePointFrom(feature, mesh->NearestOn(feature, in_shape), in_shape)
           : NearestSurface(wall.shape, in_shape);
  point.normal = wall.pose.DirectionInSpace(point.normal);
  return point;
}

}  // namespace scree
