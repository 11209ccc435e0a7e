/// \file  Walls that forces move, with one degree of freedom each: along an axis or about an axis.
///        A free wall is the short form of a link with its own slider or hinge (joint.hpp).
///
/// The wall has the travel q and the speed s along the axis (or the angle and the angular
/// velocity), the inertia M, the drive F (weight, force, pressure times area; or torques), a spring
/// and a damper. A step computes
///     M (s' − s)/h = F − k (q + δ dt s' − q₀) − c s' + P/h,      q' = q + dt s'
///
/// where P is the impulse of the particles along the axis, an unknown of the same solve as the
/// contacts, and h is the time between the middles of the last step and of this step, to which s
/// and s' belong (KickLength). Spring and damper are implicit, so that any stiffness is stable
/// (δ: free_tree.hpp):
///
///     s' = s° + P/M°,   M° = M + h c + δ h dt k,   s° = [M s + h (F − k (q − q₀))]/M°
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

/// Forces and constraints of a free wall. Travel and forces are along the wall's axis. Angles and
/// torques are about the axis, by the right-hand rule.
struct FreeMotion {
  Freedom freedom = Freedom::kNone;
  double start = 0.0;  // held fixed before this time [s]
  double mass = 0.0;   // > 0 [kg]; of a rotating wall ≥ 0, for the weight only

  // Motion along the axis.
  double force = 0.0;        // [N]
  double pressure = 0.0;     // on the particles [Pa]
  double area = 0.0;         // on which it acts; 0: there is no pressure drive [m²]
  double spring = 0.0;       // ≥ 0 [N/m]
  double spring_rest = 0.0;  // travel at which the spring is slack [m]
  double damping = 0.0;      // ≥ 0 [N s/m]

  // Rotation about the axis.
  double inertia = 0.0;                // about the axis, > 0 [kg m²]
  std::optional<Vec3> centre_of_mass;  // at time zero; none: on the axis [m]
  double torque = 0.0;                 // [N m]
  double torsion_spring = 0.0;         // ≥ 0 [N m per rad]
  double torsion_rest = 0.0;           // angle at which the torsion spring is slack [rad]
  double torsion_damping = 0.0;        // ≥ 0 [N m s]

  bool IsRotation() const { return freedom == Freedom::kAbout; }
  /// Whether a drive applies the pressure, which may be 0 at present, and carries the weight.
  bool HasPressureDrive() const { return area > 0.0; }
};

/// State of a free wall or a joint, the same on all ranks.
struct FreeWallState {
  double travel = 0.0;       // since time zero [m] or [rad]
  double speed = 0.0;        // in the middle of the last step (leapfrog) [m/s] or [rad/s]
  double last_length = 0.0;  // of the last step [s]; 0: there was none

  // Sums of a free wall or joint since the last row of the series.
  double impulse = 0.0;    // P, from the particles [N s] or [N m s]
  std::int64_t steps = 0;  // number of steps in `impulse`
  // Sums of a joint since the last row.
  double motor_impulse = 0.0;  // by the motor and the prescribed force [N s] or [N m s]
  double motor_work = 0.0;     // by the motor and the prescribed force [J]
  double load_work = 0.0;      // by the particles [J]
  double lost_work = 0.0;      // dissipated by damping, friction and limits [J]

  // Sums of a joint since time zero [J].
  double motor_energy = 0.0, load_energy = 0.0, lost_energy = 0.0;  // such works by the kicks
  double spring_energy = 0.0;                                       // work of the spring
  double weight_energy = 0.0;                                       // work of the weight

  /// Length of the step before a step of length dt. The first step counts as one of many [s].
  double LengthBefore(double dt) const { return last_length > 0.0 ? last_length : dt; }
  /// Begins the next row of the series.
  void StartRow() {
    impulse = motor_impulse = motor_work = load_work = lost_work = 0.0;
    steps = 0;
  }
  friend bool operator==(const FreeWallState&, const FreeWallState&) = default;
};

/// h: the time from the middle of a step to the middle of the next step, in which the forces at the
/// beginning of that step act [s]. With dt instead of h, a spring would lose energy if steps are
/// short whenever the wall is fast.
inline double KickLength(double last_length, double dt) { return 0.5 * (last_length + dt); }

/// Calls visit(name, member) for each sum that only joints have.
template <class Visit>
void ForEachSumOfJoint(Visit&& visit) {
  visit("motor_impulse", &FreeWallState::motor_impulse);
  visit("motor_work", &FreeWallState::motor_work);
  visit("load_work", &FreeWallState::load_work);
  visit("lost_work", &FreeWallState::lost_work);
  visit("motor_energy", &FreeWallState::motor_energy);
  visit("load_energy", &FreeWallState::load_energy);
  visit("lost_energy", &FreeWallState::lost_energy);
  visit("spring_energy", &FreeWallState::spring_energy);
  visit("weight_energy", &FreeWallState::weight_energy);
}

/// The step of a free wall without its contacts.
struct FreeStep {
  double inertia = 0.0;  // M° [kg] or [kg m²]
  double speed = 0.0;    // s° [m/s] or [rad/s]
};

/// Computes M° and s°.
/// @param axis    unit vector
/// @param centre  a point of the axis at time zero [m]
FreeStep FreeStepOf(const FreeMotion& motion, const Vec3& axis, const Vec3& centre,
                    const Vec3& gravity, double dt, const FreeWallState& state);

}  // namespace scree
