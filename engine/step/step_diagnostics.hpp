/// \file  What is asked about steps beside the state: energy, loads of walls, penetration. Nothing
///        in it acts back on the motion.
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

/// Books a step between its solve and its motion, as far as books are kept. Collective.
/// @param particles  at the beginning of the step
/// @param solve      solved; left as it was, but for the means of the bodies
void RecordStep(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                StepSolve& solve, const StepProjection& projection, const Halo& halo,
                StepDiagnostics& books);

/// Books what the motion changes: those that flowed out, and what clumps do as they turn freely.
/// @param particles  after the motion and the outflow
void BookMotion(const StepSetup& setup, const Particles& particles, const StepSolve& solve,
                StepDiagnostics& books);

/// Books the particles that have entered.
/// @param first  of them, which are the last ones
void RecordInserted(const StepSetup& setup, std::size_t first, const Particles& particles,
                    const StepSolve& solve, StepDiagnostics& books);

/// Books that what crossed a sheared end comes back with the velocity of the image: the next
/// migration of the particles does that.
/// @param[in,out] sum  of the steps since the start
void BookRemap(const StepSetup& setup, const Particles& particles, const StepSolve& solve,
               const StepDiagnostics& books, EnergyBalance& sum);

/// What has to be found about walls, from now on.
void EnableWallLoads(const StepSetup& setup, bool yes, StepDiagnostics& books);

}  // namespace scree
