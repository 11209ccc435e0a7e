/// \file  One contact of a step as it was detected.
#pragma once

#include <cstdint>
#include <span>

#include "engine/particles/particles.hpp"
#include "solvers/base/types.hpp"
#include "solvers/one_contact/contact.hpp"
#include "solvers/one_contact/rigid_body.hpp"

namespace scree {

/// Which members of two bodies touch; of a sphere or a wall there is one, 0.
struct MemberPair {
  std::uint16_t a = 0, b = 0;
  MemberPair Swapped() const { return {b, a}; }
  friend bool operator==(MemberPair, MemberPair) = default;
};

/// The number of no entry of WarmStart.
inline constexpr Index kNoStoredImpulse = -1;

/// Bodies are numbered as local particles, then walls: body Size() + k is WallBody k of the step.
struct DetectedContact {
  Vec3 normal = Vec3::UnitZ();  // from b to a
  double gap = 0.0;             // ξ, < 0 overlapping [m]
  Index a = 0;                  // an owned particle
  Index b = 0;                  // a particle or a WallBody
  MemberPair members = {};
  Index last = kNoStoredImpulse;  // the contact's entry of WarmStart
};
static_assert(sizeof(DetectedContact) == 48);

/// Where two bodies touch, as the narrow phase found it: all that the rest of a step asks about
/// their shapes.
struct ContactGeometry {
  ContactArms arms;  // from the centres of mass to the contact point, midway in the gap; at a wall
                     // to its surface, which moves as a whole, so that its arm is zero [m]
  double radius_a = 0.0, radius_b = 0.0;  // of the surfaces' curvature there, kFlatRadius: flat [m]
};

/// Two spheres, or a sphere and a wall.
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

/// Contacts in a row. Of spheres their geometry follows from radius, normal and gap and is not
/// kept.
struct ContactSpan {
  std::span<const DetectedContact> found;
  std::span<const ContactGeometry> geometry = {};  // of each; empty: all bodies are spheres

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
