#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <variant>

#include "engine/contacts/wall_bodies.hpp"
#include "engine/lists/list_reach.hpp"
#include "engine/lists/size_classes.hpp"
#include "engine/observation/energy_balance.hpp"
#include "engine/particles/body_mass.hpp"
#include "engine/scene/body_forces.hpp"
#include "io/files/collective_call.hpp"
#include "io/state/checkpoint.hpp"
#include "io/state/initial_state.hpp"
#include "io/state/number_range.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

constexpr double kRoundingError = 1e-9;
/// If sizes or densities have changed during the run, earlier radii and masses may differ from
/// those of the current scene by up to this factor.
constexpr double kMaxFactor = 1000.0;

void CheckSteps(const std::string& path, const Checkpoint& checkpoint, std::int64_t step) {
  const NumberRange until_now{0.0, static_cast<double>(step)};
  RequireNumber(path, "list_step", checkpoint.point.list_step, until_now);
  RequireNumber(path, "balance_looked_at", checkpoint.point.balance.checked_at, until_now);
  const AdaptiveStepState& adaptive = checkpoint.point.adaptive;
  RequireNumber(path, "steps_done", adaptive.steps_done, until_now);
  // Each earlier step took at least one base step, which limits the length of the last step.
  const auto longest = static_cast<double>(step - adaptive.steps_done + 1);
  if (adaptive.steps_done > 0) RequireNumber(path, "stride", adaptive.stride, {1.0, longest});
  for (const WrittenSnapshot& snapshot : checkpoint.output.snapshots) {
    RequireNumber(path, "step of a snapshot", snapshot.step, until_now);
  }
  const std::int64_t observed = checkpoint.meta.observables.step;
  if (observed == step) return;
  throw FileError(Text("'", path, "': step is ", step, ", and ", observed,
                       " in /scree/observables; expected the same"));
}

/// Checks the numbers of walls and joints. Requires that the states of fixed joints and of walls
/// that are not free are zero.
void CheckWalls(const std::string& path, const CheckpointScene& scene, const WallLoadSums& loads,
                const std::vector<FreeWallState>& list_free_walls, const State& state) {
  const std::span walls(scene.scene.walls.data(), scene.walls);
  if (!loads.mean.empty()) RequireCount(path, "mean loads", loads.mean.size(), 6 * scene.walls);
  RequireCount(path, "squares of loads", loads.squares.size(), loads.mean.size());
  const std::size_t joints = scene.scene.joints.size();
  const bool has_free = joints > 0 || std::ranges::any_of(walls, &Wall::IsFree);
  RequireCount(path, "joints and free walls", state.free_walls.size(),
               has_free ? scene.scene.WallRow(scene.walls) : 0);
  for (std::size_t j = 0; j < joints; ++j) {
    if (!scene.scene.joints[j].IsFixed()) continue;
    const std::string joint_name =
        Text("of joint ", scene.scene.joints[j].name, ", which is fixed");
    for (const auto* states : {&state.free_walls, &list_free_walls}) {
      RequireNumber(path, "position " + joint_name, (*states)[j].travel, {0.0, 0.0});
      RequireNumber(path, "speed " + joint_name, (*states)[j].speed, {0.0, 0.0});
    }
  }
  for (std::size_t w = 0; has_free && w < walls.size(); ++w) {
    if (walls[w].IsFree()) continue;
    const auto check = [&](const char* quantity, double number) {
      RequireNumber(path, Text(quantity, " of wall ", walls[w].name, ", which is not free"), number,
                    {0.0, 0.0});
    };
    for (const auto* states : {&state.free_walls, &list_free_walls}) {
      check("travel", (*states)[scene.scene.WallRow(w)].travel);
      check("speed", (*states)[scene.scene.WallRow(w)].speed);
      check("impulse", (*states)[scene.scene.WallRow(w)].impulse);
    }
  }
}

