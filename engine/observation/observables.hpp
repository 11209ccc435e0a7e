/// \file  Quantities that describe a state: counts, energy, velocities, loads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/observation/energy_balance.hpp"
#include "engine/observation/wall_load_sums.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/bond.hpp"
#include "engine/scene/cell.hpp"
#include "solvers/base/types.hpp"

namespace scree {

struct DetectedContact;

/// Quantities of a cell that deforms, after a step.
struct CellObservables {
  Vec3 length = Vec3::Zero();  // of its edges [m]
  CellComponents stress = {};  // of the last step, positive under pressure [Pa]
  CellTargets targets = {};    // prescribed stresses [Pa]
  CellComponents rates = {};   // of the last step [1/s]
  double strain = 0.0;         // −ln(V/V₀), positive in compression [-]
  double shear_strain = 0.0;   // [-]
  double solid_fraction = 0.0;
};

/// The quantities of one logged step, as sums or maxima over all ranks.
///
/// `contacts` is the number of contacts in the solve. Of these, `closed_contacts` had a gap of at
/// most ClosedGap (step_parameters.hpp) when detected, `loaded_contacts` have a normal impulse
/// after the solve, and `open_contacts` are loaded but not closed; matter at rest has no open
/// contacts. All include contacts with walls. `wall_contacts` are the closed contacts with a wall.
/// These five numbers depend on the length of the step, and are 0 at step 0, before the first
/// solve. `touching_contacts` had gaps of at most GapOfTouching when the step began; contacts with
/// walls and contacts that are not in the solve count, too. Their number converges for short steps.
struct Observables {
  std::int64_t step = 0;
  double time = 0.0;       // [s]
  double time_step = 0.0;  // length of the last step [s]
  std::int64_t particles = 0;
  std::int64_t inserted = 0;  // since the start
  std::int64_t deleted = 0;   // since the start
  std::int64_t contacts = 0;
  std::int64_t closed_contacts = 0;
  std::int64_t loaded_contacts = 0;
  std::int64_t open_contacts = 0;
  std::int64_t wall_contacts = 0;
  // No number if the step did not count them (TimeStep::KeepTouching).
  std::optional<std::int64_t> touching_contacts;
  double touching_gap = 0.0;                  // largest gap of touching contacts [m]
  double max_penetration = 0.0;               // at this step's detection [m]
  double max_penetration_interval = 0.0;      // since the last row of the series [m]
  double kinetic_energy = 0.0;                // translation and rotation [J]
  Vec3 mean_velocity = Vec3::Zero();          // not weighted by mass [m/s]
  double max_speed = 0.0;                     // [m/s]
  std::optional<EnergyBalance> energy;        // since the start; none: not computed
  std::optional<CellObservables> cell;        // only in scenes with a cell
  std::optional<BondCounts> bonds;            // only in scenes with bonds
  std::optional<BondEnergies> bond_energies;  // only in scenes with damage bonds
  std::optional<ClusterCounts> clusters;      // only in scenes with bonds
  std::vector<WallLoad> wall_loads;           // of this step, one per wall; empty: not computed
  // Loads since the last row of the series, one per wall; empty: not computed.
  std::vector<WallLoadMoments> interval_loads;

  /// Twice the loaded contacts over the number of all particles, loaded or not.
  double Coordination() const {
    return particles == 0
               ? 0.0
               : 2.0 * static_cast<double>(loaded_contacts) / static_cast<double>(particles);
  }
  /// Twice the touching contacts, including those with walls, over the number of particles.
  std::optional<double> TouchingPerParticle() const {
    if (!touching_contacts) return std::nullopt;
    return particles == 0
               ? 0.0
               : 2.0 * static_cast<double>(*touching_contacts) / static_cast<double>(particles);
  }
};

/// Computes the quantities of the particles and the last solve. The caller sets step, time, numbers
/// of inserted and deleted particles, touching contacts, the quantities of the interval and the
/// energy balance. Collective.
/// @param inverse_masses  of the owned particles; may be longer [1/kg]
/// @param impulses        one per contact [N s]
/// @param closed_gap      largest gap of a closed contact [m]
/// @param first_wall      index of the first body that is a wall
/// @param wall_loads      contributions of this rank
/// @param clumps          shapes of the scene
/// @param velocities      of the owned particles [m/s]; empty: Particles::velocity
Observables Observe(const Communicator& communicator, const Particles& particles,
                    const std::vector<double>& inverse_masses,
                    std::span<const DetectedContact> contacts, const std::vector<Vec3>& impulses,
                    double closed_gap, std::size_t first_wall,
                    std::vector<WallLoad> wall_loads = {}, std::span<const ClumpShape> clumps = {},
                    std::span<const Vec3> velocities = {});

}  // namespace scree
