#include "engine/step/time_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/contacts/contact_assembly.hpp"
#include "engine/particles/inflow.hpp"
#include "engine/ranks/collective_error.hpp"
#include "engine/ranks/migration.hpp"
#include "engine/step/integration.hpp"
#include "engine/step/validity.hpp"

namespace scree {
namespace {

/// Radii of all particles that there are or will be, over all ranks.
RadiusRange RadiiOf(const Communicator& communicator, const Scene& scene,
                    const Particles& particles) {
  // One Max serves both: the smallest travels negated.
  double range[2] = {-std::numeric_limits<double>::infinity(), 0.0};
  const auto include = [&range](double radius) {
    range[0] = std::max(range[0], -radius);
    range[1] = std::max(range[1], radius);
  };
  for (const double radius : particles.radius) include(radius);
  // Of clumps the smallest members count, and the largest bounding radii.
  for (std::size_t i = 0; i < (scene.clumps.empty() ? 0 : particles.Size()); ++i) {
    if (particles.shape[i] == kSphereShape) continue;
    const ClumpShape& clump = scene.ClumpOf(particles.shape[i]);
    range[0] = std::max(range[0], -particles.radius[i] * clump.smallest_member);
  }
  const auto include_template = [&](const GrainTemplate& grain) {
    include(grain.sizes.smallest);
    include(grain.sizes.largest);
    for (const GrainShape& one : grain.shapes) {
      if (one.shape == kSphereShape) continue;
      const double radius = one.radius > 0.0 ? one.radius : grain.sizes.smallest;
      range[0] = std::max(range[0], -radius * scene.ClumpOf(one.shape).smallest_member);
    }
  };
  for (const Inflow& inflow : scene.pistons) include_template(inflow.grain);
  for (const Rain& rain : scene.rains) include_template(rain.grain);
  communicator.Max(range);
  return {std::min(-range[0], range[1]), range[1]};  // zero without particles
}

/// Of what there was in the run and what is yet to come, which a restart may have added to.
RadiusRange Union(const RadiusRange& a, const RadiusRange& b) {
  if (b.largest == 0.0) return a;
  if (a.largest == 0.0) return b;
  return {std::min(a.smallest, b.smallest), std::max(a.largest, b.largest)};
}

std::int64_t Living(const Particles& particles) {
  const auto owned_end = particles.id.begin() + static_cast<std::ptrdiff_t>(particles.owned);
  return owned_end - particles.id.begin() - std::count(particles.id.begin(), owned_end, kGone);
}

/// Where both sides of a contact have to see the same across a moving image.
void RoundVelocities(const Scene& scene, const StepParameters& parameters, Particles& particles) {
  if (!NeedsOf(parameters.solver).mirrors) return;
  const PeriodicImages images(scene.domain);
  for (Vec3& v : particles.velocity) v = images.Rounded(v);
}

/// What is wrong with particles that somebody has altered; empty: nothing.
std::string WhatCannotBe(const Scene& scene, const RadiusRange& radii, const Particles& particles) {
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kGone) continue;
    const auto say = [&](const auto&... parts) {
      return Text("particle ", particles.id[i], " cannot have the ", parts...);
    };
    const double radius = particles.radius[i];
    if (!(radius >= radii.smallest && radius <= radii.largest)) {
      return say("radius ", radius, " m; expected ", radii.smallest, " to ", radii.largest,
                 " m, as particles have had or will have");
    }
    const MaterialId material = particles.material[i];
    if (material < 0 || static_cast<std::size_t>(material) >= scene.materials.Size()) {
      return say("material ", material, "; expected 0 to ", scene.materials.Size() - 1);
    }
    const Quaternion& q = particles.orientation[i];
    const double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!(square > 0.0 && std::isfinite(square))) {
      return say("orientation (", q.w, ", ", q.x, ", ", q.y, ", ", q.z,
                 "); expected a quaternion that can be normalised");
    }
  }
  return {};
}

