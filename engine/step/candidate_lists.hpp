/// \file  Ghosts and candidate pairs: built rarely, good until something has moved too far.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/contacts/warm_start.hpp"
#include "engine/lists/neighbor_list.hpp"
#include "engine/lists/size_classes.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/halo.hpp"
#include "engine/scene/wall_motion.hpp"
#include "engine/step/restart_point.hpp"
#include "engine/step/state.hpp"
#include "engine/step/step_forces.hpp"
#include "engine/step/step_setup.hpp"

namespace scree {

struct CandidateLists {
  Halo halo;
  NeighborList neighbors;
  SizeClasses classes;                    // of the owned particles, which are in their order
  std::vector<std::uint8_t> shared;       // one mark per local particle: 1 if
                                          // other ranks have it, too
  std::int64_t built_at = 0;              // steps done then
  std::vector<FreeWallState> free_walls;  // as they were then
  CellState cell;                         // and it
  bool is_due = true;                     // the next step needs new ones

  // Scratch.
  SpareArrays spare;
  std::vector<FreeWallState> free_after;
  std::vector<WallPose> walls_after;  // at the end of the next step

  std::size_t Candidates() const { return neighbors.Pairs() + neighbors.walls.size(); }
};

/// How many bodies of walls the contacts of a step have at most, unless a sphere touches several
/// places of a mesh: walls as wholes, and patches of those that turn, give way or are touched at an
/// image.
std::size_t WallBodiesAtMost(const Scene& scene, const NeighborList& list);

/// Particles migrate to their owners, are sorted along cells, and get ghosts and candidate pairs;
/// what contacts remember goes with them, and what forces will give them. Collective.
/// @param places  scratch
/// @throws SimulationError on all ranks if something moves too far for the subdomains
void RebuildLists(const StepSetup& setup, State& state, WarmStart& warm_start, StepForces& forces,
                  std::vector<PackedSphere>& places, CandidateLists& lists);

/// Whether the lists of the point fit these subdomains. Moves the subdomains to the time of the
/// lists; call PlaceSubdomains again if it returns false.
bool FitsSubdomains(StepSetup& setup, const RestartPoint& point, const State& state);

/// Ghosts and candidate pairs as they were built before the point, from the places of that time; on
/// other ranks the particles go to their owners first. Collective.
/// @pre FitsSubdomains
void RestoreLists(StepSetup& setup, const RestartPoint& point, State& state, WarmStart& warm_start,
                  std::vector<PackedSphere>& places, CandidateLists& lists);

/// Whether the next step begins with new lists.
/// @param step  steps done
bool ListsAreDue(const StepSetup& setup, std::int64_t step, const CandidateLists& lists);

/// True while no contact can arise in the next step between particles, or with walls, that are not
/// in the lists of this rank.
/// @param velocities  with which the particles, owned ones at least, are to move [m/s]
/// @param stride  that the next step takes at most
/// @param rate    no cell closes faster in it [1/s]
bool CoverNextStep(const StepSetup& setup, const State& state, std::span<const Vec3> velocities,
                   std::int64_t stride, double rate, CandidateLists& lists);

}  // namespace scree
