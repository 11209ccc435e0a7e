// Contacts of the edges and faces of polyhedra with walls.
#include <algorithm>

#include "engine/contacts/core_walls.hpp"
#include "engine/contacts/wall_detection.hpp"

namespace scree {

void WallDetection::PlaceCore(std::size_t i, const SolidMember& solid, const WallPose& pose) {
  core_.shape = &solid.core;
  core_.vertices.clear();
  core_.normals.clear();
  for (const Member& vertex : members_.BallsOf(i, solid)) {
    core_.vertices.push_back(pose.InShape(particles_.position[i] + vertex.centre));
  }
  for (const Vec3& normal : members_.NormalsOf(i, solid)) {
    core_.normals.push_back(pose.is_rotated ? Vec3(pose.rotation.transpose() * normal) : normal);
  }
}

/// Tests the edges and faces of solids. Their vertices are tested as spheres.
void WallDetection::TestCores(const WallCandidate& candidate) {
  if (members_.IsEmpty()) return;
  const auto i = static_cast<std::size_t>(candidate.particle);
  const std::span<const PlacedSolid> solids = members_.SolidsOf(i);
  const PlacedWall wall = PlacedWallOf(candidate);
  if (solids.empty() || std::ranges::none_of(wall.shape.parts, HasEdgeContacts)) return;
  for (const PlacedSolid& solid : solids) TestCore(candidate, solid);
}

void WallDetection::TestCore(const WallCandidate& candidate, const PlacedSolid& solid) {
  const auto i = static_cast<std::size_t>(candidate.particle);
  const PlacedWall wall = PlacedWallOf(candidate);
  PlaceCore(i, *solid.shape, wall.pose);
  const double rounding = members_.BallsOf(i, *solid.shape)[0].radius;
  const double reach = ReachOf(candidate);
  const Vec3 x = wall.pose.InShape(particles_.position[i] + solid.bounding_ball.centre);
  minima_.clear();
  const TriangleMesh* const mesh = MeshOf(wall.shape);
  if (mesh != nullptr) {
    triangles_.clear();
    mesh->AppendNear(x, solid.bounding_ball.radius + reach, triangles_);
    AppendMinima(core_, *mesh, triangles_, rounding + reach, features_, minima_);
  } else if (IsWithin(wall.shape, x, solid.bounding_ball.radius + reach)) {
    for (const ShapePart& part : wall.shape.parts) {
      if (HasEdgeContacts(part)) AppendMinima(core_, part, rounding + reach, minima_);
    }
  }
  const Index first_surface = mesh ? FirstSurface(scene_, wall.wall) : candidate.wall;
  for (const WallMinimum& minimum : minima_) {
    const Vec3 normal = wall.pose.DirectionInSpace(minimum.surface.normal);
    const Vec3 centre = wall.pose.InSpace(minimum.on_core);
    const Vec3 point = centre - minimum.surface.distance * normal;
    // Coinciding minima are merged, like those between two polyhedra.
    const bool is_known = std::ranges::any_of(touches_, [&](const Touch& touch) {
      return touch.candidate == &candidate && (touch.position - point).norm() <= 0.5 * rounding;
    });
    if (is_known) continue;
    const Vec3 velocity =
        MemberVelocity(particles_, velocities_, i, {centre - particles_.position[i], 0.0});
    const std::size_t count_before = touches_.size();
    TestPoint({i, solid.shape->FeatureOf(minimum.feature), centre, velocity, rounding}, candidate,
              first_surface + minimum.mesh_feature, {minimum.surface.distance, normal});
    if (touches_.size() > count_before)
      touches_.back().core_edge = wall.pose.DirectionInSpace(minimum.core_edge);
  }
}

}  // namespace scree
