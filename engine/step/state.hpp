/// \file  The state of a simulation at the end of a step.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/observation/energy_balance.hpp"
#include "engine/particles/particles.hpp"
#include "engine/particles/rain.hpp"
#include "engine/scene/cell.hpp"
#include "engine/scene/free_wall.hpp"
#include "engine/scene/scene.hpp"
#include "engine/scene/step_parameters.hpp"

namespace scree {

/// The data on which the next step depends, besides the scene and the parameters. TimeStep rebuilds
/// all other data from the state; without a RestartPoint they may differ in rounding.
struct State {
  Particles particles;           // of this rank; only the step uses the ghosts
  std::int64_t step = 0;         // base steps done
  std::int64_t inserted = 0;     // by this rank since the start
  std::int64_t deleted = 0;      // by this rank since the start
  EnergyBalance energy;          // of this rank, summed over the steps that recorded a balance
  ParticleId next_id = 0;        // next id of the inflow, above all initial ids; equal on all ranks
  std::vector<RainState> rains;  // one per rain of the scene; equal on all ranks
  std::vector<FreeWallState> free_walls;  // one per row of Scene::FreeRows; equal on all ranks
  CellState cell;                         // in scenes with a cell; equal on all ranks
};

/// Makes all particles owned, rounds their velocities, and starts all rains, free walls and the
/// cell.
/// @returns the state
State& InitialiseOwned(State& state, const Scene& scene, const StepParameters& parameters);

/// Rounds velocities if two ranks compute the same contact with a moving periodic image: the sum of
/// the velocities of particle and image is then exact, so that both ranks get the same bits.
void RoundVelocities(const Scene& scene, const StepParameters& parameters, Particles& particles);

/// Number of owned particles that are not removed.
std::int64_t CountLive(const Particles& particles);

}  // namespace scree
