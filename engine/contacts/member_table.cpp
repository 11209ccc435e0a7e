#include "engine/contacts/member_table.hpp"

#include <algorithm>

namespace scree {
namespace {

bool IsInside(const Vec3& point, const Member& member) {
  constexpr double kInside = 1.0 - 1e-12;
  const double within = kInside * member.radius;
  return (point - member.centre).squaredNorm() < within * within;
}

}  // namespace

void MemberTable::Set(const Particles& particles, std::span<const ClumpShape> clumps) {
  first_.assign(1, 0);
  all_.clear();
  cores_.clear();
  first_normal_.clear();
  normals_.clear();
  const bool has_cores = std::ranges::any_of(clumps, &ClumpShape::IsPolyhedron);
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    const double radius = particles.radius[i];
    if (particles.shape[i] == kSphereShape) {
      all_.push_back({Vec3::Zero(), radius});
    } else {
      const Mat3 turn = radius * RotationMatrix(particles.orientation[i]);
      for (const Member& member :
           clumps[static_cast<std::size_t>(particles.shape[i] - 1)].members) {
        all_.push_back({turn * member.centre, radius * member.radius});
      }
    }
    first_.push_back(static_cast<Index>(all_.size()));
    if (has_cores) AddCore(particles, i, clumps);
  }
}

void MemberTable::AddCore(const Particles& particles, std::size_t i,
                          std::span<const ClumpShape> clumps) {
  first_normal_.push_back(normals_.size());
  cores_.push_back(nullptr);
  if (particles.shape[i] == kSphereShape) return;
  const ClumpShape& shape = clumps[static_cast<std::size_t>(particles.shape[i] - 1)];
  if (!shape.IsPolyhedron()) return;
  cores_.back() = &shape.core;
  const Mat3 turn = RotationMatrix(particles.orientation[i]);
  for (const PolyhedronFace& face : shape.core.faces) normals_.push_back(turn * face.normal);
}

bool MemberTable::Covers(std::size_t particle, std::uint16_t member, const Vec3& n,
                         const Vec3& from) const {
  if (IsEmpty() || CoreOf(particle) != nullptr) return false;
  const std::span<const Member> all = Of(particle);
  const Member& its = all[member];
  const Vec3 point = its.centre - its.radius * n;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Member& other = all[k];
    if (k == member || !IsInside(point, other)) continue;
    const Vec3 others = other.centre - other.radius * (other.centre - from).normalized();
    if (!IsInside(others, its)) return true;
  }
  return false;
}

}  // namespace scree
