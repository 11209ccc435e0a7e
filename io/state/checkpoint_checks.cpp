#include <algorithm>

#include "engine/contacts/wall_bodies.hpp"
#include "io/files/collective_call.hpp"
#include "io/state/checkpoint.hpp"
#include "io/state/initial_state.hpp"
#include "io/state/number_range.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

void CheckSteps(const std::string& path, const Checkpoint& checkpoint, std::int64_t step) {
  const NumberRange so_far{0.0, static_cast<double>(step)};
  DemandNumber(path, "list_step", checkpoint.point.list_step, so_far);
  DemandNumber(path, "balance_looked_at", checkpoint.point.balance.looked_at, so_far);
  for (const WrittenSnapshot& snapshot : checkpoint.output.snapshots) {
    DemandNumber(path, "step of a snapshot", snapshot.step, so_far);
  }
  const std::int64_t observed = checkpoint.meta.observables.step;
  if (observed == step) return;
  throw FileError(Text("'", path, "': step is ", step, ", and ", observed,
                       " in /scree/observables; expected the same"));
}

/// Numbers of what the scene has.
void CheckCounts(const std::string& path, const CheckpointScene& of, const WallLoadBook& loads,
                 const State& state) {
  const std::span walls(of.scene.walls.data(), of.walls);
  if (!loads.mean.empty()) DemandCount(path, "mean loads", loads.mean.size(), 6 * of.walls);
  DemandCount(path, "squares of loads", loads.squares.size(), loads.mean.size());
  const bool has_free = std::ranges::any_of(walls, &Wall::IsFree);
  DemandCount(path, "free walls", state.free_walls.size(), has_free ? of.walls : 0);
  DemandCount(path, "rains", state.rains.size(), of.rains);
  for (std::size_t r = 0; r < of.rains; ++r) {
    const std::size_t parts = std::max<std::size_t>(of.scene.rains[r].grain.mixture.size(), 1);
    DemandCount(path, Text("masses of rain ", r), state.rains[r].masses.size(), parts);
  }
}

void CheckRadii(const std::string& path, const RadiusRange& radii, const Particles& particles) {
  const NumberRange range{std::max(radii.smallest, kRadius.least), radii.largest};
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kGone) continue;
    DemandNumber(path, Text("radius of particle ", particles.id[i]), particles.radius[i], range);
  }
  if (radii.largest > 0.0) DemandNumber(path, "smallest_radius", radii.smallest, kRadius);
}

/// The list is made anew from these places: its cells reach as far as they do.
void CheckList(const std::string& path, const Domain& domain, const RestartPoint& point) {
  const Vec3 extent = domain.box.Extent();
  DemandNumber(path, "list_skin", point.reach.skin, {0.0, extent.norm()});
  const Vec3 lower = domain.box.lower - extent, upper = domain.box.upper + extent;
  for (const Vec3& place : point.reference) {
    const bool is_near = (place.array() >= lower.array() && place.array() <= upper.array()).all();
    if (is_near) continue;
    throw FileError(Text("'", path, "': a reference is (", place.transpose(),
                         ") m; expected a place in the domain or near it"));
  }
}

void CheckSurfaces(const std::string& path, const CheckpointScene& of,
                   std::span<const RememberedImpulse> impulses) {
  // Walls that are new have no impulses yet, and no numbers here.
  const Index last =
      FirstSurface(of.scene, of.walls) - static_cast<Index>(of.scene.walls.size() - of.walls) - 1;
  for (const RememberedImpulse& one : impulses) {
    if (!one.b.IsSurface()) continue;
    DemandNumber(path, "surface of an impulse", one.b.Surface(), {0.0, static_cast<double>(last)});
  }
}

}  // namespace

void CheckCheckpoint(const Communicator& communicator, const std::string& path,
                     const CheckpointScene& of, const Checkpoint& checkpoint, const State& state) {
  CallOnAll<FileError>(communicator, [&] {
    const RestartPoint& point = checkpoint.point;
    CheckSteps(path, checkpoint, state.step);
    CheckCounts(path, of, point.wall_loads, state);
    CheckRadii(path, point.radii, state.particles);
    if (!point.rebuild_due)
      CheckList(path, state.cell.first_volume > 0.0 ? Domain{state.cell.box} : of.scene.domain,
                point);
    CheckSurfaces(path, of, point.impulses);
  });
  CheckParticles(communicator, state.particles, of.scene.materials, of.scene.clumps, path,
                 Gone::kIsThere);
}

}  // namespace scree
