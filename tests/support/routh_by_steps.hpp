/// \file  Routh's impact by small steps in impulse space: slow, independent, reliable.
#pragma once

#include "apps/single/models/routh.hpp"

namespace scree::test {

struct SteppedImpact {
  double normal = 0.0, tangential = 0.0;  // impulses [N s]
  double s = 0.0, c = 0.0;                // sliding and normal velocity at the end [m/s]
};

/// The normal impulse F̄ grows in steps of dF̄ = −c₀/(γ steps). In each step the friction impulse in
/// [−μ dF̄, μ dF̄] minimises the final sliding velocity (implicit Euler), without cases for stick,
/// slip and reversal. Corners of the path are accurate to one step; between them the path is exact.
/// @pre c₀ < 0; ε well below √(αγ), otherwise the compression takes very many steps
SteppedImpact RouthBySteps(const impact::RouthProblem& problem, int steps);

}  // namespace scree::test
