/// \file  Velocities at the end of a step in a rotating frame, for output. The velocities
///        of the scheme (leapfrog) are means over the step, and stay unchanged.
#pragma once

#include <span>
#include <vector>

#include "engine/particles/particles.hpp"
#include "engine/step/step_forces.hpp"
#include "engine/step/step_setup.hpp"

namespace scree {

struct MomentVelocities {
  std::vector<Vec3> of_owned;  // [m/s]; empty: the velocities of the particles
  double gained = 0.0;         // difference in kinetic energy of this rank's particles [J]
};

/// Bodies in free flight, and bodies just hit, move on a straight line in the inertial frame with
/// the mean velocity of the step. The result is this velocity in the present orientation of the
/// rotating frame. Bodies that contacts hold or guide change their velocity steadily, so half of
/// the change is applied.
///
/// Without a rotating frame nothing is computed: the first step of a run includes the whole weight,
/// so that v = v₀ + g t is already the velocity at the end of the step. (The positions belong to
/// a body thrown faster by g dt/2.)
/// @param last_length     length of the last step; 0: no step is done [s]
/// @param forces          of the last step
/// @param inverse_masses  of the particles [1/kg]
MomentVelocities FindMomentVelocities(const StepSetup& setup, double last_length,
                                      const StepForces& forces,
                                      std::span<const double> inverse_masses,
                                      const Particles& particles);

}  // namespace scree