State& AllOwned(State& state, const Scene& scene, const StepParameters& parameters) {
  state.particles.owned = state.particles.Size();
  RoundVelocities(scene, parameters, state.particles);
  state.rains.resize(scene.rains.size());
  for (std::size_t r = 0; r < scene.rains.size(); ++r) {
    state.rains[r].masses.resize(std::max<std::size_t>(scene.rains[r].grain.mixture.size(), 1));
  }
  state.free_walls.resize(scene.HasFreeWalls() ? scene.walls.size() : 0);
  return state;
}

}  // namespace

TimeStep::TimeStep(const Communicator& communicator, const Scene& scene,
                   const StepParameters& parameters, const Subdomains& subdomains,
                   const State& state, const RadiusRange& radii)
    : setup_(communicator, scene, parameters, subdomains, radii),
      count_(communicator.Sum(Living(state.particles) - state.inserted + state.deleted)) {}

TimeStep::TimeStep(const Communicator& communicator, const Scene& scene,
                   const StepParameters& parameters, const Subdomains& subdomains, State& state)
    : TimeStep(communicator, scene, parameters, subdomains, AllOwned(state, scene, parameters),
               RadiiOf(communicator, scene, state.particles)) {
  state.deleted += RemoveOutflow(scene, state.particles);
  DemandValid(state);
  CutByParticles(state, {});
  RebuildLists(state);
  BalanceStart(state);
}

TimeStep::TimeStep(const Communicator& communicator, const Scene& scene,
                   const StepParameters& parameters, const Subdomains& subdomains, State& state,
                   const RestartPoint& point)
    : TimeStep(communicator, scene, parameters, subdomains, AllOwned(state, scene, parameters),
               Union(point.radii, RadiiOf(communicator, scene, state.particles))) {
  books_.max_penetration = point.max_penetration;
  books_.interval_loads = point.wall_loads;
  rebuilds_ = point.rebuilds;
  balance_ = point.balance;
  if (point.rebuild_due) {
    DemandValid(state);
    if (point.redistributed) CutByParticles(state, point.impulses);
    setup_.subdomains.MoveImages(TimeOf(state.step));
    warm_start_.ScatterToOwners(communicator, setup_.subdomains, state.particles, point.impulses);
  } else {
    RestoreLists(state, point);
  }
  SetInverseMasses(state.particles, scene, solve_.inverse_masses);
}

RestartPoint TimeStep::Point(const State& state) const {
  RestartPoint point;
  point.radii = setup_.radii;
  point.max_penetration = setup_.communicator.Max(books_.max_penetration);
  point.wall_loads = books_.interval_loads;
  point.rebuilds = rebuilds_;
  point.balance = balance_;
  point.rebuild_due = lists_.is_due;
  point.list_step = lists_.built_at;
  point.list_free_walls = lists_.free_walls;
  point.reach = lists_.neighbors.reach;
  point.impulses = warm_start_.Names();
  point.laws = setup_.scene.materials.ActingLaws();
  point.has_members = setup_.has_clumps;
  point.first_impulse = warm_start_.FirstOfParticles(state.particles.owned);
  if (!lists_.is_due) point.reference = lists_.neighbors.reference;
  return point;
}

