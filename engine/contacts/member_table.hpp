/// \file  The members of all bodies at the beginning of a step: spheres, the balls of solids, and
///        the normals of the solids' faces.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/geometry/clump_shape.hpp"
#include "engine/particles/particles.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// A solid of a body at its present orientation.
struct PlacedSolid {
  const SolidMember* shape;
  Member bounding_ball;  // centre relative to the centre of the body, in world axes [m]
};

/// The members of each local particle; a sphere is its own member. Empty in scenes without clumps.
class MemberTable {
 public:
  /// @param clumps  the scene's clumps; they must outlive this table
  void Set(const Particles& particles, std::span<const ClumpShape> clumps);
  bool IsEmpty() const { return first_.empty(); }

  /// The members of a body, with centres relative to that of the body, in world axes [m].
  /// @pre !IsEmpty()
  std::span<const Member> MembersOf(std::size_t particle) const {
    const auto first = static_cast<std::size_t>(first_[particle]);
    return std::span(all_).subspan(first, static_cast<std::size_t>(first_[particle + 1]) - first);
  }
  const Member& MemberOf(Index particle, std::uint16_t member) const {
    return all_[static_cast<std::size_t>(first_[static_cast<std::size_t>(particle)]) + member];
  }

  /// The members of a body that are solids.
  std::span<const PlacedSolid> SolidsOf(std::size_t particle) const {
    if (first_solid_.empty()) return {};
    return std::span(solids_).subspan(first_solid_[particle],
                                      first_solid_[particle + 1] - first_solid_[particle]);
  }
  /// The solids of all bodies, body after body.
  std::span<const PlacedSolid> Solids() const { return solids_; }
  /// The balls at the vertices of a solid.
  std::span<const Member> BallsOf(std::size_t particle, const SolidMember& solid) const {
    return MembersOf(particle).subspan(solid.first_ball, solid.core.vertices.size());
  }
  /// The normals of the faces of a solid, in world axes.
  std::span<const Vec3> NormalsOf(std::size_t particle, const SolidMember& solid) const {
    return std::span(normals_).subspan(first_normal_[particle] + solid.first_face,
                                       solid.core.faces.size());
  }
  /// Number of the first member that is a sphere; the members before it are balls of solids.
  std::size_t FirstSphere(std::size_t particle) const {
    const std::span<const PlacedSolid> solids = SolidsOf(particle);
    if (solids.empty()) return 0;
    return solids.back().shape->first_ball + solids.back().shape->core.vertices.size();
  }
  /// Radius of the feature's sphere, or rounding of the solid to which the feature belongs [m].
  double RoundingAt(std::size_t particle, std::uint16_t feature) const {
    const std::span<const Member> all = MembersOf(particle);
    return all[feature < all.size() ? feature : SolidAt(particle, feature)->first_ball].radius;
  }

  /// Whether another member of the same body covers the contact point of a feature, that is, the
  /// feature's farthest point along −n. A covered point is not on the body's surface, and the other
  /// member is nearer to the touching body. But if the contact point of the other member is also
  /// inside this member, the point counts as not covered: an edge or a small body is between the
  /// two members, and both have to resist it.
  /// @param feature_point  centre of the member sphere, or point of the core, relative to the
  ///              centre of the body [m]
  /// @param from  position of the touching body, relative to the same centre [m]. The contact point
  ///              of another member is its point nearest to `from`
  /// @returns false in a scene without clumps, and for bodies with one member
  bool Covers(std::size_t particle, std::uint16_t feature, const Vec3& feature_point, const Vec3& n,
              const Vec3& from) const;

  /// Memory of the arrays [bytes].
  std::size_t Bytes() const {
    return first_.capacity() * sizeof(Index) + all_.capacity() * sizeof(Member) +
           solids_.capacity() * sizeof(PlacedSolid) + normals_.capacity() * sizeof(Vec3) +
           (first_solid_.capacity() + first_normal_.capacity()) * sizeof(std::size_t);
  }

 private:
  void AddSolids(const Particles& particles, std::size_t i, std::span<const ClumpShape> clumps);
  const SolidMember* SolidAt(std::size_t particle, std::uint16_t feature) const;
  bool IsCovered(std::size_t particle, const SolidMember* solid, std::uint16_t feature,
                 const Vec3& point, const Vec3& from) const;

  std::vector<Index> first_;  // first member of each particle, then the number of members
  std::vector<Member> all_;
  std::vector<PlacedSolid> solids_;
  std::vector<std::size_t> first_solid_;   // of each particle, then their number; empty: none
  std::vector<std::size_t> first_normal_;  // of each particle; empty: no solids
  std::vector<Vec3> normals_;
};

/// Velocity of a member's centre [m/s]. At a contact the member's surface has the same velocity
/// along the normal, because rotation about the member's centre moves it only tangentially.
/// @param velocities  of the particles [m/s]
inline Vec3 MemberVelocity(const Particles& particles, std::span<const Vec3> velocities,
                           std::size_t i, const Member& member) {
  return velocities[i] + particles.angular_velocity[i].cross(member.centre);
}

/// Largest speed at which rotation moves a surface point of a particle along a normal [m/s]; 0 for
/// spheres.
inline double RimSpeed(const Particles& particles, std::size_t i, const MemberTable& members) {
  if (members.IsEmpty() || particles.shape[i] == kSphereShape) return 0.0;
  return particles.angular_velocity[i].norm() * particles.radius[i];
}

}  // namespace scree
