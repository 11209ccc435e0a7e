/// \file  Inserts particles at the end of a step: layers of pistons, and rain.
#pragma once

#include <vector>

#include "engine/step/state.hpp"
#include "engine/step/step_setup.hpp"

namespace scree {

/// Inserts the particles of pistons and rains that are due, and then removes the ghosts.
/// Collective.
/// @param[out] inverse_masses  of all particles, new particles last [1/kg]
/// @returns whether some rank has inserted particles, so that all ranks need new lists
bool InsertDue(const StepSetup& setup, State& state, std::vector<double>& inverse_masses);

}  // namespace scree