/// The step, in the order of engine/README.md.
std::int64_t TimeStep::Advance(State& state, const MotionWatcher& watcher, std::int64_t request) {
  Particles& particles = state.particles;
  const WarmStart* warm_start = setup_.parameters.warm_start ? &warm_start_ : nullptr;

  if (lists_.is_due) RebuildLists(state);
  if (ImagesMove()) {
    MoveImages(PeriodicImages(setup_.scene.domain, TimeOf(state.step), TimeOf(lists_.built_at)),
               lists_.halo);
  }
  timer_.Mark(Phase::kNeighborList);

  std::string invalid = FindContactsOf(state, warm_start);
  NonBlockingMax deepest(setup_.communicator);  // travels during the solve
  deepest.Send(contacts_.deepest);
  timer_.Mark(Phase::kDetection);

  AssembleProblem(setup_, particles, contacts_, warm_start, lists_, solve_,
                  Projects(setup_) ? &projection_.positions : nullptr);
  timer_.Mark(Phase::kAssembly);

  SolveProblem(setup_, particles, contacts_, lists_.halo, timer_, solve_);
  if (invalid.empty()) invalid = jam_watch_.Look(setup_, particles, contacts_, solve_);
  ProjectPositions(setup_, particles, deepest.Take(), lists_.halo.plan, timer_, solve_,
                   projection_);
  if (warm_start != nullptr) {
    warm_start_.Remember(contacts_.treated, contacts_.treated.SharedCount(), contacts_.mirrors,
                         contacts_.wall_bodies, solve_.batches, projection_.positions);
  }
  timer_.Mark(Phase::kSweeps);

  BookStep(setup_, particles, contacts_, solve_, projection_, lists_.halo, books_);
  timer_.Mark(Phase::kOther);

  Move(particles);
  solve_.free_walls.Move(setup_.scene, setup_.parameters.dt, state.free_walls);
  ++state.step;
  timer_.Mark(Phase::kIntegration);

  if (watcher) {
    watcher(particles);
    timer_.Mark(Phase::kOther);
  }

  LetLeave(state);
  request = Agree(state, request, invalid);
  timer_.Mark(Phase::kIntegration);

  Balance(state);
  timer_.Mark(Phase::kBalance);

  LetEnter(state);
  state.energy += books_.energy;
  if (lists_.is_due) DemandValid(state);  // before anyone writes it down
  timer_.Mark(Phase::kIntegration);
  return request;
}

void TimeStep::Accelerate(State& state, std::span<const Vec3> accelerations) {
  Particles& particles = state.particles;
  SCREE_DEMAND(accelerations.size() == particles.owned);
  const double dt = setup_.parameters.dt;
  const bool rounds = ImagesMove() && setup_.scheme.mirrors;
  const PeriodicImages images(setup_.scene.domain);
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kGone) continue;
    Vec3& v = particles.velocity[i];
    v += dt * accelerations[i];
    if (rounds) v = images.Rounded(v);
  }
  // The lists were found to reach far enough for the velocities before.
  if (!lists_.is_due) Agree(state, 0, {});
  if (lists_.is_due) {
    DemandValid(state);  // the lists bring new ghosts
  } else {
    FollowVelocities(setup_.communicator, lists_.halo, particles.velocity);
  }
}

void TimeStep::TakeChanges(State& state) {
  Particles& particles = state.particles;
  Resize(particles, particles.owned);
  ThrowIfAny<InputError>(setup_.communicator, WhatCannotBe(setup_.scene, setup_.radii, particles));
  for (Quaternion& q : particles.orientation) q = Normalized(q);
  RoundVelocities(setup_.scene, setup_.parameters, particles);
  DemandValid(state);
  SetInverseMasses(particles, setup_.scene, solve_.inverse_masses);
  lists_.is_due = true;
}

void TimeStep::Move(Particles& particles) {
  const double dt = setup_.parameters.dt;
  const auto displacements = projection_.positions.Displacements();
  std::visit(
      [&]<class Body>(const BodiesOf<Body>& of) {
        if constexpr (std::is_same_v<Body, SphereBody>) {
          Integrate(of.all, displacements, dt, particles);
        } else {
          Integrate(of.all, displacements, dt, solve_.inverse_masses, setup_.scene.clumps,
                    particles);
        }
      },
      solve_.bodies);
  if (ImagesMove()) FollowOwners(setup_.communicator, lists_.halo, particles);
}

/// @returns what is wrong with the contacts of this rank; empty: nothing
std::string TimeStep::FindContactsOf(const State& state, const WarmStart* warm_start) {
  FindContacts(setup_, state.step, state.free_walls, state.particles, lists_, warm_start,
               contacts_);
  if (!contacts_.buffers.walls.trouble.empty()) {
    return Text(contacts_.buffers.walls.trouble, " (rank ", setup_.communicator.Rank(), ", step ",
                state.step, ")");
  }
  if (contacts_.deepest <= setup_.radii.smallest) return {};
  return DescribeDeepOverlaps(contacts_.treated.All(), state.particles, contacts_.wall_bodies,
                              setup_.communicator.Rank(), state.step);
}

