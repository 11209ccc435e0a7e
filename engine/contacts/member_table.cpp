#include "engine/contacts/member_table.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace scree {
namespace {

constexpr double kInside = 1.0 - 1e-12;  // fraction of the radius that counts as inside

bool IsInside(const Vec3& point, const Member& member) {
  const double within = kInside * member.radius;
  return (point - member.centre).squaredNorm() < within * within;
}

/// A core in the pose of its body.
struct PlacedFaces {
  const Polyhedron& core;
  std::span<const Member> balls;  // at the vertices
  std::span<const Vec3> normals;

  /// Whether x projects into face f.
  /// @pre x is above the plane of the face
  bool ProjectsIntoFace(std::size_t f, const Vec3& x) const {
    const std::vector<std::uint16_t>& corners = core.faces[f].corners;
    const Vec3* start = &balls[corners.back()].centre;
    for (const std::uint16_t corner : corners) {
      const Vec3& end = balls[corner].centre;
      if (normals[f].dot((end - *start).cross(x - *start)) < 0.0) return false;
      start = &end;
    }
    return true;
  }

  /// The point of the core nearest to x; x itself if x is inside.
  Vec3 NearestTo(const Vec3& x) const {
    bool is_inside = true;
    for (std::size_t f = 0; f < normals.size(); ++f) {
      const double height = normals[f].dot(x - balls[core.faces[f].corners[0]].centre);
      if (height <= 0.0) continue;
      is_inside = false;
      if (ProjectsIntoFace(f, x)) return x - height * normals[f];
    }
    if (is_inside) return x;
    Vec3 nearest = balls[0].centre;
    double min = HUGE_VAL;
    for (const PolyhedronEdge& edge : core.edges) {
      const Vec3 &p = balls[edge.from].centre, direction = balls[edge.to].centre - p;
      const Vec3 position =
          p + std::clamp((x - p).dot(direction) / direction.squaredNorm(), 0.0, 1.0) * direction;
      const double squared = (x - position).squaredNorm();
      if (squared >= min) continue;
      min = squared;
      nearest = position;
    }
    return nearest;
  }
};

}  // namespace

void MemberTable::Set(const Particles& particles, std::span<const ClumpShape> clumps) {
  first_.assign(1, 0);
  all_.clear();
  solids_.clear();
  first_solid_.clear();
  first_normal_.clear();
  normals_.clear();
  const bool has_solids =
      std::ranges::any_of(clumps, [](const ClumpShape& shape) { return !shape.solids.empty(); });
  if (has_solids) first_solid_.assign(1, 0);
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    const double radius = particles.radius[i];
    if (particles.shape[i] == kSphereShape) {
      all_.push_back({Vec3::Zero(), radius});
    } else {
      const Mat3 scaled_rotation = radius * RotationMatrix(particles.orientation[i]);
      for (const Member& member :
           clumps[static_cast<std::size_t>(particles.shape[i] - 1)].members) {
        all_.push_back({scaled_rotation * member.centre, radius * member.radius});
      }
    }
    first_.push_back(static_cast<Index>(all_.size()));
    if (has_solids) AddSolids(particles, i, clumps);
  }
}

void MemberTable::AddSolids(const Particles& particles, std::size_t i,
                            std::span<const ClumpShape> clumps) {
  first_normal_.push_back(normals_.size());
  if (particles.shape[i] != kSphereShape) {
    const Mat3 rotation = RotationMatrix(particles.orientation[i]);
    const double radius = particles.radius[i];
    for (const SolidMember& solid :
         clumps[static_cast<std::size_t>(particles.shape[i] - 1)].solids) {
      solids_.push_back(
          {&solid, {radius * (rotation * solid.bounds.centre), radius * solid.bounds.radius}});
      for (const PolyhedronFace& face : solid.core.faces)
        normals_.push_back(rotation * face.normal);
    }
  }
  first_solid_.push_back(solids_.size());
}

/// The solid to which a feature belongs; null: the feature is a sphere.
const SolidMember* MemberTable::SolidAt(std::size_t particle, std::uint16_t feature) const {
  const std::span<const PlacedSolid> solids = SolidsOf(particle);
  const bool is_member = feature < MembersOf(particle).size();
  if (is_member && feature >= FirstSphere(particle)) return nullptr;
  const SolidMember* found = nullptr;
  for (const PlacedSolid& solid : solids) {
    if (feature < (is_member ? solid.shape->first_ball : solid.shape->first_edge)) break;
    found = solid.shape;
  }
  return found;
}

bool MemberTable::Covers(std::size_t particle, std::uint16_t feature, const Vec3& feature_point,
                         const Vec3& n, const Vec3& from) const {
  if (IsEmpty()) return false;
  const std::size_t count = MembersOf(particle).size(), spheres = FirstSphere(particle);
  if (SolidsOf(particle).size() + (count - spheres) == 1) return false;
  const Vec3 point = feature_point - RoundingAt(particle, feature) * n;
  return IsCovered(particle, SolidAt(particle, feature), feature, point, from);
}

/// @param own  solid to which the feature belongs; null: the feature is a sphere
bool MemberTable::IsCovered(std::size_t particle, const SolidMember* own, std::uint16_t feature,
                            const Vec3& point, const Vec3& from) const {
  const std::span<const Member> all = MembersOf(particle);
  const auto faces_of = [&](const SolidMember& solid) {
    return PlacedFaces{solid.core, BallsOf(particle, solid), NormalsOf(particle, solid)};
  };
  const auto is_inside = [&](const SolidMember& solid, const Vec3& x) {
    return IsInside(x, {faces_of(solid).NearestTo(x), all[solid.first_ball].radius});
  };
  const auto is_inside_own = [&](const Vec3& x) {
    return own != nullptr ? is_inside(*own, x) : IsInside(x, all[feature]);
  };
  for (std::size_t k = FirstSphere(particle); k < all.size(); ++k) {
    const Member& other = all[k];
    if (k == feature || !IsInside(point, other)) continue;
    const Vec3 nearest = other.centre - other.radius * (other.centre - from).normalized();
    if (!is_inside_own(nearest)) return true;
  }
  for (const PlacedSolid& other : SolidsOf(particle)) {
    if (other.shape == own || !IsInside(point, other.bounding_ball)) continue;
    if (!is_inside(*other.shape, point)) continue;
    const Vec3 nearest = faces_of(*other.shape).NearestTo(from);
    if (nearest == from) return true;
    const double rounding = all[other.shape->first_ball].radius;
    if (!is_inside_own(nearest - rounding * (nearest - from).normalized())) return true;
  }
  return false;
}

}  // namespace scree
