/// \file  Ghosts and candidate pairs. They are rebuilt when particles or walls have moved too far.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/contacts/bond_table.hpp"
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
  SizeClasses classes;               // size classes by which the owned particles are sorted
  std::vector<std::uint8_t> shared;  // one mark per local particle: 1 if other ranks have it too
  std::int64_t built_at = 0;         // base steps done when the lists were built
  std::vector<FreeWallState> free_walls;  // when the lists were built
  CellState cell;                         // when the lists were built
  bool is_due = true;                     // the next step needs new lists

  // Scratch.
  SpareArrays spare;
  std::vector<FreeWallState> free_walls_after;
  std::vector<WallPose> walls_after;  // at the end of the next step

  std::size_t Candidates() const { return neighbors.Pairs() + neighbors.walls.size(); }
};

/// Expected maximum number of wall bodies in the contacts of a step: whole walls, and patches of
/// walls that move, are belts, meshes or hollow, or are touched at an image. (A sphere that touches
/// several points of a mesh may need more.)
std::size_t MaxWallBodies(const Scene& scene, const NeighborList& list);

/// Builds new lists: migrates particles to their owners, sorts them by cells, and finds ghosts and
/// candidate pairs. Stored impulses of contacts, kicks of forces and bonds migrate too. Collective.
/// @param packed  scratch
/// @throws SimulationError on all ranks if bodies move too far for the subdomains
void RebuildLists(const StepSetup& setup, State& state, WarmStart& warm_start, StepForces& forces,
                  BondTable& bonds, std::vector<PackedSphere>& packed, CandidateLists& lists);

/// Whether the lists of the restart point fit the subdomains of the time at which they were built.
/// @param setup  placed at the time of the state afterwards
bool ListsFitSubdomains(StepSetup& setup, const RestartPoint& point, const State& state);

/// Restores the ghosts and candidate pairs of the restart point from the positions at which they
/// were built. If the point is redistributed, the particles first migrate to their owners.
/// Collective.
/// @pre ListsFitSubdomains
void RestoreLists(StepSetup& setup, const RestartPoint& point, State& state, WarmStart& warm_start,
                  BondTable& bonds, std::vector<PackedSphere>& packed, CandidateLists& lists);

/// Whether the next step starts with new lists.
/// @param step  base steps done
bool AreListsDue(const StepSetup& setup, std::int64_t step, const CandidateLists& lists);

/// Whether the lists of this rank cover the next step: they contain every contact between particles
/// or with walls that can arise in it.
/// @param velocities  in the next step, at least of the owned particles [m/s]
/// @param stride      maximum stride of the next step
/// @param rate        maximum rate at which a cell shrinks in the next step [1/s]
bool ListsCoverNextStep(const StepSetup& setup, const State& state,
                        std::span<const Vec3> velocities, std::int64_t stride, double rate,
                        CandidateLists& lists);

}  // namespace scree
