/// \file  Moves particles with their new velocities.
#pragma once

#include <cmath>
#include <span>

#include "engine/particles/particles.hpp"
#include "engine/step/step_setup.hpp"
#include "engine/step/step_solve.hpp"
#include "solvers/one_contact/rigid_body.hpp"
#include "solvers/sweeps/position_projection.hpp"

namespace scree {

/// q' = normalise(q + dt/2 (0, ω) q), the quaternion product with ω in world axes.
Quaternion Rotate(const Quaternion& q, const Vec3& omega, double dt);

/// x' = x + dt v', ω' = u'/r, and the orientation of owned particles. Ghosts are moved like their
/// owner's copy, to the same bits.
void Integrate(std::span<const SphereBody> bodies, std::span<const Displacement> displacements,
               double dt, Particles& particles);

/// The same for rigid bodies: clumps turn freely (free_rotation), with their ghosts.
/// @param turned          by which the projection turns them (PositionProjection); or empty
/// @param inverse_masses  of the particles [1/kg]
/// @param clumps          the scene's
void Integrate(std::span<const RigidBody> bodies, std::span<const Displacement> displacements,
               std::span<const RigidBody> turned, double dt, std::span<const double> inverse_masses,
               std::span<const ClumpShape> clumps, Particles& particles);

/// Whether all that has changed a velocity in a step is the weight.
/// @param change  Particles::velocity_change [m/s]
/// @param kick    dt g [m/s]
inline bool FallsFreely(double change, double kick) {
  return std::abs(change - kick) < 1e-6 * kick;
}

/// A velocity is that of the middle of the last step (leapfrog), so where the next one has another
/// length that of a body in free flight has to be shifted by g (last - next)/2: else a ball that
/// bounces would lose height by each change of the step. In free flight is what falls freely, and
/// what has just been hit: neither rests on anything.
/// @param last, next      lengths of the steps [s]
/// @param inverse_masses  of the particles [1/kg]
/// @returns what that adds to the kinetic energy of the owned particles [J]
double ShiftFlights(const Vec3& gravity, double last, double next,
                    std::span<const double> inverse_masses, Particles& particles);

/// Moves particles with the velocities of the solve and the displacements of the projection.
void MoveParticles(const StepSetup& setup, const StepSolve& solve,
                   const PositionProjection& projection, Particles& particles);

}  // namespace scree
