#include <algorithm>
#include <cmath>

#include "engine/contacts/wall_bodies.hpp"
#include "engine/observation/energy_book.hpp"
#include "engine/particles/body_mass.hpp"
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
  const StepPace& pace = checkpoint.point.pace;
  DemandNumber(path, "steps_done", pace.done, so_far);
  // Each of the others has taken a base step at least: where steps are given, one.
  const auto longest = static_cast<double>(step - pace.done + 1);
  if (pace.done > 0) DemandNumber(path, "stride", pace.stride, {1.0, longest});
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

/// Of particles that have left, or that feeds had before a change, sizes are not known: but none is
/// a thousand times off those that are.
/// @param present  of the particles, and of feeds that a restart may have added
void CheckRadiusRange(const std::string& path, const RadiusRange& radii,
                      const RadiusRange& present) {
  constexpr double kMost = 1000.0;
  if (present.largest == 0.0) return;
  DemandNumber(path, "smallest_radius", radii.smallest, {present.smallest / kMost, kRadius.most});
  DemandNumber(path, "largest_radius", radii.largest, {0.0, kMost * present.largest});
}

/// Particles of all ranks. Filled ones have unique ids below next_id, inserted ones have ids above.
struct ParticleCounts {
  std::int64_t living = 0, later = 0;      // now; of these with ids from next_id on
  std::int64_t inserted = 0, deleted = 0;  // since the start

  static ParticleCounts Of(const Communicator& communicator, const State& state) {
    std::int64_t counts[4] = {0, 0, state.inserted, state.deleted};
    for (std::size_t i = 0; i < state.particles.owned; ++i) {
      if (state.particles.id[i] == kGone) continue;
      ++counts[0];
      counts[1] += state.particles.id[i] >= state.next_id ? 1 : 0;
    }
    communicator.Sum(counts);
    return {counts[0], counts[1], counts[2], counts[3]};
  }
};

void CheckParticleCounts(const std::string& path, const ParticleCounts& counts,
                         std::int64_t next_id) {
  const double filled = static_cast<double>(counts.living) + static_cast<double>(counts.deleted) -
                        static_cast<double>(counts.inserted);
  if (filled >= 0.0 && filled <= static_cast<double>(next_id) && counts.later <= counts.inserted) {
    return;
  }
  throw FileError(Text("'", path, "': inserted = ", counts.inserted, ", deleted = ", counts.deleted,
                       " and next_id = ", next_id, " do not go with ", counts.living,
                       " particles, of which ", counts.later,
                       " have ids from next_id on; expected ",
                       "particles = filled + inserted - deleted, of which those filled have the ",
                       "ids below next_id"));
}

/// The energy balance closes but for rounding.
/// @param limit  of each entry: no velocity crosses the domain in a base step, which limits the
///               energy that the particles have had, and lost in each step [J]
void CheckEnergy(const std::string& path, const EnergyBook& of_all, double limit) {
  double scale = 0.0;
  ForEachEntry(
      [&](const char* name, double entry) {
        DemandNumber(path, Text(name, " of the energy"), entry, {-limit, limit});
        scale = std::max(scale, std::abs(entry));
      },
      of_all);
  constexpr double kRounding = 1e-6;
  if (std::abs(of_all.Imbalance()) <= kRounding * scale) return;
  throw FileError(Text("'", path, "': the energy balance misses ", of_all.Imbalance(), " of ",
                       scale, " J; expected rounding"));
}

/// @param largest_radius  of all particles that there have been [m]
double MaxEnergy(const CheckpointScene& of, const ParticleCounts& counts, double largest_radius,
                 std::int64_t steps) {
  double mass = 0.0;
  for (std::size_t m = 0; m < of.scene.materials.Size(); ++m) {
    for (std::size_t s = 0; s <= of.scene.clumps.size(); ++s) {
      mass = std::max(mass, MassOf(of.scene, static_cast<MaterialId>(m), static_cast<ShapeId>(s),
                                   largest_radius));
    }
  }
  const double speed = of.scene.domain.box.Extent().norm() / of.base_step;
  const double particles = static_cast<double>(counts.living) + static_cast<double>(counts.deleted);
  return (static_cast<double>(steps) + 1.0) * particles * mass * speed * speed;
}

