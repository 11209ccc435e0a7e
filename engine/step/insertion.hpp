/// \file  Particles that appear at the end of a step: layers of pistons, and rain.
#pragma once

#include <vector>

#include "engine/step/state.hpp"
#include "engine/step/step_setup.hpp"

namespace scree {

/// Lets in what comes with a piston or as rain, if any is due; then ghosts go. Collective.
/// @param inverse_masses  of all particles, the new ones last [1/kg]
/// @returns whether some rank has let particles in: all need new lists
bool InsertDue(const StepSetup& setup, State& state, std::vector<double>& inverse_masses);

}  // namespace scree
