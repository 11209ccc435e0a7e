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

/// What centrifugal and Coriolis forces do in a step of length dt, where velocities are those of
/// the way of the last step as everywhere in the scheme, v = (xₙ − xₙ₋₁)/dt⁻.
///
/// In the frame at rest, with the axes that the turning one has at the beginning of the step, the
/// body has moved with the velocity V, and free flight goes on with it. With Q and Q⁻ the turns by
/// −Ω dt and −Ω dt⁻, and x from the centre,
///
///     V = (xₙ − Q⁻ xₙ₋₁)/dt⁻ = Q⁻ v + (1 − Q⁻) xₙ/dt⁻,      xₙ₊₁ = Q (xₙ + dt V),
///     v' = (xₙ₊₁ − xₙ)/dt = Q V − (1 − Q) xₙ/dt
///
/// exactly: a grain in free flight goes along a straight line, whatever the steps. What a scene or
/// a program gives is the velocity of the moment, dt⁻ = 0 and V = v + Ω × x.
class FrameStep {
 public:
  /// @param last  length of the last step; 0: there was none [s]
  FrameStep(const RotatingFrame& frame, double last, double dt);

  /// v' − v [m/s]
  Vec3 Push(const Vec3& x, const Vec3& v) const;
  /// Q ω − ω: an axis that stands still turns in the frame [1/s].
  Vec3 Turn(const Vec3& omega) const { return now_.turn * omega - omega; }

 private:
  struct Turning {
    Mat3 turn;   // Q
    Mat3 chord;  // (1 − Q)/dt, without cancellation [1/s]
  };
  static Turning Of(const RotatingFrame& frame, double dt);

  Vec3 centre_;
  Turning last_, now_;
};

/// The velocity of the way of a last step of this length, of a body that is now at x with the
/// velocity v and has not been touched since: what enters goes on as all others do [m/s].
/// @param last  0: there was none
Vec3 VelocityOfLastStep(const RotatingFrame& frame, const Vec3& x, const Vec3& v, double last);
/// The converse: its velocity at the end of that way [m/s].
Vec3 VelocityNow(const RotatingFrame& frame, const Vec3& x, const Vec3& v, double last);

/// No grain that weighs at least what the lightest material does is accelerated by more, by
/// gravity, buoyancy, fields and the centrifugal force [m/s²].
double MaxBodyAcceleration(const Scene& scene);

}  // namespace scree
