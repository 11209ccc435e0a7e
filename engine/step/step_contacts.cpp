#include "engine/step/step_contacts.hpp"

#include <cstdint>
#include <span>

#include "engine/contacts/ghost_contacts.hpp"
#include "engine/scene/wall_motion.hpp"
#include "engine/step/validity.hpp"
#include "solvers/base/check.hpp"

namespace scree {

std::span<const std::uint8_t> SharedMarks(const StepSetup& setup, const CandidateLists& lists) {
  if (setup.scheme.ghost_contacts || lists.halo.plan.IsEmpty()) return {};
  return lists.shared;
}

void Reserve(const StepSetup& setup, const CandidateLists& lists, StepContacts& contacts) {
  const std::size_t candidates = lists.Candidates();
  const bool are_spheres = !setup.has_clumps;
  contacts.owned.Reserve(candidates, !SharedMarks(setup, lists).empty(), are_spheres);
  if (setup.scheme.ghost_contacts) contacts.ghosts.Reserve(candidates, false, are_spheres);
  contacts.wall_bodies.reserve(MaxWallBodies(setup.scene, lists.neighbors));
}

void FindContacts(const StepSetup& setup, const ActivationRule& rule, std::int64_t step,
                  FreeWallStates free_walls, const Particles& particles,
                  std::span<const Vec3> velocities, const CandidateLists& lists,
                  const WarmStart* warm_start, StepContacts& contacts) {
  contacts.step = step;
  WallPoses(setup.scene, setup.base, step, free_walls, contacts.walls, setup.stride);
  FindContactsAt(setup, rule, particles, velocities, lists, warm_start, contacts);
}

void FindContactsAt(const StepSetup& setup, const ActivationRule& rule, const Particles& particles,
                    std::span<const Vec3> velocities, const CandidateLists& lists,
                    const WarmStart* warm_start, StepContacts& contacts) {
  contacts.first_wall_body = particles.Size();
  contacts.owned.Begin(SharedMarks(setup, lists));
  contacts.deepest = DetectContacts(particles, velocities, lists.halo, lists.neighbors, setup.scene,
                                    contacts.walls, rule, warm_start, contacts.buffers,
                                    contacts.owned, contacts.wall_bodies);
  contacts.owned.End();
  if (setup.scheme.ghost_contacts) {
    SplitGhostContacts(setup.communicator.Rank(), particles, lists.halo, contacts.owned,
                       contacts.ghosts);
  }
}

std::string DescribeDetectionError(const StepSetup& setup, const Particles& particles,
                                   const StepContacts& contacts) {
  const int rank = setup.communicator.Rank();
  const std::string& wall_error = contacts.buffers.walls.error;
  if (!wall_error.empty())
    return Text(wall_error, " (rank ", rank, ", ", setup.Moment(contacts.step), ")");
  if (contacts.deepest <= setup.radii.smallest) return {};
  return DescribeDeepOverlaps(contacts.owned.All(), particles, contacts.wall_bodies, rank,
                              setup.Moment(contacts.step));
}

}  // namespace scree
