/// \file  Diagnostics of a step: energy, wall loads, dissipation, penetration. They do not affect
///        the motion.
#pragma once

#include <vector>

#include "engine/observation/energy_balance.hpp"
#include "engine/observation/wall_load_sums.hpp"
#include "engine/particles/particles.hpp"
#include "engine/step/step_contacts.hpp"
#include "engine/step/step_projection.hpp"
#include "engine/step/step_setup.hpp"
#include "engine/step/step_solve.hpp"

namespace scree {

struct StepDiagnostics {
  bool keeps_energy = false;
  EnergyBalance energy;  // of this rank, last step

  bool keeps_wall_loads = false;
  std::vector<WallLoad> wall_loads;  // of this rank, last step; one per wall
  WallLoadSums interval_loads;       // of the steps in this interval

  bool keeps_dissipation = false;
  std::vector<double> dissipation;  // of this rank's contacts in the last step [J]

  double max_penetration = 0.0;  // of this rank in this interval [m]
};

/// The energy balance of this rank for a solve and its present impulses, before the motion.
/// @param solve  unchanged, except for the mean velocities of its bodies
EnergyBalance BalanceOfSolve(const StepSetup& setup, const Particles& particles,
                             const StepContacts& contacts, const Halo& halo, StepSolve& solve);

/// Records a step between its solve and its motion, for the enabled diagnostics. Collective.
/// @param particles  at the beginning of the step
/// @param solve      after its sweeps; unchanged, except for the mean velocities of its bodies
void RecordStep(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                StepSolve& solve, const StepProjection& projection, const Halo& halo,
                StepDiagnostics& diagnostics);

/// Records the energy of removed particles, and the energy change by the free rotation of clumps.
/// @param particles  after the motion and the outflow
void RecordMotion(const StepSetup& setup, const Particles& particles, const StepSolve& solve,
                  StepDiagnostics& diagnostics);

/// Records the result of RotateContactKicks [J].
void RecordFrameWork(double work, StepDiagnostics& diagnostics);

/// Records the inserted particles.
/// @param first  index of the first inserted particle; all following particles are inserted too
void RecordInserted(const StepSetup& setup, std::size_t first, const Particles& particles,
                    const StepSolve& solve, StepDiagnostics& diagnostics);

/// Records the energy change of particles that have crossed a sheared end: the next migration will
/// give them the velocity of the image.
/// @param[in,out] sum  balance of all steps since the start
void RecordRemap(const StepSetup& setup, const Particles& particles, const StepSolve& solve,
                 const StepDiagnostics& diagnostics, EnergyBalance& sum);

void EnableWallLoads(const StepSetup& setup, bool enabled, StepDiagnostics& diagnostics);

}  // namespace scree