/// Checks the number of rains, and the mass that each has inserted.
void CheckRains(const std::string& path, const CheckpointScene& scene, const State& state) {
  RequireCount(path, "rains", state.rains.size(), scene.rains);
  for (std::size_t r = 0; r < scene.rains; ++r) {
    const GrainTemplate& grain = scene.scene.rains[r].grain;
    const RainState& rain = state.rains[r];
    const std::size_t parts = std::max<std::size_t>(grain.mixture.size(), 1);
    RequireCount(path, Text("masses of rain ", r), rain.masses.size(), parts);
    double min = std::numeric_limits<double>::infinity(), max = 0.0;  // mass of a particle [kg]
    const auto include = [&](MaterialId material, ShapeId shape, double radius) {
      const double mass = MassOf(scene.scene, material, shape, radius);
      min = std::min(min, mass);
      max = std::max(max, mass);
    };
    for (const double radius : {grain.sizes.smallest, grain.sizes.largest}) {
      for (const MixturePart& part : grain.mixture) include(part.material, kSphereShape, radius);
      if (grain.mixture.empty() && grain.shapes.empty()) {
        include(grain.material, kSphereShape, radius);
      }
      for (const GrainShape& shape : grain.shapes) {
        include(grain.material, shape.shape, shape.radius > 0.0 ? shape.radius : radius);
      }
    }
    const double factor = scene.has_changes ? kMaxFactor : 1.0 + kRoundingError;
    const auto inserted = static_cast<double>(rain.inserted);
    RequireNumber(path, Text("mass of rain ", r), rain.Mass(),
                  {inserted * min / factor, inserted * max * factor});
  }
}

void CheckRadii(const std::string& path, const RadiusRange& radii, const Particles& particles) {
  const NumberRange range{std::max(radii.smallest, kRadius.min), radii.largest};
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    RequireNumber(path, Text("radius of particle ", particles.id[i]), particles.radius[i], range);
  }
  if (radii.largest > 0.0) RequireNumber(path, "smallest_radius", radii.smallest, kRadius);
}

/// Requires that each particle has a size that the scene makes for its shape.
void CheckMadeSizes(const std::string& path, const Scene& scene, const Particles& particles) {
  std::vector<RadiusRange> made_sizes(scene.clumps.size() + 1);
  const auto include = [&](const GrainTemplate& grain) {
    const RadiusRange sizes{grain.sizes.smallest, grain.sizes.largest};
    if (grain.shapes.empty()) made_sizes[kSphereShape] = Union(made_sizes[kSphereShape], sizes);
    for (const GrainShape& shape : grain.shapes) {
      RadiusRange& range = made_sizes[static_cast<std::size_t>(shape.shape)];
      range = Union(range, shape.radius > 0.0 ? RadiusRange{shape.radius, shape.radius} : sizes);
    }
  };
  for (const Fill& fill : scene.fills) include(fill.grain);
  for (const Inflow& inflow : scene.pistons) include(inflow.grain);
  for (const Rain& rain : scene.rains) include(rain.grain);
  for (std::size_t i = 0; i < particles.owned; ++i) {
    const RadiusRange& range = made_sizes[static_cast<std::size_t>(particles.shape[i])];
    if (particles.id[i] == kRemovedId || range.largest == 0.0) continue;
    RequireNumber(
        path, Text("radius of particle ", particles.id[i]), particles.radius[i],
        {(1.0 - kRoundingError) * range.smallest, (1.0 + kRoundingError) * range.largest});
  }
}

/// Extends the range by all sizes that the fills of a scene may have made. For clumps, the lower
/// end is the size of the smallest member.
RadiusRange WithFills(const Scene& scene, RadiusRange range) {
  for (const Fill& fill : scene.fills) {
    const SizeDistribution& sizes = fill.grain.sizes;
    range = Union(range, {sizes.smallest, sizes.largest});
    for (const GrainShape& shape : fill.grain.shapes) {
      if (shape.shape == kSphereShape) continue;
      const double radius = shape.radius > 0.0 ? shape.radius : sizes.smallest;
      const double member = radius * scene.ClumpOf(shape.shape).smallest_member;
      range.smallest = std::min(range.smallest, member);
    }
  }
  return range;
}

/// @param current      sizes of the particles and of inflows, including inflows added by a restart
/// @param has_deleted  whether particles have left the domain. Their sizes are known only if the
///                     scene has made them
void CheckRadiusRange(const std::string& path, const CheckpointScene& scene,
                      const RadiusRange& radii, const RadiusRange& current, bool has_deleted) {
  const RadiusRange known = has_deleted ? WithFills(scene.scene, current) : current;
  if (known.largest == 0.0) return;
  const double factor = scene.has_changes || (has_deleted && scene.reads_particles)
                            ? kMaxFactor
                            : 1.0 + kRoundingError;
  RequireNumber(path, "smallest_radius", radii.smallest, {known.smallest / factor, kRadius.max});
  RequireNumber(path, "largest_radius", radii.largest, {0.0, factor * known.largest});
  RequireNumber(path, "smallest_ball", radii.smallest_ball, {radii.smallest, radii.largest});
}

