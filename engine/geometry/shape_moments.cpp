#include "engine/geometry/shape_moments.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/geometry/triangle_mesh.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

// One function for each alternative of ShapePart. Sheets and half spaces have no moments.

SolidMoments MomentsOfPart(const Block& block) {
  const Vec3 edges = block.box.Extent();
  const double volume = edges.prod();
  const Vec3 squares = edges.cwiseProduct(edges);
  const Vec3 moments = volume / 12.0 * (squares.sum() * Vec3::Ones() - squares);
  return {volume, 0.5 * (block.box.lower + block.box.upper), Mat3(moments.asDiagonal())};
}

SolidMoments MomentsOfPart(const Cylinder& rod) {
  const Vec3 direction = rod.to - rod.from;
  const double length = direction.norm(), radius = rod.radius;
  const double volume = std::numbers::pi * radius * radius * length;
  const Mat3 axis = direction * direction.transpose() / (length * length);
  const double axial = 0.5 * radius * radius;
  const double transverse = (3.0 * radius * radius + length * length) / 12.0;
  return {volume, 0.5 * (rod.from + rod.to),
          volume * (transverse * Mat3::Identity() + (axial - transverse) * axis)};
}

SolidMoments MomentsOfPart(const Ball& ball) {
  const double square = ball.radius * ball.radius;
  const double volume = 4.0 / 3.0 * std::numbers::pi * square * ball.radius;
  return {volume, ball.centre, 0.4 * volume * square * Mat3::Identity()};
}

/// Sums over the tetrahedra between the triangles and one point. With the corners 0, a, b, c, the
/// volume V and s = a + b + c, a tetrahedron has ∫ x = V s/4 and
/// ∫ x xᵀ = V (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/20.
SolidMoments MomentsOfPart(const Mesh& mesh) {
  SCREE_DEMAND(mesh.surface != nullptr);
  const std::vector<Vec3>& vertices = mesh.surface->Vertices();
  const Vec3 origin = mesh.surface->Bounds().lower + 0.5 * mesh.surface->Bounds().Extent();
  double volume = 0.0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (const auto& corners : mesh.surface->Corners()) {
    Vec3 sum = Vec3::Zero();
    Mat3 x, squares = Mat3::Zero();
    for (int k = 0; k < 3; ++k) {
      x.col(k) = vertices[static_cast<std::size_t>(corners[static_cast<std::size_t>(k)])] - origin;
      sum += x.col(k);
      squares += x.col(k) * x.col(k).transpose();
    }
    const double tetrahedron = x.determinant() / 6.0;
    volume += tetrahedron;
    first += tetrahedron / 4.0 * sum;
    second += tetrahedron / 20.0 * (squares + sum * sum.transpose());
  }
  const Vec3 centre = first / volume;
  second -= volume * centre * centre.transpose();
  return {volume, origin + centre, second.trace() * Mat3::Identity() - second};
}

template <class Sheet>
SolidMoments MomentsOfPart(const Sheet&) {
  SCREE_DEMAND(false);
  return {};
}

}  // namespace

bool IsBoundedSolid(const ShapePart& part) {
  if (const auto* const mesh = std::get_if<Mesh>(&part)) return mesh->solid == MeshSolid::kInside;
  return std::holds_alternative<Block>(part) || std::holds_alternative<Cylinder>(part) ||
         std::holds_alternative<Ball>(part);
}

SolidMoments MomentsOf(const ShapePart& part) {
  return std::visit([](const auto& solid) { return MomentsOfPart(solid); }, part);
}

SolidMoments SumOf(std::span<const SolidMoments> solids) {
  SCREE_DEMAND(!solids.empty());
  SolidMoments sum;
  for (const SolidMoments& solid : solids) sum.volume += solid.volume;
  // Positions are relative to the first centre, so that a single solid keeps its exact centre.
  for (const SolidMoments& solid : solids) {
    sum.centre += solid.volume / sum.volume * (solid.centre - solids[0].centre);
  }
  sum.centre += solids[0].centre;
  for (const SolidMoments& solid : solids) {
    const Vec3 arm = solid.centre - sum.centre;
    sum.inertia += solid.inertia +
                   solid.volume * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
  }
  return sum;
}

std::optional<Vec3> FindOverlap(const ShapePart& a, const ShapePart& b) {
  constexpr int kPoints = 32;
  const Box box_a = BoundingBox({{a}}), box_b = BoundingBox({{b}});
  const Box common = {box_a.lower.cwiseMax(box_b.lower), box_a.upper.cwiseMin(box_b.upper)};
  // Touching faces may overlap by the rounding of coordinates.
  const double min = 1e-9 * (box_a.Extent() + box_b.Extent()).maxCoeff();
  if (common.Extent().minCoeff() <= min) return std::nullopt;
  for (int point = 0; point < kPoints * kPoints * kPoints; ++point) {
    const Vec3 fraction(point % kPoints, point / kPoints % kPoints, point / (kPoints * kPoints));
    const Vec3 x =
        common.lower + common.Extent().cwiseProduct((fraction + 0.5 * Vec3::Ones()) / kPoints);
    if (NearestSurface(a, x).distance < -min && NearestSurface(b, x).distance < -min) return x;
  }
  return std::nullopt;
}

}  // namespace scree