/// A cell has begun with the domain's volume, and differs from that of the list by a part of a
/// skin.
void CheckCell(const std::string& path, const Box& at_start, const CellState& cell,
               const CellState* of_list) {
  constexpr double kRounding = 1e-9;
  const double volume = at_start.Extent().prod();
  DemandNumber(path, "first_volume", cell.first_volume,
               {(1.0 - kRounding) * volume, (1.0 + kRounding) * volume});
  if (of_list == nullptr) return;
  constexpr double kMostStrain = 0.5;
  const Vec3 extent = cell.box.Extent();
  const double most = kMostStrain * extent.maxCoeff();
  const bool is_near = ((of_list->box.lower - cell.box.lower).array().abs() <= most).all() &&
                       ((of_list->box.upper - cell.box.upper).array().abs() <= most).all();
  if (is_near) return;
  throw FileError(Text("'", path, "': the cell of the list goes from (",
                       of_list->box.lower.transpose(), ") to (", of_list->box.upper.transpose(),
                       ") m; expected one near the cell, from (", cell.box.lower.transpose(),
                       ") to (", cell.box.upper.transpose(), ") m"));
}

/// The list is rebuilt from these positions: its cells reach as far as they do.
void CheckList(const std::string& path, const Domain& domain, const RestartPoint& point) {
  const Vec3 extent = domain.box.Extent();
  DemandNumber(path, "list_skin", point.reach.skin, {0.0, extent.norm()});
  DemandNumber(path, "list_wall_skin", point.reach.wall_skin, {0.0, extent.norm()});
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

/// Features of the shape that has the most; of walls none has a number.
void CheckMembers(const std::string& path, const Scene& scene,
                  std::span<const RememberedImpulse> impulses) {
  std::size_t most = 1;
  for (const ClumpShape& shape : scene.clumps) {
    std::size_t features = shape.members.size();
    for (const SolidMember& solid : shape.solids) {
      features += solid.core.edges.size() + solid.core.faces.size();
    }
    most = std::max(most, features);
  }
  const NumberRange range{0.0, static_cast<double>(most - 1)};
  for (const RememberedImpulse& one : impulses) {
    DemandNumber(path, "member of an impulse", one.members.a, range);
    DemandNumber(path, "member of an impulse", one.members.b, range);
  }
}

}  // namespace

void CheckCheckpoint(const Communicator& communicator, const std::string& path,
                     const CheckpointScene& of, const Checkpoint& checkpoint, const State& state) {
  CheckParticles(communicator, state.particles, of.scene.materials, of.scene.clumps, path,
                 Gone::kIsThere);
  const ParticleCounts counts = ParticleCounts::Of(communicator, state);
  const RadiusRange present = RadiiOf(communicator, of.scene, state.particles);
  const EnergyBook energy = SumOverRanks(communicator, state.energy);
  CallOnAll<FileError>(communicator, [&] {
    const RestartPoint& point = checkpoint.point;
    const bool has_cell = of.scene.cell.Acts();
    CheckSteps(path, checkpoint, state.step);
    CheckCounts(path, of, point.wall_loads, state);
    CheckParticleCounts(path, counts, state.next_id);
    CheckRadii(path, point.radii, state.particles);
    CheckRadiusRange(path, point.radii, present);
    CheckEnergy(path, energy, MaxEnergy(of, counts, point.radii.largest, point.pace.done));
    if (has_cell && !state.cell.box.Extent().isZero(0.0)) {
      CheckCell(path, of.scene.domain.box, state.cell,
                point.rebuild_due ? nullptr : &point.list_cell);
    }
    if (!point.rebuild_due) {
      CheckList(path, has_cell ? Domain{state.cell.box} : of.scene.domain, point);
    }
    CheckSurfaces(path, of, point.impulses);
    CheckMembers(path, of.scene, point.impulses);
  });
}

}  // namespace scree
