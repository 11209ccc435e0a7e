/// \file  The member spheres of all bodies at the beginning of a step, and of polyhedra the normals
///        of their faces: what touches.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/geometry/clump_shape.hpp"
#include "engine/particles/particles.hpp"
#include "solvers/base/types.hpp"

namespace scree {

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

  /// The core of a body that is a polyhedron, whose vertices are its members; else null.
  const Polyhedron* CoreOf(std::size_t particle) const {
    return cores_.empty() ? nullptr : cores_[particle];
  }
  /// Of the faces of a polyhedron, in world axes.
  std::span<const Vec3> NormalsOf(std::size_t particle) const {
    return std::span(normals_).subspan(first_normal_[particle], cores_[particle]->faces.size());
  }

  /// Whether the point of a member that is farthest against n lies inside another member of the
  /// same body: then it is not on the body's surface, and the other member is nearer to what
  /// touches. Not so if the other one's point is inside this member in turn: then an edge, or
  /// something small, is between the two, and both have to keep it out.
  /// @param from  what touches, from the centre of the body; the other members' normals are from
  ///              there too [m]
  /// @returns false of a scene without clumps, and of polyhedra
  bool Covers(std::size_t particle, std::uint16_t member, const Vec3& n, const Vec3& from) const;

  std::size_t Bytes() const {
    return first_.capacity() * sizeof(Index) + all_.capacity() * sizeof(Member) +
           cores_.capacity() * sizeof(const Polyhedron*) +
           first_normal_.capacity() * sizeof(std::size_t) + normals_.capacity() * sizeof(Vec3);
  }

 private:
  void AddCore(const Particles& particles, std::size_t i, std::span<const ClumpShape> clumps);

  std::vector<Index> first_;  // of each particle, and the end
  std::vector<Member> all_;
  std::vector<const Polyhedron*> cores_;   // of each particle; empty: there are no polyhedra
  std::vector<std::size_t> first_normal_;  // the same
  std::vector<Vec3> normals_;
};

/// Velocity of a member's centre [m/s]; to that of its surface at a contact the rest of the
/// rotation adds nothing along the normal.
inline Vec3 MemberVelocity(const Particles& particles, std::size_t i, const Member& member) {
  return particles.velocity[i] + particles.angular_velocity[i].cross(member.centre);
}

/// Greatest speed at which rotation moves a point of a particle along a normal; of spheres none.
inline double RimSpeed(const Particles& particles, std::size_t i, const MemberTable& members) {
  if (members.IsEmpty() || particles.shape[i] == kSphereShape) return 0.0;
  return particles.angular_velocity[i].norm() * particles.radius[i];
}

}  // namespace scree
