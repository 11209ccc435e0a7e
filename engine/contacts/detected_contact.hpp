/// \file  The contacts that the narrow phase finds.
#pragma once

#include <cstdint>
#include <span>

#include "engine/particles/particles.hpp"
#include "solvers/base/types.hpp"
#include "solvers/one_contact/contact.hpp"
#include "solvers/one_contact/rigid_body.hpp"

namespace scree {

/// The members of two bodies that touch. A sphere or a wall has a single member, 0.
struct MemberPair {
  std::uint16_t a = 0, b = 0;
  MemberPair Swapped() const { return {b, a}; }
  friend bool operator==(MemberPair, MemberPair) = default;
};

/// Stands for "no entry of WarmStart".
inline constexpr Index kNoStoredImpulse = -1;

/// Bodies are numbered: local particles first, then walls. Body Particles::Size() + k is WallBody k
/// of the step.
struct DetectedContact {
  Vec3 normal = Vec3::UnitZ();  // from b to a
  double gap = 0.0;             // ξ, < 0 overlapping [m]
  Index a = 0;                  // an owned particle
  Index b = 0;                  // a particle or a WallBody
  MemberPair members = {};
  Index stored_entry = kNoStoredImpulse;  // the contact's entry of WarmStart
};
static_assert(sizeof(DetectedContact) == 48);

/// The geometry of a contact. The rest of a step needs no other data on the shapes of the bodies.
struct ContactGeometry {
  /// From the centres of mass to the contact point [m]. The point is in the middle of the gap. At a
  /// wall the point is on the surface, and the wall's arm is zero, because the surface moves as a
  /// whole. At a free wall, in scenes with clumps, the point is in the middle too.
  ContactArms arms;
  double radius_a = 0.0, radius_b = 0.0;  // of curvature at the contact; kFlatRadius: flat [m]
};

/// The geometry of a contact of two spheres, or of a sphere and a wall.
inline ContactGeometry GeometryOfSpheres(const DetectedContact& found, const Particles& particles) {
  const auto a = static_cast<std::size_t>(found.a), b = static_cast<std::size_t>(found.b);
  const double radius_a = particles.radius[a];
  if (b >= particles.Size()) {
    return {{-(radius_a + found.gap) * found.normal, Vec3::Zero()}, radius_a, kFlatRadius};
  }
  const double radius_b = particles.radius[b];
  return {
      {-(radius_a + 0.5 * found.gap) * found.normal, (radius_b + 0.5 * found.gap) * found.normal},
      radius_a,
      radius_b};
}

/// Consecutive contacts. The geometry of spheres follows from radius, normal and gap, so it is not
/// stored.
struct ContactSpan {
  std::span<const DetectedContact> found;
  std::span<const ContactGeometry> geometry = {};  // one per contact; empty: all are spheres

  std::size_t size() const { return found.size(); }
  bool empty() const { return found.empty(); }
  const DetectedContact& operator[](std::size_t j) const { return found[j]; }
  auto begin() const { return found.begin(); }
  auto end() const { return found.end(); }
  ContactGeometry GeometryOf(std::size_t j, const Particles& particles) const {
    return geometry.empty() ? GeometryOfSpheres(found[j], particles) : geometry[j];
  }
  ContactSpan Subspan(std::size_t first, std::size_t count) const {
    return {found.subspan(first, count),
            geometry.empty() ? geometry : geometry.subspan(first, count)};
  }
};

}  // namespace scree
