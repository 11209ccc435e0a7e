/// \file  The members of all bodies at the beginning of a step, spheres and the balls of solids,
/// and
///        the normals of the solids' faces: what touches.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/geometry/clump_shape.hpp"
#include "engine/particles/particles.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// A solid of a body at its place.
struct PlacedSolid {
  const SolidMember* shape;
  Member bounds;  // a ball about it; its centre from that of the body, in world axes; both [m]
};

/// The members of each local particle; a sphere is its own member. Empty in scenes without clumps.
class MemberTable {
 public:
  /// @param clumps  the scene's, to which it refers from now on
  void Set(const Particles& particles, std::span<const ClumpShape> clumps);
  bool IsEmpty() const { return first_.empty(); }

  /// Centres from that of the body, in world axes; both [m].
  /// @pre !IsEmpty()
  std::span<const Member> Of(std::size_t particle) const {
    const auto first = static_cast<std::size_t>(first_[particle]);
    return std::span(all_).subspan(first, static_cast<std::size_t>(first_[particle + 1]) - first);
  }
  const Member& Of(Index particle, std::uint16_t member) const {
    return all_[static_cast<std::size_t>(first_[static_cast<std::size_t>(particle)]) + member];
  }

  /// The members of a body that are solids.
  std::span<const PlacedSolid> SolidsOf(std::size_t particle) const {
    if (first_solid_.empty()) return {};
    return std::span(solids_).subspan(first_solid_[particle],
                                      first_solid_[particle + 1] - first_solid_[particle]);
  }
  /// All, those of one body after the other.
  std::span<const PlacedSolid> Solids() const { return solids_; }
  /// The balls at the vertices of a solid.
  std::span<const Member> BallsOf(std::size_t particle, const SolidMember& solid) const {
    return Of(particle).subspan(solid.first_ball, solid.core.vertices.size());
  }
  /// Of the faces of a solid, in world axes.
  std::span<const Vec3> NormalsOf(std::size_t particle, const SolidMember& solid) const {
    return std::span(normals_).subspan(first_normal_[particle] + solid.first_face,
                                       solid.core.faces.size());
  }
  /// Members from here on are spheres by themselves.
  std::size_t FirstSphere(std::size_t particle) const {
    const std::span<const PlacedSolid> solids = SolidsOf(particle);
    if (solids.empty()) return 0;
    return solids.back().shape->first_ball + solids.back().shape->core.vertices.size();
  }
  /// Radius of the sphere of a feature, or the rounding of the solid whose it is [m].
  double RoundingAt(std::size_t particle, std::uint16_t feature) const {
    const std::span<const Member> all = Of(particle);
    return all[feature < all.size() ? feature : SolidAt(particle, feature)->first_ball].radius;
  }

  /// Whether the point of a feature that is farthest against n lies inside another member of the
  /// same body: then it is not on the body's surface, and the other member is nearer to what
  /// touches. Not so if the other one's point is inside this member in turn: then an edge, or
  /// something small, is between the two, and both have to keep it out.
  /// @param on    the centre of the member sphere, or the point of the solid's core, from the
  /// centre
  ///              of the body [m]
  /// @param from  what touches, from there too; the other members' normals are from here [m]
  /// @returns false of a scene without clumps, and of bodies with one member
  bool Covers(std::size_t particle, std::uint16_t feature, const Vec3& on, const Vec3& n,
              const Vec3& from) const;

  std::size_t Bytes() const {
    return first_.capacity() * sizeof(Index) + all_.capacity() * sizeof(Member) +
           solids_.capacity() * sizeof(PlacedSolid) + normals_.capacity() * sizeof(Vec3) +
           (first_solid_.capacity() + first_normal_.capacity()) * sizeof(std::size_t);
  }

 private:
  void AddSolids(const Particles& particles, std::size_t i, std::span<const ClumpShape> clumps);
  const SolidMember* SolidAt(std::size_t particle, std::uint16_t feature) const;
  bool IsCovered(std::size_t particle, const SolidMember* its, std::uint16_t feature,
                 const Vec3& point, const Vec3& from) const;

  std::vector<Index> first_;  // of each particle, and the end
  std::vector<Member> all_;
  std::vector<PlacedSolid> solids_;
  std::vector<std::size_t> first_solid_;   // of each particle, and the end; empty: there are none
  std::vector<std::size_t> first_normal_;  // of each particle; the same
  std::vector<Vec3> normals_;
};

/// Velocity of a member's centre [m/s]; to that of its surface at a contact the rest of the
/// rotation adds nothing along the normal.
/// @param velocities  of the particles [m/s]
inline Vec3 MemberVelocity(const Particles& particles, std::span<const Vec3> velocities,
                           std::size_t i, const Member& member) {
  return velocities[i] + particles.angular_velocity[i].cross(member.centre);
}

/// Greatest speed at which rotation moves a point of a particle along a normal; of spheres none.
inline double RimSpeed(const Particles& particles, std::size_t i, const MemberTable& members) {
  if (members.IsEmpty() || particles.shape[i] == kSphereShape) return 0.0;
  return particles.angular_velocity[i].norm() * particles.radius[i];
}

}  // namespace scree