/// Counts the particles of all ranks. Filled particles have unique ids below next_id. Inserted
/// particles have ids from next_id on.
struct ParticleCounts {
  std::int64_t existing = 0;               // in the domain
  std::int64_t from_next_id = 0;           // existing particles with ids from next_id on
  std::int64_t inserted = 0, deleted = 0;  // since the start

  static ParticleCounts Compute(const Communicator& communicator, const State& state) {
    std::int64_t counts[4] = {0, 0, state.inserted, state.deleted};
    for (std::size_t i = 0; i < state.particles.owned; ++i) {
      if (state.particles.id[i] == kRemovedId) continue;
      ++counts[0];
      counts[1] += state.particles.id[i] >= state.next_id ? 1 : 0;
    }
    communicator.Sum(counts);
    return {counts[0], counts[1], counts[2], counts[3]};
  }
};

/// Number of ids that lattice fills use, one per site; none if particles also come from a file or
/// from a fill without a lattice.
std::optional<ParticleId> CountIdsOfFills(const CheckpointScene& scene) {
  ParticleId ids = 0;
  for (const Fill& fill : scene.scene.fills) {
    const auto* lattice = std::get_if<Lattice>(&fill.positions);
    if (lattice == nullptr) return {};
    const auto sites = lattice->Sites();
    ids += sites[0] * sites[1] * sites[2];
  }
  if (scene.reads_particles) return {};
  return ids;
}

void CheckParticleCounts(const std::string& path, const CheckpointScene& scene,
                         const ParticleCounts& counts, const State& state) {
  // A restart that adds rains raises next_id above all ids, and two conditions no longer apply.
  const bool has_only_initial_rains =
      std::ranges::all_of(scene.scene.rains, [](const Rain& rain) { return rain.start <= 0.0; });
  const std::int64_t next_id = state.next_id;
  const double filled = static_cast<double>(counts.existing) + static_cast<double>(counts.deleted) -
                        static_cast<double>(counts.inserted);
  bool is_consistent = filled >= 0.0 && filled <= static_cast<double>(next_id) &&
                       counts.from_next_id <= counts.inserted;
  if (has_only_initial_rains) {
    is_consistent = is_consistent && counts.from_next_id >= counts.inserted - counts.deleted &&
                    CountIdsOfFills(scene).value_or(next_id) == next_id;
  }
  std::int64_t rained = 0;
  for (const RainState& rain : state.rains) rained += rain.inserted;
  is_consistent = is_consistent && (scene.scene.pistons.empty() ? counts.inserted == rained
                                                                : counts.inserted >= rained);
  if (is_consistent) return;
  throw FileError(Text("'", path, "': inserted = ", counts.inserted, ", deleted = ", counts.deleted,
                       " and next_id = ", next_id, " do not match the ", counts.existing,
                       " particles (", counts.from_next_id, " have ids from next_id on) and the ",
                       rained,
                       " that rains inserted; expected particles = filled + inserted - deleted, ",
                       "with ids below next_id for the filled particles only"));
}

/// Particle n of rain s has the id next_id + n × streams + s (StreamId). Requires that no particle
/// has an id that a rain has not given yet.
void CheckIdsOfRains(const std::string& path, const CheckpointScene& scene, const State& state) {
  const auto streams = static_cast<std::int64_t>(state.rains.size());
  if (!scene.scene.pistons.empty() || streams == 0) return;
  for (std::size_t i = 0; i < state.particles.owned; ++i) {
    const std::int64_t number = state.particles.id[i] - state.next_id;
    if (number < 0) continue;  // filled or removed
    const auto& rain = state.rains[static_cast<std::size_t>(number % streams)];
    if (number / streams < rain.inserted) continue;
    throw FileError(Text("'", path, "': particle ", state.particles.id[i],
                         " has an id that no rain has given yet; expected the ids of the first ",
                         rain.inserted, " particles of rain ", number % streams,
                         ", from next_id = ", state.next_id, " on"));
  }
}

