/// \file  Routh's impact by small steps in impulse space: slow, independent, right.
#pragma once

#include "apps/single/models/routh.hpp"

namespace scree::test {

struct SteppedImpact {
  double normal = 0.0, tangential = 0.0;  // impulses [N s]
  double s = 0.0, c = 0.0;                // velocities at the end [m/s]
};

/// F̄ grows by steps of |c₀|/(γ steps); each finds the friction impulse in [−μ dF̄, μ dF̄] that leaves
/// the least sliding velocity at its end (implicit Euler). No cases of stick, slip and reversal.
/// Corners of the path are found to one step; between them nothing is lost.
/// @pre c₀ < 0, |ε| well below √(αγ): otherwise the compression takes very many steps
SteppedImpact RouthBySteps(const impact::RouthProblem& problem, int steps);

}  // namespace scree::test
