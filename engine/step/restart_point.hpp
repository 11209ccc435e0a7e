/// \file  The data that a time step needs, besides the state, to continue as if the run had never
///        stopped.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/contacts/bond_table.hpp"
#include "engine/contacts/warm_start.hpp"
#include "engine/lists/neighbor_list.hpp"
#include "engine/observation/wall_load_sums.hpp"
#include "engine/scene/cell.hpp"
#include "engine/scene/free_wall.hpp"
#include "engine/step/radius_range.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// The state of the load balancing between the ranks (load_balance).
struct LoadBalanceState {
  std::int64_t checked_at = 0;  // steps done at the last check of the imbalance
  // Delay of the busiest ranks since the last search for cuts, in steps of mean work.
  double delay = 0.0;
  double patience = 1.0;  // delay that triggers the next search, in costs of a rebalance; it grows
                          // after searches that found nothing better
  std::int64_t rebalances = 0;  // number of rebalances since the start
};

/// The state of the step control (adaptive_step.hpp), in base steps.
struct AdaptiveStepState {
  std::int64_t stride = 1;         // of the last step, to which the stored impulses belong
  std::int64_t next_stride = 0;    // planned stride of the next step; 0: to be planned again
  std::int64_t growing_steps = 0;  // consecutive steps that could have been longer
  std::int64_t ceiling = std::int64_t{1} << 50;  // maximum stride; large overlaps reduce it
  std::int64_t calm_steps = 0;                   // steps since the ceiling changed
  double force_limit = 0.0;                      // last ForceStepLimit [s]; 0: no limit
  std::int64_t steps_done = 0;                   // steps since the start, of any length
};

/// The number of sweeps that the measured error of the solves requires (automatic_sweeps.hpp).
struct AutomaticSweepsState {
  std::int64_t sweeps = 10;     // of short steps; long steps do up to twice as many
  std::int64_t measure_at = 8;  // step of the run whose solve is measured next
  std::int64_t interval = 8;    // planned steps from the last measurement to the next
  double error_ratio = 0.0;     // last MaxErrorRatio; 0: not measured yet
  // The ContactLoads at the last measurement.
  std::int64_t loaded = 0;
  double median_force = 0.0;  // [N]
};

/// The bits of a result depend on the order of the contacts, which follows from the neighbour list.
/// The list follows from the positions of the particles when it was built. The restart point
/// therefore stores these positions, not the list.
///
/// All members except the arrays and bond_counts are the same on all ranks.
struct RestartPoint {
  RadiusRange radii;  // also of removed particles, because the reach of the list depends on it
  double max_penetration = 0.0;  // since the interval began [m]
  WallLoadSums wall_loads;       // since the interval began
  std::int64_t rebuilds = 0;     // since the start
  LoadBalanceState balance;
  AdaptiveStepState adaptive;
  AutomaticSweepsState sweeps;
  bool redistributed = false;  // particles are on any ranks, in any order; none is removed
  bool rebuild_due = true;     // the next step builds a new list, and ignores the members from
                               // list_step to reference
  std::int64_t list_step =
      0;  // base steps done when the list was built, for the poses of the walls
  std::vector<FreeWallState> list_free_walls;  // free walls at list_step
  CellState list_cell;                         // cell at list_step
  ListReach reach;                             // of the list
  std::vector<Vec3> reference;  // positions of the owned particles at list_step, in their order [m]
  std::vector<StoredImpulse> impulses;  // starting impulses of the next step
  LawFlags laws = {};                   // the active additional laws; `impulses` include their L
  bool has_members = false;             // whether `impulses` belong to members of clumps
  std::vector<Index> first_impulse;     // each owned particle's first impulse; last: their number
  std::vector<Bond> bonds;              // of the owned particles, sorted by particle
  std::vector<Index> first_bond;        // each owned particle's first bond; last: their number
  BondCounts bond_counts;               // of all ranks at root, zero elsewhere
  std::int64_t bonds_born_until = -1;   // StepBonds::born_until
  std::int64_t bonds_close_from = 0;    // StepBonds::close_from
  bool bonds_are_undecided = false;     // StepBonds::is_undecided
};

/// The point for a run that continues with particles on other ranks and builds new lists.
inline RestartPoint Redistributed(RestartPoint point) {
  point.rebuild_due = point.redistributed = true;
  point.reference.clear();
  return point;
}

/// The point for a run that continues with another scene or other parameters, which the stored list
/// may not cover.
inline RestartPoint WithNewLists(RestartPoint point) {
  point.rebuild_due = true;
  point.adaptive.next_stride = 0;
  point.reference.clear();
  return point;
}

/// The point for a run that continues with additional walls, numbered after the old walls.
/// @param before, after  numbers of walls
RestartPoint WithNewWalls(RestartPoint point, std::size_t before, std::size_t after);

}  // namespace scree
