/// \file  Forces beside weight and contacts in a step: of the scene, and those that a program
/// gives.
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

/// How a body goes on in free flight, in a rotating frame but for what that does.
struct Flight {
  Vec3 acceleration = Vec3::Zero();  // [m/s²]
  double kick = 0.0;                 // what all forces, the frame's too, add to its velocity [m/s]
};

struct StepForces {
  bool act = false;             // in this step, on all ranks
  std::vector<BodyKick> kicks;  // of the local particles, if they do
  // Of what they add to a velocity with the weight: of this rank, of all once TakeForces of the
  // step has reduced it [m/s].
  double greatest = 0.0;
  // What they, less the weight, gave each owned particle in the last step [N s], [N m s].
  std::vector<Vec3> impulses, angular_impulses;
  // What contacts changed its velocity by in the last step, in a rotating frame [m/s].
  std::vector<Vec3> of_contacts;

  // Scratch.
  std::vector<Vec3> kicked;            // velocities, of ComputeKickedVelocities [m/s]
  std::vector<double> inverse_masses;  // without drag
  std::vector<double> void_fractions;  // of the cells of the fluid
  std::vector<Flight> flights;         // of FindFlights

  BodyKicks Of(const StepSetup& setup) const {
    return {setup.parameters.dt * setup.scene.gravity, kicks};
  }
};

/// Of the owned particles in the step from here on. Collective.
/// @param last   length of the step before, which the velocities are of; 0: of none [s]
/// @param given  by a program; null: nothing
void ComputeKicks(const StepSetup& setup, std::int64_t step, double last,
                  const Particles& particles, const BodyForces* given, StepForces& forces);

/// How the owned particles would go on in a step as long as the last one, by what is known now, so
/// that a restart finds the same. Collective.
/// @param last   its length [s]
/// @param given  by a program; null: nothing
void FindFlights(const StepSetup& setup, std::int64_t step, double last, const Particles& particles,
                 const BodyForces* given, StepForces& forces);

/// What Euler's equations in the frame add to ω of a body that is no sphere in a step, explicit.
Vec3 SpinPushOfFrame(const RotatingFrame& frame, const PrincipalInertia& inertia,
                     const Quaternion& orientation, const Vec3& omega, double dt);

/// Ghosts get those of their owners. Collective over the peers.
void GatherPushes(const Communicator& communicator, Halo& halo, StepForces& forces);

/// Velocities of the local particles after the forces other than the weight, which is the same for
/// all, of as many as have a push: what looks for contacts of the step counts with these. Where no
/// forces act they are the particles' own.
std::span<const Vec3> ComputeKickedVelocities(const StepSetup& setup, const Particles& particles,
                                              StepForces& forces);

/// Masses as the solve sees them, with the drag.
void AddDragToMasses(StepForces& forces, std::vector<double>& inverse_masses);
/// Masses as they are, of the bodies too, and the impulses of the forces.
/// @param particles  at the beginning of the step, bodies at its end
void FinishForces(const StepSetup& setup, const Particles& particles, StepForces& forces,
                  std::vector<double>& inverse_masses, StepBodies& bodies);

}  // namespace scree