/// Requires that the energy balance closes except for rounding.
/// @param limit  largest absolute value of an entry [J] (MaxEnergy)
void CheckEnergy(const std::string& path, const EnergyBalance& total, double limit) {
  double scale = 0.0;
  ForEachEntry(
      [&](const char* name, double entry) {
        RequireNumber(path, Text(name, " of the energy"), entry, {-limit, limit});
        scale = std::max(scale, std::abs(entry));
      },
      total);
  constexpr double kRoundingOfSums = 1e-6;  // over many steps
  if (std::abs(total.Imbalance()) <= kRoundingOfSums * scale) return;
  throw FileError(Text("'", path, "': the energy balance is wrong by ", total.Imbalance(),
                       " J, with entries of up to ", scale, " J; expected rounding errors only"));
}

/// Upper limit of an entry of the energy balance [J]. No particle crosses the domain within one
/// base step, which limits the speed.
/// @param largest_radius  largest radius of any particle since the start [m]
double MaxEnergy(const CheckpointScene& scene, const ParticleCounts& counts, double largest_radius,
                 std::int64_t steps) {
  double mass = 0.0;
  for (std::size_t m = 0; m < scene.scene.materials.Size(); ++m) {
    for (std::size_t s = 0; s <= scene.scene.clumps.size(); ++s) {
      mass = std::max(mass, MassOf(scene.scene, static_cast<MaterialId>(m), static_cast<ShapeId>(s),
                                   largest_radius));
    }
  }
  const double speed = scene.scene.domain.box.Extent().norm() / scene.step.dt;
  const double particles =
      static_cast<double>(counts.existing) + static_cast<double>(counts.deleted);
  return (static_cast<double>(steps) + 1.0) * particles * mass * speed * speed;
}

/// Checks that the cell had the domain's volume at the start, and that it has moved little since
/// the neighbour list was built.
/// @param list_cell  the cell when the list was built; null: there is no list
void CheckCell(const std::string& path, const Box& initial_box, const CellState& cell,
               const CellState* list_cell) {
  const double volume = initial_box.Extent().prod();
  RequireNumber(path, "first_volume", cell.first_volume,
                {(1.0 - kRoundingError) * volume, (1.0 + kRoundingError) * volume});
  if (list_cell == nullptr) return;
  constexpr double kMaxStrain = 0.5;
  const Vec3 extent = cell.box.Extent();
  const double max = kMaxStrain * extent.maxCoeff();
  const bool is_near = ((list_cell->box.lower - cell.box.lower).array().abs() <= max).all() &&
                       ((list_cell->box.upper - cell.box.upper).array().abs() <= max).all();
  if (is_near) return;
  throw FileError(Text("'", path, "': the cell of the neighbour list extends from (",
                       list_cell->box.lower.transpose(), ") to (", list_cell->box.upper.transpose(),
                       ") m; expected one near the current cell, from (",
                       cell.box.lower.transpose(), ") to (", cell.box.upper.transpose(), ") m"));
}

/// Largest values of a checkpoint, over all ranks and particles.
struct MotionScale {
  // The current speed plus `change`, or the path since the list was built divided by the length of
  // the last step, whichever is larger [m/s].
  double speed = 0.0;
  double change = 0.0;  // change of a velocity in the last step [m/s]
  double mass = 0.0;    // of a particle [kg]

  /// @param last_step  length of the last step [s]
  static MotionScale Compute(const Communicator& communicator, const Scene& scene,
                             const RestartPoint& point, const Particles& particles,
                             double last_step) {
    double largest[3] = {};
    const auto include = [](double number, double& largest_number) {
      largest_number = std::max(largest_number, number);
    };
    for (std::size_t i = 0; i < particles.owned; ++i) {
      include(particles.velocity_change[i], largest[1]);
      include(MassOf(particles, i, scene), largest[2]);
      include(particles.velocity[i].norm() + particles.velocity_change[i], largest[0]);
      if (particles.id[i] == kRemovedId || point.reference.empty()) continue;
      const Vec3 path_since_list = particles.position[i] - point.reference[i];
      include(path_since_list.norm() / last_step, largest[0]);
    }
    communicator.Max(largest);
    return {largest[0], largest[1], largest[2]};
  }
};

