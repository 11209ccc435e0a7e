/// \file  A chain of impacts, to see how errors of the outbound velocity add up (Papetti, Avanzini
///        & Rocchesso, section IV-B2, table III). Each impact starts with the release speed of the
///        one before. Between impacts the mass flies and returns without loss.
#pragma once

#include <vector>

#include "apps/single/models/stepped_impact.hpp"

namespace scree::impact {

/// The velocity, at the last sample of an impact, with which the next impact starts.
enum class NextImpactVelocity {
  kOutbound,
  // The velocity at which the last force was evaluated: with Heun's method, Euler's prediction.
  // This is a mistake, which the entries of Heun in table III contain.
  kPredicted,
};

struct Rebound {
  double v_in = 0.0;         // simulated [m/s]
  double v_out = 0.0;        // simulated [m/s]
  double v_reference = 0.0;  // v_out in the chain of exact impacts [m/s]
  int steps = 0;
  ClosedFormDeviations deviations;  // from the closed form with this v_in

  /// Accumulated error of the energy since the first impact, H/H_ref − 1.
  double EnergyError() const { return (v_out / v_reference) * (v_out / v_reference) - 1.0; }
};

/// Runs `count` impacts, the first at setup.v_in.
/// @throws InputError, SimulationError  as ImpactRunner::RunToRelease
std::vector<Rebound> SimulateRebounds(
    const SteppedImpactSetup& setup, int count,
    NextImpactVelocity next_velocity = NextImpactVelocity::kOutbound);

}  // namespace scree::impact
