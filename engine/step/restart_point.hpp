/// \file  What a time step needs besides the state to go on as if it had never stopped.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/contacts/warm_start.hpp"
#include "engine/lists/neighbor_list.hpp"
#include "engine/observation/wall_load_sums.hpp"
#include "engine/scene/cell.hpp"
#include "engine/scene/free_wall.hpp"
#include "engine/step/radius_range.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// What is remembered of the balance of the ranks' work (load_balance).
struct LoadBalanceState {
  std::int64_t looked_at = 0;  // steps done at the last look at the imbalance
  double lost = 0.0;           // steps of mean work by which the busiest ranks have been late since
                               // cuts were last looked for
  double patience = 1.0;   // how many moves' cost may be lost before the next search: more after
                           // searches that found nothing better
  std::int64_t moves = 0;  // of subdomains, since the start
};

/// Steps of the length that the program chooses (adaptive_step.hpp), in base steps.
struct AdaptiveStepState {
  std::int64_t stride = 1;   // of the last step: the remembered impulses belong to it
  std::int64_t next = 0;     // planned for the next; 0: to be planned anew
  std::int64_t growing = 0;  // steps for which a longer one would have done
  std::int64_t ceiling = std::int64_t{1} << 50;  // by the overlaps there have been
  std::int64_t calm = 0;                         // steps since it changed
  double by_loads = 0.0;                         // what they allowed last [s]; 0: anything
  std::int64_t done = 0;                         // steps since the start, of whatever length
};

/// How many sweeps the measured error of the solves requires (automatic_sweeps.hpp).
struct AutomaticSweepsState {
  std::int64_t sweeps = 10;     // of short steps
  std::int64_t measure_at = 8;  // the next solve that is measured is that of this step of the run
  std::int64_t interval = 8;    // steps between the last measurement and the one before
};

/// The order of the contacts, and with it every last bit, comes from the neighbour list, and that
/// from where the particles were when it was built: these places are kept, not the list.
///
/// All but the arrays is the same on all ranks.
struct RestartPoint {
  RadiusRange radii;             // of particles long gone too: the reach of the list depends on it
  double max_penetration = 0.0;  // since the interval began [m]
  WallLoadSums wall_loads;       // since then
  std::int64_t rebuilds = 0;     // so far
  LoadBalanceState balance;
  AdaptiveStepState pace;
  AutomaticSweepsState sweeps;
  bool redistributed = false;  // particles are on other ranks, in another order, without removed
                               // ones
  bool rebuild_due = true;     // the next step begins with a new list; then the rest is not needed
  std::int64_t list_step = 0;  // steps done when the list was built: where the walls were
  std::vector<FreeWallState> list_free_walls;  // and the free ones
  CellState list_cell;                         // and the cell
  ListReach reach;                             // of the list
  std::vector<Vec3> reference;  // positions of the owned particles then, in the same order [m]
  std::vector<StoredImpulse> impulses;  // with which the next step starts
  LawFlags laws = {};                   // which additional laws act, whose L is written
  bool has_members = false;             // contacts are of members of clumps
  std::vector<Index> first_impulse;     // of each owned particle, and their number
};

/// The point for a run that goes on with its particles on other ranks and makes its own lists.
inline RestartPoint Redistributed(RestartPoint point) {
  point.rebuild_due = point.redistributed = true;
  point.reference.clear();
  return point;
}

/// The point for a run that goes on with another scene or other parameters, by which the list at
/// hand may not reach far enough.
inline RestartPoint WithNewLists(RestartPoint point) {
  point.rebuild_due = true;
  point.pace.next = 0;
  point.reference.clear();
  return point;
}

/// The point for a run that goes on with more walls, which come after those that it had.
/// @param before, after  numbers of walls
RestartPoint WithNewWalls(RestartPoint point, std::size_t before, std::size_t after);

}  // namespace scree
