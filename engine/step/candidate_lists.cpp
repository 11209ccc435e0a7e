#include "engine/step/candidate_lists.hpp"

#include <algorithm>
#include <cmath>

#include "engine/lists/list_reach.hpp"
#include "engine/particles/inflow.hpp"
#include "engine/ranks/contact_ownership.hpp"
#include "engine/ranks/migration.hpp"
#include "engine/scene/wall_motion.hpp"
#include "engine/step/validity.hpp"
#include "solvers/base/check.hpp"

namespace scree {

namespace {

/// The reach of new lists. Collective.
/// @param max_kick  largest kick of the forces in a step [m/s]
ListReach ReachOfLists(const StepSetup& setup, const State& state, double max_kick) {
  const StepParameters& parameters = setup.parameters;
  const ReachRequirements requirements{setup.base,
                                       setup.stride,
                                       parameters.skin,
                                       setup.limits.is_automatic,
                                       setup.rule.MaxActiveGap(0.0),
                                       setup.radii.largest,
                                       max_kick,
                                       setup.NeedsSameLists()};
  return FindReach(setup.communicator, setup.subdomains, setup.scene, state.particles, state.step,
                   requirements, state.free_walls);
}

/// Builds ghosts and candidates of particles that are already in the order of `lists.classes`.
/// Afterwards the lists are not due. Collective.
/// @param step        base steps done
/// @param free_walls  states of the free walls; with `step` they determine the poses of the walls
void BuildLists(const StepSetup& setup, std::int64_t step, FreeWallStates free_walls,
                const ListReach& reach, std::vector<PackedSphere>& packed, Particles& particles,
                CandidateLists& lists) {
  const auto interface =
      setup.scheme.ghost_contacts ? InterfacePairs::kAll : InterfacePairs::kOwnedContact;
  Halo& halo = lists.halo;
  halo = BuildHalo(setup.communicator, setup.subdomains, reach.skin, setup.radii.largest, interface,
                   particles);
  RemoveUnmarkedGhosts(setup.communicator,
                       MarkNearGhosts(particles, lists.classes, halo, reach.skin, packed), halo,
                       particles);
  lists.shared.assign(particles.Size(), 0);
  halo.plan.MarkShared(lists.shared);
  BuildNeighborList(particles, lists.classes, halo, setup.scene,
                    WallPoses(setup.scene, setup.base, step, free_walls), reach, packed,
                    lists.neighbors);
  lists.built_at = step;
  lists.free_walls.assign(free_walls.begin(), free_walls.end());
  lists.is_due = false;
}

/// Reorders rows in the same way as a migration and sorting reordered the particles.
template <class Row>
void ReorderRows(std::span<const Index> staying, std::span<const Row> arrived,
                 std::span<const Index> order, std::vector<Row>& rows) {
  std::vector<Row> migrated;
  for (const Index i : staying) migrated.push_back(rows[static_cast<std::size_t>(i)]);
  migrated.insert(migrated.end(), arrived.begin(), arrived.end());
  rows.clear();
  for (const Index i : order) rows.push_back(migrated[static_cast<std::size_t>(i)]);
}

/// The bonds, which migrate with particles; empty in scenes without bonds.
Attachment AttachmentOfBonds(const StepSetup& setup, const Particles& particles, BondTable& bonds) {
  return setup.scene.bonds.empty() ? Attachment() : bonds.AttachedToParticles(particles);
}

void BindBonds(const StepSetup& setup, const Particles& particles, const CandidateLists& lists,
               BondTable& bonds) {
  if (setup.scene.bonds.empty()) return;
  bonds.Bind(setup.communicator, particles, lists.halo, setup.scheme.ghost_contacts);
}

/// Sends particles to their owners and sorts them. The particles must be at the positions at which
/// the list was built. Collective.
/// @param current_positions  migrate with the particles
/// @returns the old indices of the particles that stay
std::vector<Index> SendToOwners(const StepSetup& setup, double skin, State& state, BondTable& bonds,
                                CandidateLists& lists, std::vector<Vec3>& current_positions) {
  std::vector<Vec3> arrived;
  const Attachment bond_attachment = AttachmentOfBonds(setup, state.particles, bonds);
  const Attachment packed = {[&](Index i, ByteWriter& out) {
                               out.Put(current_positions[static_cast<std::size_t>(i)]);
                               if (bond_attachment.pack) bond_attachment.pack(i, out);
                             },
                             [&](ByteReader& in) {
                               arrived.push_back(in.Get<Vec3>());
                               if (bond_attachment.unpack) bond_attachment.unpack(in);
                             }};
  std::vector<Index> staying =
      Migrate(setup.communicator, setup.subdomains, state.particles, &packed);
  RequireNoneMissing(setup, state);
  SortAlongCells(skin, state.particles, lists.spare, lists.classes);
  ReorderRows<Vec3>(staying, arrived, lists.classes.Order(), current_positions);
  return staying;
}

/// Gathers all fields of the ghosts from their owners, as if the ghosts had existed all the time.
/// @param particles  with ghosts in the order of the halo's plan
void RefreshGhosts(const Communicator& communicator, Halo& halo, Particles& particles) {
  ForEachField(particles, [&](const Field& field, auto& array) {
    if (field.scope == FieldScope::kWithGhosts) halo.plan.Gather(communicator, std::span(array));
  });
  // Removed ghosts must lie far away, each at its own position, which the gather has replaced.
  for (std::size_t g = particles.owned; g < particles.Size(); ++g) {
    if (particles.id[g] == kRemovedId) MarkRemoved(particles, g);
  }
}

}  // namespace

std::size_t MaxWallBodies(const Scene& scene, const NeighborList& list) {
  const auto can_be_patch = [&scene](const WallCandidate& candidate) {
    const Wall& wall = scene.walls[static_cast<std::size_t>(candidate.wall)];
    return wall.IsMoving() || wall.IsBelt() || MeshOf(wall.shape) != nullptr ||
           candidate.image != kNoImage || IsHollow(wall.shape);
  };
  return scene.walls.size() +
         static_cast<std::size_t>(std::ranges::count_if(list.walls, can_be_patch));
}

void RebuildLists(const StepSetup& setup, State& state, WarmStart& warm_start, StepForces& forces,
                  BondTable& bonds, std::vector<PackedSphere>& packed, CandidateLists& lists) {
  Particles& particles = state.particles;
  const Attachment impulses = warm_start.AttachedToParticles();
  const Attachment bond_attachment = AttachmentOfBonds(setup, particles, bonds);
  const Attachment impulses_and_bonds = {[&](Index i, ByteWriter& out) {
                                           impulses.pack(i, out);
                                           bond_attachment.pack(i, out);
                                         },
                                         [&](ByteReader& in) {
                                           impulses.unpack(in);
                                           bond_attachment.unpack(in);
                                         }};
  const Attachment& without_kicks = setup.scene.bonds.empty() ? impulses : impulses_and_bonds;
  std::vector<BodyKick> arrived;
  const Attachment with_kicks = {[&](Index i, ByteWriter& out) {
                                   without_kicks.pack(i, out);
                                   out.Put(forces.kicks[static_cast<std::size_t>(i)]);
                                 },
                                 [&](ByteReader& in) {
                                   without_kicks.unpack(in);
                                   arrived.push_back(in.Get<BodyKick>());
                                 }};
  const bool has_kicks = forces.are_active;
  const std::vector<Index> staying = Migrate(setup.communicator, setup.subdomains, particles,
                                             has_kicks ? &with_kicks : &without_kicks);
  RequireNoneMissing(setup, state);
  const ListReach reach = ReachOfLists(setup, state, has_kicks ? forces.max_kick : 0.0);
  SortAlongCells(reach.skin, particles, lists.spare, lists.classes);
  if (has_kicks) ReorderRows<BodyKick>(staying, arrived, lists.classes.Order(), forces.kicks);
  BuildLists(setup, state.step, state.free_walls, reach, packed, particles, lists);
  lists.cell = state.cell;
  warm_start.Remap(setup.communicator, staying, lists.classes.Order(), particles, lists.halo,
                   lists.neighbors);
  BindBonds(setup, particles, lists, bonds);
}

bool ListsFitSubdomains(StepSetup& setup, const RestartPoint& point, const State& state) {
  if (!point.redistributed) return true;
  setup.PlaceCell(point.list_cell);
  setup.PlaceSubdomains(point.list_step);
  const double max_reach = setup.subdomains.LargestReach();
  setup.PlaceCell(state.cell);
  setup.PlaceSubdomains(state.step);
  return 2.0 * setup.radii.largest + point.reach.skin <= max_reach;
}

void RestoreLists(StepSetup& setup, const RestartPoint& point, State& state, WarmStart& warm_start,
                  BondTable& bonds, std::vector<PackedSphere>& packed, CandidateLists& lists) {
  Particles& particles = state.particles;
  SCREE_DEMAND(point.reference.size() == particles.owned);
  setup.PlaceCell(point.list_cell);
  setup.PlaceSubdomains(point.list_step);
  std::vector<Vec3> current_positions = point.reference;
  particles.position.swap(current_positions);
  std::vector<Index> staying;
  if (point.redistributed) {
    warm_start.ScatterToOwners(setup.communicator, setup.subdomains, particles, point.impulses);
    staying = SendToOwners(setup, point.reach.skin, state, bonds, lists, current_positions);
  } else {  // the particles are already in the order of the cells
    lists.classes.Sort(particles.position, particles.radius, point.reach.skin);
  }
  BuildLists(setup, point.list_step, point.list_free_walls, point.reach, packed, particles, lists);
  lists.cell = point.list_cell;
  setup.PlaceCell(state.cell);
  if (point.redistributed) {
    warm_start.Remap(setup.communicator, staying, lists.classes.Order(), particles, lists.halo,
                     lists.neighbors);
  } else {
    warm_start.Restore(point.impulses, particles, lists.neighbors);
  }
  BindBonds(setup, particles, lists, bonds);
  std::copy(current_positions.begin(), current_positions.end(), particles.position.begin());
  RefreshGhosts(setup.communicator, lists.halo, particles);
  if (!setup.HasMovingImages()) return;
  if (setup.deforming_scene != nullptr) MoveImages(PeriodicImages(setup.scene.domain), lists.halo);
  GatherMotion(setup.communicator, lists.halo, particles);
}

bool AreListsDue(const StepSetup& setup, std::int64_t step, const CandidateLists& lists) {
  return lists.is_due || IsLayerDue(setup.scene, setup.base, step);
}

bool ListsCoverNextStep(const StepSetup& setup, const State& state,
                        std::span<const Vec3> velocities, std::int64_t stride, double rate,
                        CandidateLists& lists) {
  const std::int64_t step = state.step;
  const double dt = setup.TimeOf(stride);
  PredictFreeWalls(setup.scene, setup.base, step, state.free_walls, lists.free_walls_after, stride);
  WallPoses(setup.scene, setup.base, step + stride, lists.free_walls_after, lists.walls_after);
  const ActivationRule rule = stride == setup.stride ? setup.rule : setup.RuleOfStep(dt);
  const double elapsed = setup.TimeOf(step + stride - lists.built_at);
  Domain domain = setup.scene.domain;
  // A change of the step length changes the velocities of bodies in free flight (ShiftFlights).
  const double shift = dt * std::abs(setup.parameters.dt - dt) * setup.scene.gravity.norm();
  double margin = rule.MaxActiveGap(0.0) + shift;
  if (domain.deforms) {
    CellState after = state.cell;
    MoveCell(after.flow, {}, dt, domain.shear, after);
    domain = MeanStrain(domain, lists.cell, after, elapsed);
    margin += dt * rate * (2.0 * setup.radii.largest + lists.neighbors.reach.skin);
  }
  return CoversNextStep(lists.neighbors, state.particles, velocities, lists.walls_after, elapsed,
                        dt, dt * setup.scene.gravity, margin, domain, setup.radii.largest);
}

}  // namespace scree
