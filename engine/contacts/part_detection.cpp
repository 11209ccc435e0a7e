#include "engine/contacts/part_detection.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace scree {

PartDetection::PartDetection(const PairDetection& pairs, const MemberTable& members)
    : PairDetection(pairs), members_(members) {
  SetFaces();
}

void PartDetection::TestMembers(std::size_t i, Index partner, MemberPair pair, const Vec3& d,
                                double reach) {
  const std::size_t j = LocalIndex(partner);
  const Member &a = members_.MembersOf(i)[pair.a], &b = members_.MembersOf(j)[pair.b];
  const Vec3 separation = d + (a.centre - b.centre);
  const double radii_sum = a.radius + b.radius;
  if (separation.squaredNorm() > std::pow(kPositionRounding * radii_sum + reach, 2)) return;
  const Vec3 velocity =
      MemberVelocity(particles_, velocities_, i, a) - MemberVelocity(particles_, velocities_, j, b);
  const auto [normal, gap] = PlaneBetween(i, j, separation, velocity, radii_sum);
  const Index stored_entry = FindStored(i, partner, pair);
  const bool is_active =
      IsActive(gap, ChangeOf(i, j), velocity, normal, [&] { return stored_entry; });
  if (!is_active || members_.Covers(i, pair.a, a.centre, normal, a.centre - separation) ||
      members_.Covers(j, pair.b, b.centre, -normal, b.centre + separation)) {
    return;
  }
  // In a wide gap the contact points stay near the surfaces, where the members will touch.
  const double half = std::min(0.5 * gap, kSweptPathFraction * radii_sum);
  Add({normal, gap, static_cast<Index>(i), partner, pair, stored_entry},
      {{a.centre - (a.radius + half) * normal, b.centre + (b.radius + half) * normal},
       a.radius,
       b.radius});
}

/// Packs the faces of every solid once, because a solid occurs in many pairs.
void PartDetection::SetFaces() {
  first_faces_.assign(1, 0);
  for (std::size_t i = 0; i < particles_.Size(); ++i) {
    for (const PlacedSolid& solid : members_.SolidsOf(i)) {
      AppendFaces(solid.shape->core, members_.NormalsOf(i, *solid.shape), particles_.radius[i],
                  faces_);
      first_faces_.push_back(faces_.size());
    }
  }
}
std::span<const FacePacket> PartDetection::FacesOf(const PlacedSolid& solid) const {
  const auto k = static_cast<std::size_t>(&solid - members_.Solids().data());
  return std::span(faces_).subspan(first_faces_[k], first_faces_[k + 1] - first_faces_[k]);
}

template <class Visit>
void PartDetection::ForEachPart(std::size_t i, Visit&& visit) const {
  const std::span<const Member> members = members_.MembersOf(i);
  for (const PlacedSolid& placed : members_.SolidsOf(i)) {
    const SolidMember& solid = *placed.shape;
    const std::span<const Member> balls = members_.BallsOf(i, solid);
    visit(Part{{balls, &solid.core, members_.NormalsOf(i, solid), FacesOf(placed), 0},
               &solid,
               balls[0].radius,
               placed.bounding_ball});
  }
  for (std::size_t k = members_.FirstSphere(i); k < members.size(); ++k) {
    visit(Part{{members.subspan(k, 1), nullptr, {}, {}, static_cast<std::uint16_t>(k)},
               nullptr,
               members[k].radius,
               members[k]});
  }
}

void PartDetection::TestParts(std::size_t i, Index partner, const Vec3& d, double reach) {
  const bool i_is_first = particles_.id[i] <= particles_.id[LocalIndex(partner)];
  const std::size_t first = i_is_first ? i : LocalIndex(partner);
  const std::size_t second = i_is_first ? LocalIndex(partner) : i;
  const Vec3 separation = i_is_first ? d : Vec3(-d);
  ForEachPart(first, [&](const Part& part) {
    ForEachPart(second, [&](const Part& other) {
      const Member &ball = part.bounding_ball, &other_ball = other.bounding_ball;
      const double limit = kPositionRounding * (ball.radius + other_ball.radius) + reach;
      const Vec3 between = separation + (ball.centre - other_ball.centre);
      if (between.squaredNorm() > limit * limit) return;
      if (part.solid == nullptr && other.solid == nullptr) {
        MemberPair pair = {part.core.number, other.core.number};
        return TestMembers(i, partner, i_is_first ? pair : pair.Swapped(), d, reach);
      }
      TestCores(i, partner, part, other, separation, reach);
    });
  });
}

