/// \file  Forces on grains beside weight and contacts that a scene has: fields, a rotating frame.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/geometry/box.hpp"
#include "engine/scene/materials.hpp"
#include "engine/scene/vector_grid.hpp"
#include "engine/scene/vector_table.hpp"
#include "solvers/base/types.hpp"

namespace scree {

struct Scene;

/// A force on grains of some materials, as long as their centre is in a box.
struct ForceField {
  std::string name;                            // [field.NAME]
  Vec3 acceleration = Vec3::Zero();            // [m/s²]
  Vec3 force_per_volume = Vec3::Zero();        // of the grain [N/m³]
  VectorTable table = {};                      // acceleration over time, added to the other [m/s²]
  VectorGrid grid = {};                        // over place, added to those
  bool grid_is_per_volume = false;             // what it is of: force [N/m³]; else acceleration
  std::optional<Vec3> lower = {}, upper = {};  // corners of the box [m]; none: everywhere
  std::vector<MaterialId> materials = {};      // ascending; empty: all

  bool ActsOn(MaterialId material, const Vec3& x) const {
    const bool is_meant = materials.empty() || std::ranges::binary_search(materials, material);
    return is_meant && (!lower || Box{*lower, *upper}.Contains(x));
  }
};

/// A frame that turns at a constant rate about an axis at rest. Positions and velocities of the
/// scene are those that are seen in it, and so are its gravity and its fields.
struct RotatingFrame {
  Vec3 centre = Vec3::Zero();            // a point of the axis [m]
  Vec3 angular_velocity = Vec3::Zero();  // Ω [rad/s]

  bool Turns() const { return !angular_velocity.isZero(0.0); }
  /// Ω × (x × Ω) [m/s²]
  Vec3 Centrifugal(const Vec3& x) const {
    return angular_velocity.cross((x - centre).cross(angular_velocity));
  }
};

/// What centrifugal and Coriolis forces add to the velocity v of a body at x in a step, where
/// v is that of its way in the last step as everywhere in the scheme, (xₙ − xₙ₋₁)/dt.
///
/// With Q the turn by −Ω dt, free flight in the frame at rest is xₙ₊₁ = Q (2 xₙ − Q xₙ₋₁), so
///
///     v' = Q² v − (Q − 1)² x / dt,      −(Q − 1)² x = 4 sin²(Ω dt/2) Q x⊥
///
/// exactly: a grain in free flight goes along a straight line, whatever the step.
Vec3 PushOfFrame(const RotatingFrame& frame, const Vec3& x, const Vec3& v, double dt);

/// Q ω − ω: an axis that stands still turns in the frame [1/s].
Vec3 TurnOfFrame(const RotatingFrame& frame, const Vec3& omega, double dt);

/// No grain that weighs at least what the lightest material does is accelerated by more, by
/// gravity, fields and the centrifugal force [m/s²].
double GreatestPull(const Scene& scene);

}  // namespace scree
