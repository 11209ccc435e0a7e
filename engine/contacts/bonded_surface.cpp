#include "engine/contacts/bonded_surface.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "engine/geometry/triangle_mesh.hpp"

namespace scree {
namespace {

const Shape& ShapeOf(const BondBodies& bodies, const Bond& bond) {
  return bodies.scene.walls[static_cast<std::size_t>(bond.wall)].shape;
}

/// Calls visit(shift) for the shift of an image, then for those of the adjacent images.
template <class Visit>
void ForEachImageNear(const Domain& domain, const Vec3& shift, Visit&& visit) {
  constexpr std::array<double, 3> kPeriods = {0.0, 1.0, -1.0};
  for (std::size_t k = 0; k < 27; ++k) {
    const Vec3 periods(kPeriods[k % 3], kPeriods[k / 3 % 3], kPeriods[k / 9]);
    bool exists = true;
    Vec3 image = shift;
    for (int axis = 0; axis < 3; ++axis) {
      if (periods[axis] == 0.0) continue;
      exists = exists && domain.periodic[static_cast<std::size_t>(axis)];
      image[axis] += periods[axis] * domain.box.Extent()[axis];
    }
    if (exists) visit(image);
  }
}

/// Calls visit(piece, point) for each point of a wall that the sphere may touch, with the normal in
/// the axes of the wall's shape.
/// @param x      centre of the sphere, in the coordinates of the shape
/// @param limit  largest distance in which points of a mesh are sought [m]
template <class Visit>
void ForEachPoint(const BondBodies& bodies, const Bond& bond, const Vec3& x, double limit,
                  Visit&& visit) {
  const Shape& shape = ShapeOf(bodies, bond);
  const TriangleMesh* const mesh = MeshOf(shape);
  if (mesh == nullptr) return visit(bond.wall, NearestSurface(shape, x));
  const Index first = FirstSurface(bodies.scene, static_cast<std::size_t>(bond.wall));
  mesh->FindPoints(x, limit, bodies.query);
  for (const MeshPoint& point : bodies.query.points) {
    visit(first + point.feature, SurfacePoint{point.distance, point.normal});
  }
}

}  // namespace

bool IsBondedToPlane(const BondBodies& bodies, const Bond& bond) {
  return PlaneOf(ShapeOf(bodies, bond)) != nullptr;
}

Vec3 ShiftToTouchedImage(const BondBodies& bodies, const Bond& bond, Index i) {
  const Domain& domain = bodies.scene.domain;
  const WallPose& pose = bodies.walls[static_cast<std::size_t>(bond.wall)];
  const Vec3 separation =
      bodies.particles.position[static_cast<std::size_t>(i)] - pose.InSpace(bond.on_b[0]);
  Vec3 shift = Vec3::Zero();
  for (int axis = 0; axis < 3; ++axis) {
    const double length = domain.box.Extent()[axis];
    if (!domain.periodic[static_cast<std::size_t>(axis)]) continue;
    shift[axis] = length * std::round(separation[axis] / length);
  }
  return shift;
}

WallPose PoseOfImage(const BondBodies& bodies, Index wall, const Vec3& shift) {
  const WallPose& pose = bodies.walls[static_cast<std::size_t>(wall)];
  return shift.isZero(0.0) ? pose : Shifted(pose, shift);
}

Member BondedMember(const BondBodies& bodies, Index i, std::uint16_t member) {
  if (!bodies.members.IsEmpty()) return bodies.members.MemberOf(i, member);
  return {Vec3::Zero(), bodies.particles.radius[static_cast<std::size_t>(i)]};
}

BondedPoint FindBondedPoint(const BondBodies& bodies, const Bond& bond, Index i) {
  const Member member = BondedMember(bodies, i, bond.members.a);
  const Vec3 centre = bodies.particles.position[static_cast<std::size_t>(i)] + member.centre;
  const Vec3 last_shift = ShiftToTouchedImage(bodies, bond, i);
  const WallPose pose = PoseOfImage(bodies, bond.wall, last_shift);
  BondedPoint found = {last_shift, {}, bond.b.Surface()};
  const Vec3 arm = centre - pose.InSpace(bond.on_b[0]);
  if (IsBondedToPlane(bodies, bond)) {
    const Vec3 normal = pose.DirectionInSpace(bond.normal);
    found.nearest = {normal.dot(arm), normal};
    return found;
  }
  double shortest = std::numeric_limits<double>::infinity();  // squared path of the point [m²]
  ForEachImageNear(bodies.scene.domain, last_shift, [&](const Vec3& shift) {
    const bool is_last_image = shift == last_shift;
    const Vec3 x = pose.InShape(centre - (shift - last_shift));
    const double limit = arm.norm() + member.radius;
    ForEachPoint(bodies, bond, x, limit, [&](Index piece, SurfacePoint point) {
      point.normal = pose.DirectionInSpace(point.normal);
      const double path = (arm - point.distance * point.normal).squaredNorm();
      const bool continues_surface =
          point.normal.dot(arm) > kSameFace * arm.norm() && point.distance < found.nearest.distance;
      if (is_last_image ? path >= shortest : !continues_surface) return;
      found = {shift, point, piece};
      shortest = path;
    });
  });
  if (found.nearest.distance == std::numeric_limits<double>::infinity()) {
    // The wall has jumped away, for example in a change of the scene at a restart.
    found.nearest = NearestSurface(ShapeOf(bodies, bond), pose.InShape(centre));
    found.nearest.normal = pose.DirectionInSpace(found.nearest.normal);
  }
  return found;
}

}  // namespace scree
