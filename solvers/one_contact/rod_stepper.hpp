/// \file  A slender rod in the plane that falls, slides and hits the ground with its lower end: the
///        impulse-velocity time step of one body, under either law of friction.
///
/// The motion of the rod shows the limit dt → 0. In each step the free velocity receives the
/// impulse of one contact, which keeps the gap from closing within the step,
///
///     v' = v − dt g e_y + M⁻¹ Jᵀ x,   vₙ' + max(ξ, 0)/dt ≥ 0,   q' = q + dt v',
///
/// with gap ξ, arm, Jacobian J and block A at the beginning of the step: the scheme of Preclik,
/// Eibl & Rüde, The maximum dissipation principle in rigid-body dynamics with purely inelastic
/// impacts, section 2.
#pragma once

#include "solvers/one_contact/one_contact.hpp"

namespace scree {

struct Rod {
  double mass = 1.0;      // > 0 [kg]
  double length = 1.0;    // > 0 [m]
  double mu = 0.0;        // friction with the ground, ≥ 0 [-]
  double gravity = 9.81;  // ≥ 0 [m/s²]
};

struct RodState {
  double x = 0.0, y = 0.0;    // of the centre; the ground is y = 0 [m]
  double theta = 0.0;         // from the ground to the rod, counter-clockwise [rad]
  double vx = 0.0, vy = 0.0;  // [m/s]
  double omega = 0.0;         // [rad/s]
};

/// Height of the lower end [m].
double Gap(const Rod& rod, const RodState& state);

/// Kinetic and potential energy [J].
double Energy(const Rod& rod, const RodState& state);

/// One step; returns the impulse of the ground on the rod, in the frame n = e_y, t = eₓ [N s].
/// @pre dt > 0
Vec3 StepRod(const Rod& rod, ContactLaw law, double dt, RodState& state);

}  // namespace scree
