/// \file  One contact of a step as it was detected.
#pragma once

#include <cstdint>

#include "solvers/base/types.hpp"

namespace scree {

/// Which members of two bodies touch; of a sphere or a wall there is one, 0.
struct MemberPair {
  std::uint16_t a = 0, b = 0;
  MemberPair Swapped() const { return {b, a}; }
  friend bool operator==(MemberPair, MemberPair) = default;
};

/// The number of no entry of WarmStart.
inline constexpr Index kNotRemembered = -1;

/// Bodies are numbered as local particles, then walls: body Size() + k is WallBody k of the step.
struct DetectedContact {
  Vec3 normal = Vec3::UnitZ();  // from b to a
  double gap = 0.0;             // ξ, < 0 overlapping [m]
  Index a = 0;                  // an owned particle
  Index b = 0;                  // a particle or a WallBody
  MemberPair members = {};
  Index last = kNotRemembered;  // the contact's entry of WarmStart
};
static_assert(sizeof(DetectedContact) == 48);

}  // namespace scree