/// Checks the skin of the neighbour list and the positions from which the list is rebuilt. The skin
/// is either the default or the path of the fastest particles in several steps. Positions must be
/// near the domain, because the list makes cells up to the farthest position.
void CheckList(const std::string& path, const CheckpointScene& scene, const Domain& domain,
               const RestartPoint& point, const MotionScale& motion) {
  const Vec3 extent = domain.box.Extent();
  const double longest_step =
      scene.step.dt *
      static_cast<double>(std::max(point.adaptive.stride, point.adaptive.next_stride));
  // A skin covers two steps and the path due to weight; this leaves a margin.
  constexpr double kSteps = 10.0;
  const double default_skin = std::max(scene.step.skin, 2.0 * kLongSkinRadii * point.radii.largest);
  const double displacement =
      scene.has_changes ? extent.norm()
                        : kSteps * longest_step *
                              (motion.speed + longest_step * MaxBodyAcceleration(scene.scene));
  RequireNumber(path, "list_skin", point.reach.skin,
                {0.0, std::min(default_skin + displacement, extent.norm())});
  RequireNumber(path, "list_wall_skin", point.reach.wall_skin, {0.0, extent.norm()});
  const Vec3 lower = domain.box.lower - extent, upper = domain.box.upper + extent;
  for (const Vec3& reference : point.reference) {
    const bool is_near =
        (reference.array() >= lower.array() && reference.array() <= upper.array()).all();
    if (is_near) continue;
    throw FileError(Text("'", path, "': a reference position is (", reference.transpose(),
                         ") m; expected a point in the domain or near it"));
  }
}

/// Checks the largest impulse. The change of its particle's momentum, the forces and all other
/// impulses must be able to balance it.
void CheckImpulses(const Communicator& communicator, const std::string& path,
                   const CheckpointScene& scene, const RestartPoint& point,
                   const MotionScale& motion) {
  double sum = 0.0, largest = 0.0, sum_of_laws = 0.0;
  for (const StoredImpulse& stored : point.impulses) {
    const double size = stored.impulse.norm();
    sum += size;
    const bool is_with_itself = !stored.b.IsSurface() && stored.b.Particle() == stored.a;
    if (!is_with_itself) largest = std::max(largest, size);
    for (const Vec3& law_impulse : stored.laws.of) sum_of_laws += law_impulse.norm();
  }
  const double largest_of_all = communicator.Max(largest);
  double sums[2] = {sum, sum_of_laws};
  communicator.Sum(sums);
  if (scene.scene.fluid.Exists() || scene.has_changes) return;  // forces can then have any size
  constexpr double kMax = 100.0;  // a margin for rebounds, far larger than their effect
  const double last_step = scene.step.dt * static_cast<double>(point.adaptive.stride);
  const double coriolis = scene.scene.frame.angular_velocity.norm() * motion.speed;
  const double body_kick = last_step * (MaxBodyAcceleration(scene.scene) + 2.0 * coriolis);
  const double other_impulses = std::max(sums[0] - largest_of_all, 0.0) + sums[1];
  CallOnAll<FileError>(communicator, [&] {
    RequireNumber(path, "largest impulse", largest_of_all,
                  {0.0, kMax * (other_impulses + motion.mass * (motion.change + body_kick))});
  });
}

/// Checks that particles are in the order of the cells of the neighbour list, because a restart
/// rebuilds the list without sorting them. The size of the cells follows from list_skin.
void CheckOrder(const std::string& path, const RestartPoint& point, const Particles& particles) {
  const bool has_list = !point.redistributed && point.reference.size() == particles.owned;
  if (!has_list) return;  // particles are sorted when the list is built
  const std::span<const double> radii(particles.radius.data(), particles.owned);
  const SizeClasses classes(point.reference, radii, point.reach.skin);
  if (std::ranges::is_sorted(classes.Order())) return;
  throw FileError(Text("'", path, "': list_skin = ", point.reach.skin,
                       " m and particles/reference do not give the order of the particles; ",
                       "expected the skin and positions of their neighbour list"));
}

void CheckSurfaces(const std::string& path, const CheckpointScene& scene,
                   std::span<const StoredImpulse> impulses) {
  // Walls added by a restart have no impulses yet, so their surfaces are not valid here.
  const Index last_surface = FirstSurface(scene.scene, scene.walls) -
                             static_cast<Index>(scene.scene.walls.size() - scene.walls) - 1;
  for (const StoredImpulse& stored : impulses) {
    if (!stored.b.IsSurface()) continue;
    RequireNumber(path, "surface of an impulse", stored.b.Surface(),
                  {0.0, static_cast<double>(last_surface)});
  }
}

