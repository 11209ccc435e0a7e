#include "engine/scene/link_overlaps.hpp"

#include <algorithm>
#include <cmath>

#include "engine/geometry/surface_triangles.hpp"
#include "engine/geometry/triangle_mesh.hpp"
#include "engine/scene/machines.hpp"

namespace scree {
namespace {

/// Overlaps up to this fraction of the size of the smaller solid count as rounding. Files may have
/// single precision.
constexpr double kMaxRounding = 1e-6;

struct DeepestPoint {
  double depth = 0.0;  // sum of the depths in both solids [m]
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::Zero();  // of the second solid at the nearest point of its surface
};

/// Two solids and the box that contains their intersection.
struct SolidPair {
  const ShapePart &solid_a, &solid_b;
  Box common;
  double tolerance;  // larger depths are overlaps [m]

  SolidPair(const ShapePart& a, const ShapePart& b) : solid_a(a), solid_b(b) {
    const Box box_a = BoundingBox({{a}}), box_b = BoundingBox({{b}});
    common = {box_a.lower.cwiseMax(box_b.lower), box_a.upper.cwiseMin(box_b.upper)};
    tolerance = kMaxRounding * std::min(box_a.Extent().maxCoeff(), box_b.Extent().maxCoeff());
  }
  bool CanOverlap() const {
    return common.Extent().allFinite() && common.Extent().minCoeff() >= -tolerance;
  }
  /// Sum of the depths of a point in both solids; 0 if it is outside one of them. For half spaces
  /// with parallel surfaces, the sum is the same at all points between the surfaces.
  double DepthAt(const Vec3& x) const {
    const double depth_a = -NearestSurface(solid_a, x).distance;
    if (depth_a < -tolerance) return 0.0;
    const double depth_b = -NearestSurface(solid_b, x).distance;
    return depth_b < -tolerance ? 0.0 : depth_a + depth_b;
  }
  bool Contains(const Vec3& x) const {
    return NearestSurface(solid_a, x).distance <= tolerance &&
           NearestSurface(solid_b, x).distance <= tolerance;
  }
};

void TryPoint(const SolidPair& pair, const Vec3& x, DeepestPoint& deepest) {
  const double depth = pair.DepthAt(x);
  if (depth > deepest.depth) deepest = {depth, x, NearestSurface(pair.solid_b, x).normal};
}

/// Tries the points of a grid in the common box.
void TryGrid(const SolidPair& pair, DeepestPoint& deepest) {
  constexpr int kPoints = 16;
  const Vec3 width = pair.common.Extent().cwiseMax(0.0) / kPoints;
  for (int point = 0; point < kPoints * kPoints * kPoints; ++point) {
    const Vec3 index(point % kPoints, point / kPoints % kPoints, point / (kPoints * kPoints));
    TryPoint(pair, pair.common.lower + width.cwiseProduct(index + 0.5 * Vec3::Ones()), deepest);
  }
}

/// Tries points on the surface of a solid. A sheet has no other points.
void TrySurface(const SolidPair& pair, const ShapePart& part, DeepestPoint& deepest) {
  constexpr int kPoints = 6;  // along an edge
  SurfaceTriangles surface;
  AddTriangles(part, pair.common, surface);
  for (const auto& corners : surface.triangles) {
    const Vec3 &a = surface.points[corners[0]], &b = surface.points[corners[1]],
               &c = surface.points[corners[2]];
    const Box bounds = {a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)};
    if ((bounds.lower.array() > pair.common.upper.array() + pair.tolerance).any() ||
        (bounds.upper.array() < pair.common.lower.array() - pair.tolerance).any()) {
      continue;
    }
    for (int i = 0; i <= kPoints; ++i) {
      for (int k = 0; k <= kPoints - i; ++k) {
        TryPoint(pair, a + (i * (b - a) + k * (c - a)) / kPoints, deepest);
      }
    }
  }
}

/// Moves the deepest point to deeper points nearby, with shorter and shorter steps.
void AscendDepth(const SolidPair& pair, DeepestPoint& deepest) {
  constexpr int kIterations = 12;
  Vec3 step = pair.common.Extent().cwiseMax(0.0) / 16.0;
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    const double old_depth = deepest.depth;
    for (Index axis = 0; axis < 3; ++axis) {
      for (const double side : {-1.0, 1.0}) {
        TryPoint(pair, deepest.point + side * step[axis] * Vec3::Unit(axis), deepest);
      }
    }
    if (deepest.depth == old_depth) step *= 0.5;
  }
}

/// Whether the overlap is a bearing on the ground: both solids contain the point of a ball joint,
/// or the same point on the axis of a hinge.
bool IsBearing(const SolidPair& pair, const Joint& joint) {
  if (joint.kind == JointKind::kBall) return pair.Contains(joint.point);
  if (joint.kind != JointKind::kHinge) return false;
  constexpr int kPoints = 256;
  const Vec3 middle = 0.5 * (pair.common.lower + pair.common.upper);
  const Vec3 foot = joint.point + joint.axis.dot(middle - joint.point) * joint.axis;
  const double half = 0.5 * pair.common.Extent().norm() + pair.tolerance;
  for (int k = 0; k <= kPoints; ++k) {
    if (pair.Contains(foot + half * (2.0 * k / kPoints - 1.0) * joint.axis)) return true;
  }
  return false;
}

