/// \file  Moves particles with their new velocities.
#pragma once

#include <cmath>
#include <span>

#include "engine/contacts/body_kick.hpp"
#include "engine/particles/particles.hpp"
#include "engine/scene/body_forces.hpp"
#include "engine/step/step_forces.hpp"
#include "engine/step/step_setup.hpp"
#include "engine/step/step_solve.hpp"
#include "solvers/one_contact/rigid_body.hpp"
#include "solvers/sweeps/position_projection.hpp"

namespace scree {

/// q' = normalise(q + dt/2 (0, ω) q), the quaternion product with ω in world axes.
Quaternion Rotate(const Quaternion& q, const Vec3& omega, double dt);

/// Sets x' = x + dt v', ω' = u'/r, the velocity change, and the orientation of owned particles.
/// Ghosts get the same bits as the particles of which they are copies.
void Integrate(std::span<const SphereBody> bodies, std::span<const Displacement> displacements,
               double dt, Particles& particles);

/// Integrate for rigid bodies. Clumps and their ghosts rotate freely (free_rotation). In a rotating
/// frame, clumps without contact impulses rotate exactly, as in the inertial frame.
/// @param rotated         rotation by the projection (PositionProjection); may be empty
/// @param inverse_masses  of the particles [1/kg]
/// @param clumps          clumps of the scene
/// @param frame, kicks    the frame and the kicks of this step, if the frame rotates
void Integrate(std::span<const RigidBody> bodies, std::span<const Displacement> displacements,
               std::span<const RigidBody> rotated, double dt,
               std::span<const double> inverse_masses, std::span<const ClumpShape> clumps,
               Particles& particles, const RotatingFrame& frame = {},
               std::span<const BodyKick> kicks = {});

/// Whether only the weight has changed a velocity in a step.
/// @param change  Particles::velocity_change [m/s]
/// @param kick    dt g [m/s]
inline bool IsInFreeFall(double change, double kick) {
  return std::abs(change - kick) < 1e-6 * kick;
}

/// Changes of the kinetic energy by the weight, and by forces other than weight and contacts [J].
struct ShiftEnergy {
  double of_weight = 0.0, of_body_forces = 0.0;
};

/// Velocities belong to the middle of the last step (leapfrog). If the next step has another
/// length, g (last_length - next_length)/2 is added to the velocity of a body in free flight.
/// Without this a bouncing ball would lose height at each change of the step. A body is in free
/// flight if only its weight and other body forces have changed its velocity. A body that has just
/// been hit also counts, because it rarely rests on anything.
/// @param flights         of the particles, if forces other than the weight act; else empty
/// @param last_length, next_length  lengths of the steps [s]
/// @param inverse_masses  of the particles [1/kg]
/// @returns the change of the kinetic energy of the owned particles
ShiftEnergy ShiftFlights(const Vec3& gravity, std::span<const Flight> flights, double last_length,
                         double next_length, std::span<const double> inverse_masses,
                         Particles& particles);

/// Moves particles with the velocities of the solve and the displacements of the projection.
void MoveParticles(const StepSetup& setup, const StepSolve& solve,
                   const PositionProjection& projection, Particles& particles);

}  // namespace scree
