// Contacts with edges of walls next to surfaces that support a sphere. Edges that the sphere does
// not feel are dropped. The other edges get their contact plane here.
#include <algorithm>
#include <cmath>

#include "engine/contacts/time_of_impact.hpp"
#include "engine/contacts/wall_detection.hpp"

namespace scree {
namespace {

/// Fraction of the distance from the centre to an edge: an edge that stands out of a surface by
/// less is no obstacle. The fraction is larger for polyhedra, whose rounding is small compared with
/// their size. These heights are less than the slop by which resting bodies may sink into a
/// surface.
constexpr double kUnfeltBySpheres = 1e-4, kUnfeltBySolids = 1e-3;
/// Fraction w of the distance: a narrower gap between two surfaces is a crack, and the two count as
/// one surface. A sphere that rolls across does not feel the crack. The sphere sinks into it by at
/// most w²/8 = 0.5 % of the distance.
constexpr double kCrack = 0.2;
/// Minimum cosine of the angle between the normal of a surface and the direction to the border of a
/// crack in it. (The sine is at most kCrack.)
constexpr double kMinCrackCosine = 0.97;
/// Planes that may support a sphere are sought up to this multiple of the distance of its touch.
constexpr double kSupportReach = 1.05;
/// Normals that differ by less are the same: 1 − cos of the angle.
constexpr double kSameNormal = 1e-12;
/// Fraction of a radius: a surface with a smaller radius of curvature is an edge.
constexpr double kEdge = 0.01;
/// Fraction of a radius: a sphere nearer than this touches.
constexpr double kTouches = 1e-6;

bool IsAlong(const Vec3& n, const Vec3& axis) {
  return std::abs(n.dot(axis)) > (1.0 - kSameNormal) * axis.norm();
}

/// The normal nearest to n among the flat sides of a part; zero if the part has no flat side.
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
/// the same height, a distance s ahead. Without correction the sphere would hit the border of the
/// second plane as if the border were higher by δ, with a normal rotated by s/r, at most √(2 δ/r).
/// The contact with an edge is therefore predicted from the position without overlaps, for a path
/// along the supporting planes.
void WallDetection::PredictEdgeNormals(std::span<const WallCandidate> candidates) {
  BridgeCracks();
  std::size_t kept = 0;
  for (std::size_t k = 0; k < touches_.size(); ++k) {
    Touch& touch = touches_[k];
    if (!IsFlat(touch)) {
      FindSupports(touch, candidates);
      const bool is_active =
          BridgeBorders(touch) ? IsActive(touch) : !IsUnfelt(touch) && PredictTouch(touch);
      if (!is_active) continue;
    }
    if (kept < k) touches_[kept] = touches_[k];
    ++kept;
  }
  touches_.erase(touches_.begin() + static_cast<std::ptrdiff_t>(kept), touches_.end());
}

/// Gives a sphere over a narrow crack a contact plane across the crack, so that neither border
/// stops the sphere.
void WallDetection::BridgeCracks() {
  for (std::size_t k = 0; k + 1 < touches_.size(); ++k) {
    Touch& touch = touches_[k];
    if (IsCorePoint(touch.sphere) || IsFlat(touch)) continue;
    for (std::size_t j = k + 1; j < touches_.size(); ++j) {
      const Touch& other = touches_[j];
      if (other.sphere.number != touch.sphere.number || IsFlat(other)) continue;
      if (!BridgeCrack(touch, other.position)) continue;
      touches_.erase(touches_.begin() + static_cast<std::ptrdiff_t>(j));
      break;
    }
  }
}

/// Bridges a crack under a core point of a polyhedron, if no plane supports this point. The borders
/// come from a search, because an edge of the polyhedron over a crack may touch only one border.
/// @returns whether a crack was bridged
bool WallDetection::BridgeBorders(Touch& touch) const {
  if (!supports_.empty()) return false;
  for (std::size_t k = 0; k < borders_.size(); ++k) {
    const Border& border = borders_[k];
    for (std::size_t j = 0; j < k; ++j) {
      const Vec3& other = borders_[j].position;
      if ((other - border.position).norm() <= kTouches * touch.sphere.radius) continue;
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

/// Replaces the plane of a touch at one border of a crack by the plane across the crack, if the
/// other border is near and the sphere is between both. If the sphere does not feel the difference
/// in height between the borders, it gets the plane of the surface instead: even a small difference
/// in height makes the plane across a narrow crack steep.
/// @param border  the nearest point of the other border
/// @returns whether the plane was replaced
bool WallDetection::BridgeCrack(Touch& touch, const Vec3& border) const {
  const Vec3 across = border - touch.position, arm = touch.sphere.centre - touch.position;
  const double width = kCrack * std::abs(touch.surface.distance);
  if (!(across.squaredNorm() > 0.0 && across.squaredNorm() <= width * width)) return false;
  const Vec3 flat_normal = FlatNormalAt(touch);
  const double height = flat_normal.dot(across);
  const bool is_flat = !flat_normal.isZero(0.0) && std::abs(height) <= MaxUnfeltHeight(touch);
  const Vec3 direction = is_flat ? Vec3(across - height * flat_normal) : across;
  const double fraction = arm.dot(direction) / direction.squaredNorm();
  if (!(fraction >= 0.0 && fraction <= 1.0)) return false;
  const Vec3 up = arm - fraction * across;
  touch.surface = is_flat ? SurfacePoint{up.dot(flat_normal), flat_normal}
                          : SurfacePoint{up.norm(), up.normalized()};
  touch.position += fraction * across;
  touch.is_bridge = true;
  return true;
}

/// The normal of a flat side next to the touched edge; zero if no side is flat.
Vec3 WallDetection::FlatNormalAt(const Touch& touch) const {
  const PlacedWall wall = PlacedWallOf(*touch.candidate);
  const Vec3& normal = touch.surface.normal;
  const Vec3 n = wall.pose.is_rotated ? Vec3(wall.pose.rotation.transpose() * normal) : normal;
  Vec3 flat_normal = Vec3::Zero();
  if (const TriangleMesh* mesh = MeshOf(wall.shape)) {
    flat_normal = mesh->FaceNormalAt(touch.piece - FirstSurface(scene_, wall.wall), n);
  } else if (wall.shape.parts.size() == 1) {
    flat_normal = FlatNormal(wall.shape.parts.front(), n);
  }
  return flat_normal.dot(n) > kMinCrackCosine ? wall.pose.DirectionInSpace(flat_normal)
                                              : Vec3(Vec3::Zero());
}

/// Whether the sphere is over a flat part of the wall.
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

/// Finds the planes that support the sphere of a touch: among its other touches, or by a search if
/// the sphere represents a point of a core.
void WallDetection::FindSupports(const Touch& touch, std::span<const WallCandidate> candidates) {
  supports_.clear();
  borders_.clear();
  if (IsCorePoint(touch.sphere)) {
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
  const double limit = kSupportReach * std::max(touch.surface.distance, touch.sphere.radius);
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

/// The height below which an edge that stands out of a surface is not felt [m].
double WallDetection::MaxUnfeltHeight(const Touch& touch) const {
  const TouchingSphere& sphere = touch.sphere;
  const bool is_solid =
      !members_.IsEmpty() &&
      (IsCorePoint(sphere) || sphere.number < members_.FirstSphere(sphere.particle));
  const double fraction = is_solid ? kUnfeltBySolids : kUnfeltBySpheres;
  const TriangleMesh* const mesh = MeshOf(PlacedWallOf(*touch.candidate).shape);
  return std::max(fraction * std::abs(touch.surface.distance), mesh ? mesh->Resolution() : 0.0);
}

/// Whether the sphere does not feel the touched edge: the touch lies in the plane of a support, now
/// and at the end of the step, and the support extends to the touch, except for a crack.
bool WallDetection::IsUnfelt(const Touch& touch) const {
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
        mesh->HasFeature(support.piece - first, touch.piece - first)) {
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

/// Replaces a touch at an edge by the touch predicted for the time when the sphere hits the edge.
/// Not in hollow walls, where WallBody::closing contains the motion of the nearest point: with
/// both, a sphere in a pipe would lose energy.
/// @returns whether the touch is still active
bool WallDetection::PredictTouch(Touch& touch) const {
  if (!rule_.speculative || touch.closing > 0.0) return true;
  if (IsCorePoint(touch.sphere) && touch.core_edge.isZero(0.0)) return true;
  const TouchingSphere& sphere = touch.sphere;
  Vec3 x = sphere.centre, path = rule_.dt * sphere.velocity;
  double distance = touch.surface.distance;
  for (const Touch& support : supports_) {
    const Vec3& normal = support.surface.normal;
    const double overlap = sphere.radius - support.surface.distance - normal.dot(x - sphere.centre);
    if (overlap > 0.0) x += overlap * normal;
    path = RemainingPath(support, path);
  }
  const bool is_supported = !supports_.empty();
  if (is_supported) distance = (x - touch.position).norm();
  if (!(distance > sphere.radius)) return true;
  const Vec3 path_velocity = is_supported ? Vec3(path / rule_.dt) : sphere.velocity;
  Vec3 velocity = path_velocity - touch.wall_velocity;
  velocity -= velocity.dot(touch.core_edge) * touch.core_edge;
  SurfacePoint later = PredictPlane(touch, x, velocity);
  if (later.normal.dot(touch.surface.normal) > 1.0 - kSameNormal) return true;
  // The gap to an edge that will be hit counts as closed. Otherwise the sphere would hit the edge
  // in the next step, with a normal nearer to that of the plane, and would feel the edge less.
  if (is_supported && velocity.dot(later.normal) < 0.0 &&
      later.distance + rule_.dt * velocity.dot(later.normal) <= (1.0 + kTouches) * sphere.radius) {
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
  constexpr int kMaxChecks = 8;  // of points to which the touch moves along an edge
  for (int k = 0; k < kMaxChecks; ++k) {
    const Vec3 impact_position = x + TimeOfImpact(x - point, velocity, radius, rule_.dt) * velocity;
    // An edge of a core moves past one point of the wall.
    const Vec3 arm = impact_position - point;
    const SurfacePoint later = IsCorePoint(touch.sphere)
                                   ? SurfacePoint{arm.norm(), arm.normalized()}
                                   : NearestOnPiece(wall, touch.piece, impact_position);
    const Vec3& normal = later.normal;
    const Vec3 next = impact_position - later.distance * normal;
    if (later.distance < (1.0 - kTouches) * radius) {
      // The sphere hits the edge farther along than at the present nearest point.
      if ((next - point).norm() <= kTouches * radius) break;
      point = next;
      continue;
    }
    const Vec3 normal_change = normal - touch.surface.normal;
    // A touch that moves as the normal rotates is on a round surface, not at an edge.
    if ((next - touch.position).dot(normal_change) > kEdge * radius * normal_change.squaredNorm())
      break;
    predicted = {later.distance + normal.dot(x - impact_position), normal};
    if ((next - point).norm() <= kTouches * radius) break;
    point = next;
  }
  return predicted;
}

/// The point of a wall, or of an edge or a vertex of a mesh, that is nearest to x. The normal is in
/// world axes.
SurfacePoint WallDetection::NearestOnPiece(const PlacedWall& wall, Index piece,
                                           const Vec3& x) const {
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
