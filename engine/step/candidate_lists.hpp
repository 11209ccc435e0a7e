/// \file  Ghosts and candidate pairs: built rarely, good until something has moved too far.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/lists/neighbor_list.hpp"
#include "engine/lists/size_classes.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/halo.hpp"
#include "engine/scene/wall_motion.hpp"
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

/// The reach of lists that are built after `step` steps. Collective.
/// @throws SimulationError on all ranks if something moves too far for the subdomains
ListReach ReachOfLists(const StepSetup& setup, std::int64_t step, const Particles& particles,
                       FreeWallStates free_walls);

/// Ghosts and candidates of particles that are in the order of `lists.classes`; they are no longer
/// due. Collective.
/// @param step, free_walls  steps done and states then: where the walls are
/// @param places     scratch
/// @param particles  owned ones, to which the ghosts are added
void BuildLists(const StepSetup& setup, std::int64_t step, FreeWallStates free_walls,
                const ListReach& reach, std::vector<Place>& places, Particles& particles,
                CandidateLists& lists);

/// True while no contact can arise in the next step between particles, or with walls, that are not
/// in the lists of this rank.
/// @param step    base steps done
/// @param stride  that the next step takes at most
bool CoverNextStep(const StepSetup& setup, std::int64_t step, std::int64_t stride,
                   FreeWallStates free_walls, const Particles& particles, CandidateLists& lists);

}  // namespace scree
