/// \file  Velocities at the end of a step in a rotating frame, for those who read them: the
/// scheme's own are means over the way of the step (leapfrog), and stay as they are.
#pragma once

#include <span>
#include <vector>

#include "engine/particles/particles.hpp"
#include "engine/step/step_forces.hpp"
#include "engine/step/step_setup.hpp"

namespace scree {

struct MomentVelocities {
  std::vector<Vec3> of_owned;  // [m/s]; empty: those of the particles
  double gained = 0.0;         // what they add to the kinetic energy of this rank's particles [J]
};

/// Bodies in free flight and those just hit have on the straight line in the frame at rest the
/// velocity of the way, seen from where the frame is now. Those that contacts hold or guide have
/// changed their velocity steadily, and change it by half as much in half a step.
///
/// Without a frame there is nothing to do: a start counts the whole weight in its first step, so
/// that v = v₀ + g t is that of the moment, while places are those of a throw faster by g dt/2.
/// @param last            length of the last step; 0: none is done [s]
/// @param forces          of the last step
/// @param inverse_masses  of the particles [1/kg]
MomentVelocities FindMomentVelocities(const StepSetup& setup, double last, const StepForces& forces,
                                      std::span<const double> inverse_masses,
                                      const Particles& particles);

}  // namespace scree
