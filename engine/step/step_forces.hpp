/// \file  Forces other than weight and contacts in a step, from the scene and from a program.
#pragma once

#include <span>
#include <vector>

#include "engine/contacts/body_kick.hpp"
#include "engine/geometry/free_rotation.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/halo.hpp"
#include "engine/step/step_bodies.hpp"
#include "engine/step/step_setup.hpp"

namespace scree {

/// The free flight of a body.
struct Flight {
  Vec3 acceleration = Vec3::Zero();  // by all forces except those of a rotating frame [m/s²]
  double kick = 0.0;                 // velocity change by all forces in a step [m/s]
};

struct StepForces {
  bool are_active = false;      // whether forces act in this step, on any rank
  std::vector<BodyKick> kicks;  // of the local particles, if forces act
  // Largest kick by these forces and the weight [m/s]: of this rank, or of all ranks after the
  // reduction in TimeStep::ComputeForces.
  double max_kick = 0.0;
  // Impulses that each owned particle got from these forces in the last step [N s], and angular
  // impulses about its centre [N m s]; without the weight.
  std::vector<Vec3> impulses, angular_impulses;
  // Changes of the local particles' velocities by contacts in the last step, and of ω of spheres,
  // if the frame rotates [m/s], [rad/s].
  std::vector<Vec3> contact_kicks, contact_spins;

  // Scratch.
  std::vector<Vec3> kicked_velocities;  // of ComputeKickedVelocities [m/s]
  std::vector<double> inverse_masses;   // without drag
  std::vector<double> void_fractions;   // of the cells of the fluid
  std::vector<Flight> flights;          // of FindFlights

  BodyKicks KicksOf(const StepSetup& setup) const {
    return {setup.parameters.dt * setup.scene.gravity, kicks};
  }
};

/// Computes the kicks of the owned particles in the step that starts here. Collective.
/// @param last_length     length of the previous step, to which the velocities belong; 0: none [s]
/// @param program_forces  null: none
void ComputeKicks(const StepSetup& setup, std::int64_t step, double last_length,
                  const Particles& particles, const BodyForces* program_forces, StepForces& forces);

/// Finds the flights of the owned particles in a step as long as the last step. Uses only present
/// data, so that a restart finds the same flights. Forces of a program are ignored, because they
/// may change in every step. Collective.
/// @param last_length  length of the last step [s]
void FindFlights(const StepSetup& setup, std::int64_t step, double last_length,
                 const Particles& particles, StepForces& forces);

/// Explicit change of ω of a non-spherical body in a step by Euler's equations in the rotating
/// frame.
Vec3 SpinKickOfFrame(const RotatingFrame& frame, const PrincipalInertia& inertia,
                     const Quaternion& orientation, const Vec3& omega, double dt);

/// Gathers the kicks of ghosts from their owners. Collective over the peers.
void GatherKicks(const Communicator& communicator, Halo& halo, StepForces& forces);

/// Velocities of the local particles after all kicks except the weight, which is equal for all.
/// They serve contact detection. Without forces they are the velocities of the particles.
std::span<const Vec3> ComputeKickedVelocities(const StepSetup& setup, const Particles& particles,
                                              StepForces& forces);

/// Replaces the masses m by m + dt k for the solve, with the drag k.
void AddDragToMasses(StepForces& forces, std::vector<double>& inverse_masses);
/// Restores the true masses, also in the bodies, and computes the impulses of the forces.
/// @param particles  at the beginning of the step
/// @param bodies     at its end
void FinishForces(const StepSetup& setup, const Particles& particles, StepForces& forces,
                  std::vector<double>& inverse_masses, StepBodies& bodies);

/// Rotates the effect of the contacts on velocities, after the motion, if the frame rotates. They
/// act at the beginning of the step, so the velocity at its end has Q times their kick (FrameStep).
/// The motion has the kick itself, so that bodies at rest do not creep.
/// @param particles  with the velocities of the solve, ghosts included
/// @returns the change of the kinetic energy of the owned particles [J]
double RotateContactKicks(const StepSetup& setup, const StepForces& forces, Particles& particles);

}  // namespace scree