/// Particles beyond an outflow face.
void TimeStep::LetLeave(State& state) {
  state.deleted += RemoveOutflow(setup_.scene, state.particles);
  BookMotion(setup_, state.particles, solve_, books_);
}

/// What comes with a piston or as rain, if any is due. Lists are then made anew, so ghosts may go.
void TimeStep::LetEnter(State& state) {
  const Scene& scene = setup_.scene;
  const double dt = setup_.parameters.dt;
  const OwnsPlace owns = [this](const Vec3& place) {
    return setup_.subdomains.OwnerOf(place) == setup_.communicator.Rank();
  };
  Particles entering;
  bool any = LayerIsDue(scene, dt, state.step);
  if (any) InsertLayer(scene, dt, state.step, state.next_id, owns, entering);
  any = LetRainIn(state, owns, entering) || any;
  if (!any) return;
  Particles& particles = state.particles;
  Resize(particles, particles.owned);
  const std::size_t before = particles.Size();
  Append(particles, entering);
  particles.owned = particles.Size();
  state.inserted += static_cast<std::int64_t>(entering.Size());
  SetInverseMasses(particles, scene, solve_.inverse_masses);
  if (books_.keeps_energy) {
    books_.energy.entered = EnergyFrom(before, particles, solve_.inverse_masses, scene.clumps);
  }
  lists_.is_due = true;
}

/// @returns whether some rank has let particles in
bool TimeStep::LetRainIn(State& state, const OwnsPlace& owns, Particles& entering) const {
  const Scene& scene = setup_.scene;
  const double dt = setup_.parameters.dt;
  const MaxOverRanks over_ranks = [this](std::span<std::int64_t> numbers) {
    setup_.communicator.Max(numbers);
  };
  bool any = false;
  for (std::size_t r = 0; r < scene.rains.size(); ++r) {
    if (!ShowerIsDue(scene, scene.rains[r], dt, state.step)) continue;
    const std::int64_t before = state.rains[r].made;
    scree::LetRainIn({scene, r, dt, state.step, state.next_id, owns, over_ranks, state.free_walls},
                     state.particles, state.rains[r], entering);
    any = any || state.rains[r].made > before;
  }
  return any;
}

/// Particles migrate to their owners, are sorted, and get ghosts and candidate pairs.
void TimeStep::RebuildLists(State& state) {
  Particles& particles = state.particles;
  setup_.subdomains.MoveImages(TimeOf(state.step));
  BookRemap(state);
  const Attachment impulses = warm_start_.AttachedToParticles();
  const std::vector<Index> staying =
      Migrate(setup_.communicator, setup_.subdomains, particles, &impulses);
  DemandNoneMissing(state);
  const ListReach reach = ReachOfLists(setup_, state.step, particles, state.free_walls);
  SortAlongCells(reach.skin, particles, lists_.spare, lists_.classes);
  BuildListsOf(particles, state.step, state.free_walls, reach);
  warm_start_.Remap(setup_.communicator, staying, lists_.classes.Order(), particles, lists_.halo,
                    lists_.neighbors);
  ++rebuilds_;
}

/// What crossed a sheared end comes back with the velocity of the image.
void TimeStep::BookRemap(State& state) const {
  if (!books_.keeps_energy || !ImagesMove()) return;
  const double energy =
      EnergyOfRemap(setup_.subdomains.Images(), state.particles, solve_.inverse_masses);
  state.energy.kinetic += energy;
  state.energy.shear += energy;
}