/// Checks the member numbers of impulses, which count the members, edges and faces of a shape.
void CheckMembers(const std::string& path, const Scene& scene,
                  std::span<const StoredImpulse> impulses) {
  std::size_t max = 1;
  for (const ClumpShape& shape : scene.clumps) {
    std::size_t features = shape.members.size();
    for (const SolidMember& solid : shape.solids) {
      features += solid.core.edges.size() + solid.core.faces.size();
    }
    max = std::max(max, features);
  }
  const NumberRange range{0.0, static_cast<double>(max - 1)};
  for (const StoredImpulse& stored : impulses) {
    if (!scene.bonds.empty() && stored.members.a >= kFirstBondPoint) continue;
    RequireNumber(path, "member of an impulse", stored.members.a, range);
    RequireNumber(path, "member of an impulse", stored.members.b, range);
  }
}

/// Requires that the rules, walls and members of bonds exist in the scene.
void CheckBonds(const std::string& path, const CheckpointScene& checkpoint_scene,
                std::span<const Bond> bonds) {
  const Scene& scene = checkpoint_scene.scene;
  const auto last_of = [](std::size_t count) { return static_cast<double>(count) - 1.0; };
  std::size_t members = 1;
  for (const ClumpShape& shape : scene.clumps) {
    members = std::max(members, shape.members.size());
  }
  for (const Bond& bond : bonds) {
    RequireNumber(path, "rule of a bond", bond.rule, {0.0, last_of(scene.bonds.size())});
    const double first_wall = bond.b.IsSurface() ? 0.0 : -1.0;
    const double last_wall = bond.b.IsSurface() ? last_of(checkpoint_scene.walls) : -1.0;
    RequireNumber(path, "wall of a bond", bond.wall, {first_wall, last_wall});
    RequireNumber(path, "points of a bond", bond.point_count,
                  {0.0, scene.HasClumps() ? static_cast<double>(kMaxBondPoints) : 0.0});
    RequireNumber(path, "member of a bond", bond.members.a, {0.0, last_of(members)});
    RequireNumber(path, "member of a bond", bond.members.b, {0.0, last_of(members)});
  }
}

}  // namespace

void CheckCheckpoint(const Communicator& communicator, const std::string& path,
                     const CheckpointScene& scene, const Checkpoint& checkpoint,
                     const State& state) {
  CheckParticles(communicator, state.particles, scene.scene.materials, scene.scene.clumps, path,
                 RemovedParticles::kAllowed);
  const RestartPoint& point = checkpoint.point;
  const ParticleCounts counts = ParticleCounts::Compute(communicator, state);
  const RadiusRange current = RadiiOf(communicator, scene.scene, state.particles);
  const EnergyBalance energy = SumOverRanks(communicator, state.energy);
  const double last_step = scene.step.dt * static_cast<double>(point.adaptive.stride);
  const MotionScale motion =
      MotionScale::Compute(communicator, scene.scene, point, state.particles, last_step);
  CallOnAll<FileError>(communicator, [&] {
    const bool has_cell = scene.scene.cell.IsActive();
    CheckSteps(path, checkpoint, state.step);
    CheckWalls(path, scene, point.wall_loads, point.list_free_walls, state);
    CheckRains(path, scene, state);
    CheckParticleCounts(path, scene, counts, state);
    CheckIdsOfRains(path, scene, state);
    CheckRadii(path, point.radii, state.particles);
    if (!scene.reads_particles && !scene.has_changes)
      CheckMadeSizes(path, scene.scene, state.particles);
    CheckRadiusRange(path, scene, point.radii, current, counts.deleted > 0);
    CheckEnergy(path, energy,
                MaxEnergy(scene, counts, point.radii.largest, point.adaptive.steps_done));
    if (has_cell && !state.cell.box.Extent().isZero(0.0)) {
      CheckCell(path, scene.scene.domain.box, state.cell,
                point.rebuild_due ? nullptr : &point.list_cell);
    }
    if (!point.rebuild_due) {
      CheckList(path, scene, has_cell ? Domain{state.cell.box} : scene.scene.domain, point, motion);
      CheckOrder(path, point, state.particles);
    }
    CheckSurfaces(path, scene, point.impulses);
    CheckMembers(path, scene.scene, point.impulses);
    CheckBonds(path, scene, point.bonds);
  });
  CheckImpulses(communicator, path, scene, point, motion);
}

}  // namespace scree
