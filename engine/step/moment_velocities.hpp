/// \file  Velocities at the end of a step in a rotating frame, for output. The velocities
///        of the scheme (leapfrog) are means over the step, and stay unchanged.
#pragma once

#include <span>
#include <vector>

#include "engine/particles/particles.hpp"
#include "engine/step/step_forces.hpp"
#include "engine/step/step_setup.hpp"

namespace scree {

struct InstantaneousVelocities {
  std::vector<Vec3> of_owned;  // [m/s]; empty: equal to Particles::velocity
  double gained = 0.0;         // this rank's kinetic energy with them, minus that of the scheme [J]
};

/// Bodies in free flight, and bodies just hit, move on a straight line in the inertial frame with
/// the mean velocity of the step. The result is this velocity in the present orientation of the
/// rotating frame. Bodies that contacts or drag guide change their velocity steadily; they get the
/// velocity of the scheme plus half of its change in the last step.
///
/// Without a rotating frame the result is empty: the weight acts in the first step of a run for its
/// whole length, so that v = v₀ + g t is already the velocity at the end of the step. (The
/// positions belong to a body thrown faster by g dt/2.)
/// @param last_length     length of the last step; 0: no step is done [s]
/// @param forces          of the last step
/// @param inverse_masses  of the particles [1/kg]
InstantaneousVelocities FindInstantaneousVelocities(const StepSetup& setup, double last_length,
                                                    const StepForces& forces,
                                                    std::span<const double> inverse_masses,
                                                    const Particles& particles);

}  // namespace scree