/// Groups of links that are fixed to each other, and their neighbours.
class Neighbours {
 public:
  explicit Neighbours(const Scene& scene) : scene_(scene), body_(scene.links.size()) {
    for (std::size_t l = 0; l < body_.size(); ++l) body_[l] = static_cast<Index>(l);
    for (const Joint& joint : scene.joints) {
      if (joint.IsFixed()) body_[static_cast<std::size_t>(joint.child)] = BodyOf(joint.parent);
    }
  }
  /// The first link of the group; kGround if the group is fixed to the ground.
  Index BodyOf(Index link) const {
    return link == Joint::kGround ? link : body_[static_cast<std::size_t>(link)];
  }
  bool AreConnected(Index a, Index b) const {
    const auto connects = [&](const auto& joint) {
      const Index parent = BodyOf(joint.parent), child = BodyOf(joint.child);
      return (parent == a && child == b) || (parent == b && child == a);
    };
    return a == b || std::ranges::any_of(scene_.joints, connects) ||
           std::ranges::any_of(scene_.loop_joints, connects);
  }
  /// Whether a joint between the body and the ground is a bearing for these solids.
  bool HasBearing(Index body, const SolidPair& pair) const {
    return std::ranges::any_of(scene_.joints, [&](const Joint& joint) {
      return BodyOf(joint.child) == body && BodyOf(joint.parent) == Joint::kGround &&
             IsBearing(pair, joint);
    });
  }

 private:
  const Scene& scene_;
  std::vector<Index> body_;
};

/// The motions of links that the joints allow at time zero.
class Mobility {
 public:
  explicit Mobility(const Scene& scene) : machines_(scene, {}) {
    for (std::size_t k = 0; k < machines_.Count(); ++k) trees_.push_back(machines_.TreeOf(k));
  }
  /// Whether two walls can move relative to each other along the normal at a point. A wheel that
  /// reaches into the wall next to it cannot.
  bool CanMeet(const Wall& wall, const Wall& other, const DeepestPoint& contact) const {
    constexpr double kMinNormalFraction = 1e-6;
    if (other.IsDriven() || other.IsFree()) return true;
    const auto can_move = [&](const Wall& mover, const Wall& partner) {
      if (!mover.IsPartOfLink()) return false;
      const LinkMotion& motion = machines_.Motion(static_cast<std::size_t>(mover.link));
      const std::vector<FreeAxis>& axes = trees_[static_cast<std::size_t>(motion.tree)].axes;
      for (std::size_t k = 0; k < axes.size(); ++k) {
        if (!motion.IsMovedBy(k) || IsWallMovedBy(k, motion.tree, partner)) continue;
        const Vec3 velocity = axes[k].VelocityAt(contact.point);
        if (std::abs(velocity.dot(contact.normal)) > kMinNormalFraction * velocity.norm())
          return true;
      }
      return false;
    };
    return can_move(wall, other) || can_move(other, wall);
  }

 private:
  bool IsWallMovedBy(std::size_t axis, Index tree, const Wall& other) const {
    if (!other.IsPartOfLink()) return false;
    const LinkMotion& motion = machines_.Motion(static_cast<std::size_t>(other.link));
    return motion.tree == tree && motion.IsMovedBy(axis);
  }

  const Machines machines_;
  std::vector<FreeTree> trees_;
};

bool IsHalfSpace(const Wall& wall) {
  return std::ranges::any_of(
      wall.shape.parts, [](const ShapePart& part) { return std::holds_alternative<Plane>(part); });
}

/// Finds the deepest point of two walls.
/// @param body  body of the first wall if the second wall is on the ground; else kGround
DeepestPoint FindDeepest(const Wall& wall, const Wall& other, const Neighbours& neighbours,
                         Index body) {
  DeepestPoint deepest;
  for (const ShapePart& a : wall.shape.parts) {
    for (const ShapePart& b : other.shape.parts) {
      const SolidPair pair(a, b);
      if (!pair.CanOverlap()) continue;
      DeepestPoint found;
      TryGrid(pair, found);
      TrySurface(pair, a, found);
      TrySurface(pair, b, found);
      if (!(found.depth > deepest.depth)) continue;
      AscendDepth(pair, found);
      if (found.depth <= 2.0 * pair.tolerance) continue;
      if (body != Joint::kGround && neighbours.HasBearing(body, pair)) continue;
      deepest = found;
    }
  }
  return deepest;
}

}  // namespace

std::vector<LinkOverlap> FindLinkOverlaps(const Scene& scene) {
  std::vector<LinkOverlap> found;
  if (scene.links.empty()) return found;
  const Neighbours neighbours(scene);
  const Mobility mobility(scene);
  const auto is_present = [](const Wall& wall) {
    return IsLoaded(wall.shape) && !(wall.appears_at > 0.0);
  };
  for (std::size_t w = 0; w < scene.walls.size(); ++w) {
    const Wall& wall = scene.walls[w];
    if (!wall.IsPartOfLink() || !is_present(wall) || IsHalfSpace(wall)) continue;
    const Index body = neighbours.BodyOf(wall.link);
    for (std::size_t o = 0; o < scene.walls.size(); ++o) {
      const Wall& other = scene.walls[o];
      if (!is_present(other)) continue;
      const bool is_link = other.IsPartOfLink();
      if (is_link && (o <= w || IsHalfSpace(other))) continue;
      const Index body_of_other = is_link ? neighbours.BodyOf(other.link) : Joint::kGround;
      if (is_link && neighbours.AreConnected(body, body_of_other)) continue;
      if (body == body_of_other) continue;  // both are fixed to the ground
      const DeepestPoint deepest =
          FindDeepest(wall, other, neighbours, is_link ? Joint::kGround : body);
      if (!(deepest.depth > 0.0) || !mobility.CanMeet(wall, other, deepest)) continue;
      found.push_back({w, o, deepest.depth, deepest.point});
    }
  }
  return found;
}

}  // namespace scree
