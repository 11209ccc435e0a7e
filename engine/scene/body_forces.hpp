/// \file  Body forces of a scene in addition to weight: force fields and a rotating frame.
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

/// A force on particles. It can be limited to some materials and to particle centres in a box.
struct ForceField {
  std::string name;                      // [field.NAME]
  Vec3 acceleration = Vec3::Zero();      // [m/s²]
  Vec3 force_per_volume = Vec3::Zero();  // per volume of the particle [N/m³]
  VectorTable table = {};                // as a function of time, added to `acceleration` [m/s²]
  VectorGrid grid = {};                  // function of position, added to one of the first two
  bool grid_is_per_volume = false;       // true: values of the grid are in N/m³; false: in m/s²
  std::optional<Vec3> lower = {}, upper = {};  // corners of the box [m]; none: everywhere
  std::vector<MaterialId> materials = {};      // ascending; empty: all

  bool IsActiveAt(MaterialId material, const Vec3& x) const {
    const bool is_of_material =
        materials.empty() || std::ranges::binary_search(materials, material);
    return is_of_material && (!lower || Box{*lower, *upper}.Contains(x));
  }
};

/// A frame that rotates at a constant rate about a fixed axis. Positions, velocities, gravity and
/// fields of the scene are relative to this frame.
struct RotatingFrame {
  Vec3 centre = Vec3::Zero();            // a point on the axis [m]
  Vec3 angular_velocity = Vec3::Zero();  // Ω [rad/s]

  bool IsRotating() const { return !angular_velocity.isZero(0.0); }
  /// Ω × (x × Ω) [m/s²]
  Vec3 Centrifugal(const Vec3& x) const {
    return angular_velocity.cross((x - centre).cross(angular_velocity));
  }
};

/// The effect of centrifugal and Coriolis forces in a step of length dt. As everywhere in the
/// scheme, v = (xₙ − xₙ₋₁)/dt⁻ is the velocity of the last displacement, which took the time dt⁻.
///
/// Consider the inertial frame whose axes coincide with the rotating axes at the beginning of the
/// step. In this frame the body moved with the velocity V in the last step, and V is constant in
/// free flight. With the rotations Q and Q⁻ by −Ω dt and −Ω dt⁻, and x relative to the centre,
///
///     V = (xₙ − Q⁻ xₙ₋₁)/dt⁻ = Q⁻ v + (1 − Q⁻) xₙ/dt⁻,      xₙ₊₁ = Q (xₙ + dt V),
///     v' = (xₙ₊₁ − xₙ)/dt = Q V − (1 − Q) xₙ/dt
///
/// This is exact: a particle in free flight moves along a straight line for any step lengths. A
/// velocity from a scene or a program is instantaneous: it has dt⁻ = 0 and V = v + Ω × x.
class FrameStep {
 public:
  /// @param last_dt  length of the last step [s]; 0: there was no step
  FrameStep(const RotatingFrame& frame, double last_dt, double dt);

  /// v' − v [m/s]
  Vec3 KickAt(const Vec3& x, const Vec3& v) const;
  /// Q ω − ω: in the rotating frame a vector that is constant in space rotates, such as a spin.
  Vec3 SpinChange(const Vec3& omega) const { return current_.rotation * omega - omega; }

 private:
  struct Rotation {
    Mat3 rotation;  // Q
    Mat3 chord;     // (1 − Q)/dt, without cancellation [1/s]
  };
  static Rotation RotationInStep(const RotatingFrame& frame, double dt);

  Vec3 centre_;
  Rotation last_, current_;  // in the last and in the current step
};

/// The velocity of the last displacement, for a body in free flight that is now at x with the
/// instantaneous velocity v [m/s]. Inserted bodies need it, because a step starts from this
/// velocity.
/// @param last_dt  length of the last step [s]; 0: there was no step
Vec3 VelocityOfLastStep(const RotatingFrame& frame, const Vec3& x, const Vec3& v, double last_dt);
/// Inverse of VelocityOfLastStep: the instantaneous velocity at the end of the last displacement
/// [m/s].
Vec3 InstantaneousVelocity(const RotatingFrame& frame, const Vec3& x, const Vec3& v,
                           double last_dt);

/// Upper bound of the acceleration by gravity, buoyancy, fields and the centrifugal force, for
/// particles at least as dense as the lightest material [m/s²].
double MaxBodyAcceleration(const Scene& scene);

}  // namespace scree