/// Ghosts and candidate pairs as they were built then, from the places of that time.
void TimeStep::RestoreLists(State& state, const RestartPoint& point) {
  Particles& particles = state.particles;
  SCREE_DEMAND(point.reference.size() == particles.owned);
  setup_.subdomains.MoveImages(TimeOf(point.list_step));
  std::vector<Vec3> now = point.reference;
  particles.position.swap(now);
  // They are in the order of the cells already.
  lists_.classes.Sort(particles.position, particles.radius, point.reach.skin);
  BuildListsOf(particles, point.list_step, point.list_free_walls, point.reach);
  warm_start_.Restore(point.impulses, particles, lists_.neighbors);
  std::copy(now.begin(), now.end(), particles.position.begin());
  RefreshGhosts(setup_.communicator, lists_.halo, particles);
  if (ImagesMove()) FollowOwners(setup_.communicator, lists_.halo, particles);
}

/// Lists of particles in the order of the cells, and room for all candidates in the arrays of the
/// steps until the next lists, so that they need not grow.
void TimeStep::BuildListsOf(Particles& particles, std::int64_t step, FreeWallStates free_walls,
                            const ListReach& reach) {
  BuildLists(setup_, step, free_walls, reach, contacts_.buffers.places, particles, lists_);
  Reserve(setup_, lists_, contacts_);
  Reserve(setup_, lists_, particles, solve_);
  Reserve(setup_, particles, solve_, lists_.halo.plan, projection_);
  warm_start_.Reserve(lists_.Candidates(), setup_.scene.materials.ActingLaws());
  SetInverseMasses(particles, setup_.scene, solve_.inverse_masses);
}

Bisection TimeStep::FindCuts(std::vector<WorkItem> work) const {
  return CutFor(setup_.communicator.Size(), std::move(work), setup_.subdomains.Tree());
}

/// Subdomains for particles that may be anywhere.
void TimeStep::CutByParticles(const State& state, std::span<const RememberedImpulse> impulses) {
  if (!setup_.Balances()) return;
  const Bisection found = FindCuts(WorkOfParticles(setup_, state.particles, impulses));
  setup_.subdomains = Subdomains::WithCuts(setup_.scene.domain, found.cuts);
}

/// Once more, now that the contacts of a first step can be counted.
void TimeStep::BalanceStart(State& state) {
  if (!setup_.Balances()) return;
  StepContacts tried;  // on this rank they are nobody's once the cuts have moved
  FindContacts(setup_, state.step, state.free_walls, state.particles, lists_, nullptr, tried);
  const Bisection found =
      FindCuts(WorkOfStep(setup_, state.particles, lists_, tried, setup_.parameters.solver.sweeps));
  setup_.subdomains = Subdomains::WithCuts(setup_.scene.domain, found.cuts);
  RebuildLists(state);
  --rebuilds_;  // both are the first
}

bool TimeStep::ListsAreDue(const State& state) const {
  return lists_.is_due || LayerIsDue(setup_.scene, setup_.parameters.dt, state.step);
}

/// New subdomains, if they pay, and new lists then: particles and what they remember travel with
/// these.
void TimeStep::Balance(const State& state) {
  const bool are_due = ListsAreDue(state);
  if (!IsTimeToLook(setup_, state.step, are_due)) return;
  const std::int64_t balance = setup_.parameters.balance;
  const double imbalance = Imbalance(state).work;
  if (!IsTimeToBalance(balance, state.step, imbalance, are_due, balance_)) return;
  DemandValid(state);
  const Bisection found = FindCuts(Work(state));
  if (!AreWorthAMove(balance, imbalance, found, balance_)) return;
  setup_.subdomains = Subdomains::WithCuts(setup_.scene.domain, found.cuts);
  lists_.is_due = true;
}

std::vector<WorkItem> TimeStep::Work(const State& state) const {
  return WorkOfStep(setup_, state.particles, lists_, contacts_, solve_.report.sweeps);
}

LoadImbalance TimeStep::Imbalance(const State& state) const {
  return MeasureImbalance(setup_, state.particles, lists_, contacts_, solve_.report.sweeps);
}

void TimeStep::DemandNoneMissing(const State& state) const {
  const std::int64_t count = setup_.communicator.Sum(
      static_cast<std::int64_t>(state.particles.owned) - state.inserted + state.deleted);
  if (count == count_) return;
  throw SimulationError(Text("particle count is wrong at step ", state.step, ": there should be ",
                             count_, " besides those inserted and deleted, but there are ", count));
}

