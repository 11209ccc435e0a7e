#include "engine/step/candidate_lists.hpp"

#include <algorithm>

#include "engine/lists/list_reach.hpp"
#include "engine/ranks/contact_ownership.hpp"
#include "engine/scene/wall_motion.hpp"

namespace scree {

std::size_t WallBodiesAtMost(const Scene& scene, const NeighborList& list) {
  const auto may_be_a_patch = [&scene](const WallCandidate& candidate) {
    const Wall& wall = scene.walls[static_cast<std::size_t>(candidate.wall)];
    return wall.Moves() || wall.IsBelt() || MeshOf(wall.shape) != nullptr ||
           candidate.image != kNoImage;
  };
  return scene.walls.size() +
         static_cast<std::size_t>(std::ranges::count_if(list.walls, may_be_a_patch));
}

ListReach ReachOfLists(const StepSetup& setup, std::int64_t step, const Particles& particles,
                       FreeWallStates free_walls) {
  const StepParameters& parameters = setup.parameters;
  const LeastReach least{setup.base,
                         setup.stride,
                         parameters.skin,
                         setup.pace.is_automatic,
                         setup.rule.Reach(0.0),
                         setup.radii.largest};
  return ReachFor(setup.communicator, setup.subdomains, setup.scene, particles, step, least,
                  free_walls);
}

void BuildLists(const StepSetup& setup, std::int64_t step, FreeWallStates free_walls,
                const ListReach& reach, std::vector<Place>& places, Particles& particles,
                CandidateLists& lists) {
  const auto interface = setup.scheme.mirrors ? InterfacePairs::kAll : InterfacePairs::kTreatedHere;
  Halo& halo = lists.halo;
  halo = BuildHalo(setup.communicator, setup.subdomains, reach.skin, setup.radii.largest, interface,
                   particles);
  KeepGhosts(setup.communicator, MarkNearGhosts(particles, lists.classes, halo, reach.skin, places),
             halo, particles);
  lists.shared.assign(particles.Size(), 0);
  halo.plan.MarkShared(lists.shared);
  BuildNeighborList(particles, lists.classes, halo, setup.scene,
                    WallPoses(setup.scene, setup.base, step, free_walls), reach, places,
                    lists.neighbors);
  lists.built_at = step;
  lists.free_walls.assign(free_walls.begin(), free_walls.end());
  lists.is_due = false;
}

bool CoverNextStep(const StepSetup& setup, std::int64_t step, std::int64_t stride,
                   FreeWallStates free_walls, const Particles& particles, CandidateLists& lists) {
  const double dt = setup.TimeOf(stride);
  PredictFreeWalls(setup.scene, setup.base, step, free_walls, lists.free_after, stride);
  WallPoses(setup.scene, setup.base, step + stride, lists.free_after, lists.walls_after);
  const ParticipationRule rule = stride == setup.stride ? setup.rule : setup.RuleOfStep(dt);
  return CoversNextStep(lists.neighbors, particles, lists.walls_after,
                        setup.TimeOf(step + stride - lists.built_at), dt, dt * setup.scene.gravity,
                        rule.Reach(0.0), setup.scene.domain, setup.radii.largest);
}

}  // namespace scree