/// @param first       part of the body with the lower id
/// @param separation  from the centre of the second body to that of the first [m]
void PartDetection::TestCores(std::size_t i, Index partner, const Part& first, const Part& second,
                              const Vec3& separation, double reach) {
  const bool i_is_first = particles_.id[i] <= particles_.id[LocalIndex(partner)];
  const double rounding_sum = first.rounding + second.rounding;
  const std::span<CoreContact> minima = cores_.FindMinima(
      first.core, second.core, separation, kPositionRounding * rounding_sum + reach, rounding_sum);
  std::size_t kept = 0;
  for (CoreContact& minimum : minima) {
    minimum.first = first.FeatureOf(minimum.first);
    minimum.second = second.FeatureOf(minimum.second);
    const CoreTouch touch = MakeCoreTouch(i_is_first, minimum);
    if (IsActiveCore(i, partner, touch, minimum.distance - rounding_sum)) minima[kept++] = minimum;
  }
  for (CoreContact& minimum : minima.first(kept)) {
    minimum.was_loaded =
        HasImpulse(FindStored(i, partner, MakeCoreTouch(i_is_first, minimum).features));
  }
  const std::span<CoreContact> active = minima.first(kept);
  for (const CoreContact& minimum : rule_.whole_manifolds ? active : ReduceManifold(active)) {
    AddCores(i, partner, MakeCoreTouch(i_is_first, minimum), minimum.distance - rounding_sum);
  }
}

PartDetection::CoreTouch PartDetection::MakeCoreTouch(bool i_is_first, const CoreContact& minimum) {
  CoreTouch touch = {
      {minimum.first, minimum.second}, minimum.normal,        minimum.on_first, minimum.on_second,
      minimum.is_first_flat,           minimum.is_second_flat};
  if (!i_is_first) {
    touch.features = touch.features.Swapped();
    touch.normal = -touch.normal;
    std::swap(touch.on_i, touch.on_j);
    std::swap(touch.is_feature_i_flat, touch.is_feature_j_flat);
  }
  return touch;
}

bool PartDetection::IsActiveCore(std::size_t i, Index partner, const CoreTouch& touch,
                                 double gap) const {
  const std::size_t j = LocalIndex(partner);
  const Vec3 velocity = velocities_[i] - velocities_[j] +
                        (particles_.angular_velocity[i].cross(touch.on_i) -
                         particles_.angular_velocity[j].cross(touch.on_j));
  const Vec3 separation =
      (gap + members_.RoundingAt(i, touch.features.a) + members_.RoundingAt(j, touch.features.b)) *
      touch.normal;
  const auto find_entry = [&] { return FindStored(i, partner, touch.features); };
  return IsActive(gap, ChangeOf(i, j), velocity, touch.normal, find_entry) &&
         !members_.Covers(i, touch.features.a, touch.on_i, touch.normal, touch.on_i - separation) &&
         !members_.Covers(j, touch.features.b, touch.on_j, -touch.normal, touch.on_j + separation);
}

void PartDetection::AddCores(std::size_t i, Index partner, const CoreTouch& touch, double gap) {
  const double radius_i = members_.RoundingAt(i, touch.features.a);
  const double radius_j = members_.RoundingAt(LocalIndex(partner), touch.features.b);
  const double half = std::min(0.5 * gap, kSweptPathFraction * (radius_i + radius_j));
  const Index stored_entry = FindStored(i, partner, touch.features);
  Add({touch.normal, gap, static_cast<Index>(i), partner, touch.features, stored_entry},
      {{touch.on_i - (radius_i + half) * touch.normal,
        touch.on_j + (radius_j + half) * touch.normal},
       touch.is_feature_i_flat ? kFlatRadius : radius_i,
       touch.is_feature_j_flat ? kFlatRadius : radius_j});
}

}  // namespace scree
