/// \file  Walls that forces move: one degree of freedom each, along an axis or about one. Each is a
///        link on a slider or a hinge of its own (joint.hpp), in the short form.
///
/// With the travel q and the speed s along the axis (or the angle and its rate), inertia M, drive F
/// (weight, force, pressure times area; or torques), spring and damping, a step takes
///
///     M (s' − s)/dt = F − k (q + dt s' − q₀) − c s' + P/dt,      q' = q + dt s'
///
/// where P is the impulse of the grains along the axis, an unknown of the same solve as the
/// contacts. Spring and damping count at the end of the step, so that no stiffness is too stiff:
///
///     s' = s° + P/M°,   M° = M + dt c + dt² k,   s° = [M s + dt (F − k (q − q₀))]/M°
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "solvers/base/types.hpp"

namespace scree {

enum class Freedom { kNone, kAlong, kAbout };
/// The names in scenes, in the order of the enumeration.
constexpr std::array<const char*, 3> NamesOf(Freedom) { return {"no", "along", "about"}; }

/// What moves a free wall. Travel and forces count along the wall's axis, angles and torques about
/// it by the right hand.
struct FreeMotion {
  Freedom freedom = Freedom::kNone;
  double from = 0.0;  // it is held before this time [s]
  double mass = 0.0;  // > 0; of one that turns ≥ 0, for its weight [kg]

  // Along.
  double force = 0.0;        // [N]
  double pressure = 0.0;     // of the wall on the grains, whose drive carries its weight too [Pa]
  double area = 0.0;         // on which that acts [m²]
  double spring = 0.0;       // ≥ 0 [N/m]
  double spring_rest = 0.0;  // travel at which the spring is slack [m]
  double damping = 0.0;      // ≥ 0 [N s/m]

  // About.
  double inertia = 0.0;                // about the axis, > 0 [kg m²]
  std::optional<Vec3> centre_of_mass;  // at time zero; none: on the axis [m]
  double torque = 0.0;                 // [N m]
  double torsion_spring = 0.0;         // ≥ 0 [N m per rad]
  double torsion_rest = 0.0;           // angle at which it is slack [rad]
  double torsion_damping = 0.0;        // ≥ 0 [N m s]

  bool Turns() const { return freedom == Freedom::kAbout; }
};

/// Where a free wall or a joint is, the same on all ranks.
struct FreeWallState {
  double travel = 0.0;  // since time zero [m] or [rad]
  double speed = 0.0;   // [m/s] or [rad/s]

  // Of the interval since the last row of the series.
  double impulse = 0.0;    // P, of the grains [N s] or [N m s]
  std::int64_t steps = 0;  // of which that is the sum
  // Of a joint, in the same interval.
  double motor_impulse = 0.0;  // of motor and given force [N s] or [N m s]
  double motor_work = 0.0;     // that they do [J]
  double load_work = 0.0;      // that the grains do [J]
  double lost_work = 0.0;      // that damping, friction and limits take [J]

  friend bool operator==(const FreeWallState&, const FreeWallState&) = default;
};

/// Calls visit(name, member) for each sum that joints alone have.
template <class Visit>
void ForEachSumOfJoint(Visit&& visit) {
  visit("motor_impulse", &FreeWallState::motor_impulse);
  visit("motor_work", &FreeWallState::motor_work);
  visit("load_work", &FreeWallState::load_work);
  visit("lost_work", &FreeWallState::lost_work);
}

/// The step of a free wall without its contacts.
struct FreeStep {
  double inertia = 0.0;  // M° [kg] or [kg m²]
  double speed = 0.0;    // s° [m/s] or [rad/s]
};

/// @param axis    unit vector
/// @param centre  a point of the axis at time zero [m]
FreeStep FreeStepOf(const FreeMotion& motion, const Vec3& axis, const Vec3& centre,
                    const Vec3& gravity, double dt, const FreeWallState& state);

}  // namespace scree
