/// \file  What is simulated, at the end of a step.
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

/// What the next step depends on, apart from the scene and the parameters. Everything else that
/// TimeStep holds can be made again from it, bit by bit from it and the RestartPoint.
struct State {
  Particles particles;        // this rank's; ghosts are the step's business
  std::int64_t step = 0;      // steps done
  std::int64_t inserted = 0;  // by this rank since the start
  std::int64_t deleted = 0;   // by this rank since the start
  EnergyBalance energy;       // of this rank since the start, of the steps that kept a book
  ParticleId next_id = 0;     // first id of the inflow, above all initial ones; equal on all ranks
  std::vector<RainState> rains;           // one per rain of the scene; equal on all ranks
  std::vector<FreeWallState> free_walls;  // Scene::FreeRows; equal on all ranks
  CellState cell;                         // of scenes with one; equal on all ranks
};

/// Makes all particles owned ones, and gives each rain and each wall its entry.
/// @returns the state
State& InitialiseOwned(State& state, const Scene& scene, const StepParameters& parameters);

/// Rounds velocities where both sides of a contact have to see the same across a moving image.
void RoundVelocities(const Scene& scene, const StepParameters& parameters, Particles& particles);

/// How many owned particles have not left.
std::int64_t CountLive(const Particles& particles);

}  // namespace scree
