/// \file  Bodies far heavier than what they lie on: loads that sweeps would build up over thousands
///        of steps are scaled by a line search between sweeps (solvers/sweeps/load_scaling).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/particles/particles.hpp"
#include "engine/step/step_setup.hpp"
#include "solvers/batches/contact_batches.hpp"
#include "solvers/sweeps/block_gauss_seidel.hpp"
#include "solvers/sweeps/load_scaling.hpp"

namespace scree {

/// The mean error of heavy bodies' contacts that may stay: a thousandth of what the weight adds in
/// a step [m/s]. 0, so that loads are never scaled, where no body is heavy against another, where
/// loads begin with nothing, with a tolerance of the sweeps' own, with Jacobi, whose bits do not
/// depend on sums over the ranks, or where something pulls that does not grow with the load.
double HeavyToleranceOf(const StepSetup& setup);

/// The sums over all ranks. Collective.
LoadErrors SumOver(const Communicator& communicator, const LoadErrors& here);

/// Sweeps; and while contacts of heavy bodies are off by more than the tolerance, scaled loads and
/// sweeps once more. Collective.
/// @param sweep  sweep(impulses) solves by the scheme
template <class Body, class Sweeps>
void SolveWithHeavyBodies(const StepSetup& setup, const Particles& particles, double tolerance,
                          StartingImpulses impulses, ContactBatches& batches,
                          std::vector<Body>& bodies, Sweeps&& sweep) {
  // In one solve a load may grow eightfold: where a body is wedged nothing else would stop it.
  constexpr double kMostGrowth = 8.0, kLower = -0.5, kUpper = 1.0, kLeast = 3e-3;
  constexpr int kMostScalings = 20;
  const std::vector<Body> free = bodies;
  sweep(impulses);
  double grown = 1.0;
  for (int k = 0; k < kMostScalings; ++k) {
    const LoadErrors errors =
        SumOver(setup.communicator,
                FindLoadErrors<Body>({particles.owned, particles.Size()}, batches, free, bodies));
    if (!(std::abs(errors.heavy_work) > tolerance * errors.heavy_load)) return;
    const double upper = std::min(kUpper, kMostGrowth / grown - 1.0);
    const double alpha = std::clamp(-errors.work / errors.energy, kLower, upper);
    if (!(std::abs(alpha) > kLeast)) return;
    ScaleLoads<Body>(alpha, batches, free, bodies);
    grown *= 1.0 + alpha;
    sweep(StartingImpulses::kApplied);
  }
}

}  // namespace scree