/// Nothing may cross the whole domain in one step.
void TimeStep::DemandValid(const State& state) const {
  const Domain& domain = setup_.subdomains.WholeDomain();
  scree::DemandValid(setup_.communicator, domain, setup_.parameters.dt,
                     domain.box.Extent().minCoeff(), state.step, state.particles);
}

/// The last reduction of a step: a rank whose list does not cover the next step makes all rebuild;
/// one that found the state invalid makes all throw; the greatest request becomes that of all.
std::int64_t TimeStep::Agree(const State& state, std::int64_t request, const std::string& invalid) {
  const bool covered = CoverNextStep(setup_, state.step, state.free_walls, state.particles, lists_);
  std::int64_t flags[3] = {!covered, !invalid.empty(), request};
  setup_.communicator.Max(flags);
  lists_.is_due = flags[0] != 0;
  if (flags[1] != 0) ThrowIfAny<SimulationError>(setup_.communicator, invalid);
  return flags[2];
}

int TimeStep::Neighbors() const {
  const std::vector<ExchangePlan::Peer>& peers = lists_.halo.plan.Peers();
  const int rank = setup_.communicator.Rank();
  return static_cast<int>(std::ranges::count_if(
      peers, [rank](const ExchangePlan::Peer& peer) { return peer.rank != rank; }));
}

MemoryReport TimeStep::Memory(const State& state) const {
  MemoryReport report;
  report.particles = BytesOf(state.particles) + BytesOf(lists_.spare) + BytesOf(lists_.halo);
  report.bodies =
      BytesOf(contacts_.buffers.places) + BytesOf(contacts_.buffers.motions) +
      BytesOf(solve_.inverse_masses) + contacts_.buffers.members.Bytes() +
      std::visit([](const auto& of) { return BytesOf(of.all) + BytesOf(of.mean); }, solve_.bodies);
  report.candidates = BytesOf(lists_.neighbors) + lists_.classes.Bytes();
  report.contacts = contacts_.treated.Bytes();
  report.batches = solve_.batches.Bytes() + projection_.positions.Bytes() + solve_.coarse.Bytes() +
                   solve_.scheme.momentum.Bytes() + solve_.scheme.order.Bytes();
  report.sweep = SweepBytes(solve_.batches);
  return report;
}

void TimeStep::KeepWallLoads(bool yes) {
  const std::size_t walls = yes ? setup_.scene.walls.size() : 0;
  books_.keeps_wall_loads = yes;
  books_.wall_loads.assign(walls, {});
  // A run that goes on after a restart is within an interval.
  WallLoadBook begun = StartWallLoadBook(walls);
  if (books_.interval_loads.mean.size() != begun.mean.size()) {
    books_.interval_loads = std::move(begun);
  }
}

void TimeStep::StartInterval(State& state) {
  books_.max_penetration = 0.0;
  for (FreeWallState& wall : state.free_walls) wall.impulse = 0.0, wall.steps = 0;
  books_.interval_loads = StartWallLoadBook(books_.wall_loads.size());
}

Observables TimeStep::Observe(const State& state) const {
  const Communicator& communicator = setup_.communicator;
  Observables observed =
      scree::Observe(communicator, state.particles, solve_.inverse_masses, contacts_.treated,
                     Impulses(), ClosedGap(setup_.radii.smallest), contacts_.first_wall_body,
                     books_.wall_loads, setup_.scene.clumps);
  observed.step = state.step;
  observed.time = setup_.parameters.dt * static_cast<double>(state.step);
  observed.inserted = communicator.Sum(state.inserted);
  observed.deleted = communicator.Sum(state.deleted);
  observed.max_penetration_interval = communicator.Max(books_.max_penetration);
  observed.interval_loads = MomentsOf(communicator, books_.interval_loads);
  if (books_.keeps_energy) observed.energy = SumOverRanks(communicator, state.energy);
  return observed;
}

}  // namespace scree
