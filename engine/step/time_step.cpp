#include "engine/step/time_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/contacts/contact_assembly.hpp"
#include "engine/contacts/mirror_contacts.hpp"
#include "engine/contacts/rolling_assembly.hpp"
#include "engine/contacts/shared_contacts.hpp"
#include "engine/particles/inflow.hpp"
#include "engine/particles/lattice.hpp"
#include "engine/ranks/collective_error.hpp"
#include "engine/ranks/migration.hpp"
#include "engine/scene/wall_motion.hpp"
#include "engine/step/integration.hpp"
#include "engine/step/validity.hpp"
#include "solvers/block_gauss_seidel.hpp"
#include "solvers/block_jacobi.hpp"
#include "solvers/residual.hpp"

namespace scree {
namespace {

/// Radii of all particles that there are or will be, over all ranks.
RadiusRange Radii(const Communicator& communicator, const Scene& scene,
                  const Particles& particles) {
  // One Max serves both: the smallest travels negated.
  double range[2] = {-std::numeric_limits<double>::infinity(), 0.0};
  const auto include = [&range](double radius) {
    range[0] = std::max(range[0], -radius);
    range[1] = std::max(range[1], radius);
  };
  for (const double radius : particles.radius) include(radius);
  if (scene.inflow) {
    include(scene.inflow->grain.sizes.smallest);
    include(scene.inflow->grain.sizes.largest);
  }
  communicator.Max(range);
  return {std::min(-range[0], range[1]), range[1]};  // zero without particles
}

std::int64_t Living(const Particles& particles) {
  const auto owned_end = particles.id.begin() + static_cast<std::ptrdiff_t>(particles.owned);
  return owned_end - particles.id.begin() - std::count(particles.id.begin(), owned_end, kGone);
}

State& AllOwned(State& state) {
  state.particles.owned = state.particles.Size();
  return state;
}

/// Overlaps of a pile at rest stay below it, so that its contacts are closed for good; large
/// against rounding, small against what ten sweeps leave in a flow.
constexpr double kSlopRadii = 1e-4;

double DeepestOverlap(const std::vector<DetectedContact>& contacts) {
  double deepest = 0.0;
  for (const DetectedContact& contact : contacts) deepest = std::max(deepest, -contact.gap);
  return deepest;
}

}  // namespace

TimeStep::TimeStep(const Communicator& communicator, const Scene& scene,
                   const StepParameters& parameters, const Subdomains& subdomains,
                   const State& state, const RadiusRange& radii)
    : communicator_(communicator),
      scene_(scene),
      parameters_(parameters),
      subdomains_(subdomains),
      restitution_(scene, parameters.dt),
      rule_(MakeParticipationRule(scene, parameters, radii.smallest, restitution_.Any())),
      radii_(radii) {
  SCREE_DEMAND(subdomains.Count() == communicator.Size());
  for (const Wall& wall : scene.walls) SCREE_DEMAND(IsLoaded(wall.shape));
  correction_speed_ = parameters.max_correction_speed >= 0.0 ? parameters.max_correction_speed
                                                             : 0.1 * radii.smallest / parameters.dt;
  projection_parameters_ = {
      .sweeps = parameters.position_sweeps,
      .dt = parameters.dt,
      .slop = parameters.slop >= 0.0 ? parameters.slop : kSlopRadii * radii.smallest,
      .share = parameters.error_reduction,
      .most = parameters.dt * correction_speed_};
  rolls_ = scene.materials.AnyResistsRolling();
  const double skin = parameters.skin >= 0.0 ? parameters.skin : kSkinRadii * radii.largest;
  subdomains_.DemandWidth(2.0 * radii.largest + skin);
  balance_ = communicator.Sum(Living(state.particles) - state.inserted + state.deleted);
}

TimeStep::TimeStep(const Communicator& communicator, const Scene& scene,
                   const StepParameters& parameters, const Subdomains& subdomains, State& state)
    : TimeStep(communicator, scene, parameters, subdomains, AllOwned(state),
               Radii(communicator, scene, state.particles)) {
  state.deleted += RemoveOutflow(scene, state.particles);
  DemandValid(state);
  Rebuild(state);
  BeginWallBodies(walls_, wall_bodies_);
  bodies_.resize(state.particles.Size() + wall_bodies_.size());
}

TimeStep::TimeStep(const Communicator& communicator, const Scene& scene,
                   const StepParameters& parameters, const Subdomains& subdomains, State& state,
                   const RestartPoint& point)
    : TimeStep(communicator, scene, parameters, subdomains, AllOwned(state), point.radii) {
  if (point.rebuild_due) DemandValid(state);
  max_penetration_ = point.max_penetration;
  rebuilds_ = point.rebuilds;
  if (point.rebuild_due) {
    warm_start_.Await(communicator, subdomains, state.particles, point.impulses);
  } else {
    RestoreList(state, point);
  }
  SetInverseMasses(state.particles, scene, inverse_masses_);
  BeginWallBodies(walls_, wall_bodies_);
  bodies_.resize(state.particles.Size() + wall_bodies_.size());
}

RestartPoint TimeStep::Point(const State& state) const {
  RestartPoint point;
  point.radii = radii_;
  point.max_penetration = communicator_.Max(max_penetration_);
  point.rebuilds = rebuilds_;
  point.rebuild_due = rebuild_due_;
  point.list_step = list_step_;
  point.reach = neighbors_.reach;
  point.impulses = warm_start_.Names();
  point.rolls = rolls_;
  point.first_impulse = warm_start_.FirstOfParticles(state.particles.owned);
  if (!rebuild_due_) point.reference = neighbors_.reference;
  return point;
}

std::int64_t TimeStep::Advance(State& state, const MotionWatcher& watcher, std::int64_t request) {
  Particles& particles = state.particles;
  const double dt = parameters_.dt;

  if (rebuild_due_) Rebuild(state);
  timer_.Mark(Phase::kNeighborList);

  const WarmStart* warm_start = parameters_.warm_start ? &warm_start_ : nullptr;
  WallPoses(scene_, dt, state.step, walls_);
  DetectContacts(particles, halo_, neighbors_, scene_, walls_, rule_, warm_start, detection_,
                 contacts_, wall_bodies_);
  if (parameters_.solver.scheme == Scheme::kJacobi) {
    MoveMirrors(communicator_.Rank(), particles, halo_, contacts_, mirrors_);
  } else if (!halo_.plan.IsEmpty()) {
    shared_contacts_ = PutSharedFirst(shared_, contacts_, spare_contacts_);
  }
  const double deepest = DeepestOverlap(contacts_);
  max_penetration_ = std::max(max_penetration_, deepest);
  TravellingMax deepest_anywhere(communicator_);  // on its way during the solve
  deepest_anywhere.Send(deepest);
  std::string invalid;
  if (deepest > radii_.smallest) {
    invalid =
        DescribeDeepOverlaps(contacts_, particles, wall_bodies_, communicator_.Rank(), state.step);
  }
  timer_.Mark(Phase::kDetection);

  Assemble(particles, warm_start);
  timer_.Mark(Phase::kAssembly);

  const Traffic sent = communicator_.Sent();
  Solve(particles);
  Project(particles, deepest_anywhere.Take());
  sent_in_sweeps_ += communicator_.Sent() - sent;
  if (parameters_.warm_start) {
    warm_start_.Remember(contacts_, mirrors_, wall_bodies_, batches_);
  }
  timer_.Mark(Phase::kSweeps);

  if (keeps_wall_loads_) {
    FindWallLoads(particles, contacts_, wall_bodies_, walls_, batches_, dt, wall_loads_);
  }
  energy_ = {};
  if (keeps_energy_) {
    energy_ =
        BookSolve(particles, bodies_, contacts_, impacts_, batches_, dt * scene_.gravity, mean_);
    energy_.projection =
        WorkAgainst(scene_.gravity, particles, bodies_, projection_.Displacements());
  }
  timer_.Mark(Phase::kOther);

  Integrate(bodies_, projection_.Displacements(), dt, particles);
  ++state.step;
  timer_.Mark(Phase::kIntegration);

  if (watcher) {
    watcher(particles);
    timer_.Mark(Phase::kOther);
  }

  const std::int64_t leavers = RemoveOutflow(scene_, particles);
  state.deleted += leavers;
  if (keeps_energy_ && leavers > 0) energy_.left = EnergyOfLeavers(particles, bodies_, mean_);
  request = Agree(state, request, invalid);
  if (LayerIsDue(scene_, dt, state.step)) {
    Resize(particles, particles.owned);
    const std::size_t before = particles.Size();
    const auto owns = [this](const Vec3& place) {
      return subdomains_.OwnerOf(place) == communicator_.Rank();
    };
    state.inserted += InsertLayer(scene_, dt, state.step, state.next_id, owns, particles);
    SetInverseMasses(particles, scene_, inverse_masses_);
    if (keeps_energy_) energy_.entered = EnergyFrom(before, particles, inverse_masses_);
    rebuild_due_ = true;
  }
  state.energy += energy_;
  if (rebuild_due_) DemandValid(state);  // before anyone writes it down
  timer_.Mark(Phase::kIntegration);
  return request;
}

/// Bodies and contacts of the step, and what resists rolling.
void TimeStep::Assemble(const Particles& particles, const WarmStart* warm_start) {
  AssembleBodies(particles, inverse_masses_, scene_, wall_bodies_, parameters_.dt, bodies_);
  inverse_masses_.resize(bodies_.size(), 0.0);
  CountContacts(parameters_.solver, communicator_, halo_.plan, contacts_, mirrors_, bodies_.size(),
                counts_);
  const ContactInput input = {.detected = contacts_,
                              .mirrors = mirrors_,
                              .particles = particles,
                              .scene = scene_,
                              .walls = wall_bodies_,
                              .inverse_masses = inverse_masses_,
                              .counts = counts_.of_body,
                              .warm_start = warm_start};
  AssembleContacts(input, parameters_, correction_speed_, restitution_, batches_, impacts_);
  if (rolls_) {
    TurnPatches(contacts_, particles, wall_bodies_, walls_, bodies_);
    AssembleRolling(input, parameters_.solver, batches_);
  }
}

void TimeStep::Solve(const Particles& particles) {
  const SolverParameters& solver = parameters_.solver;
  const auto impulses =
      parameters_.warm_start ? StartingImpulses::kToApply : StartingImpulses::kApplied;
  if (solver.scheme == Scheme::kJacobi) {
    SetBodyKeys(particles, wall_bodies_, keys_);
    VelocityExchange exchange(communicator_, halo_.plan, particles.owned, timer_, buffers_);
    solved_ =
        BlockJacobi(solver, particles.owned, keys_, exchange, impulses, batches_, bodies_, jacobi_);
    return;
  }
  const bool split = solver.sharing == Sharing::kMassSplitting;
  const std::span<const Index> shares = split ? counts_.of_body : std::span<const Index>();
  VelocityExchange exchange(communicator_, halo_.plan, particles.owned, timer_, buffers_, shares);
  SplitMasses(shares, bodies_);
  solved_ = BlockGaussSeidel(solver, shared_contacts_, exchange, impulses, batches_, bodies_);
  if (split) UniteMasses(inverse_masses_, bodies_);
}

/// Overlaps are removed, without the velocities. Nothing is done if no rank had one beyond twice
/// the slop: what is left at rest is then not touched in every step.
void TimeStep::Project(const Particles& particles, double deepest) {
  projection_.Forget();
  const ProjectionParameters& parameters = projection_parameters_;
  if (parameters.sweeps == 0 || parameters.share == 0.0 || deepest <= 2.0 * parameters.slop) return;
  projection_.Begin(parameters, deepest, batches_, bodies_.size());
  std::size_t j = 0;
  for (const DetectedContact& contact : contacts_) projection_.SetGap(batches_, j++, contact.gap);
  for (const DetectedContact& contact : mirrors_) projection_.SetGap(batches_, j++, contact.gap);
  if (parameters_.solver.scheme == Scheme::kJacobi) {
    DisplacementExchange exchange(communicator_, halo_.plan, particles.owned, timer_,
                                  displacement_buffers_);
    projection_.SweepJacobi(particles.owned, jacobi_, exchange, batches_, bodies_);
    return;
  }
  const bool split = parameters_.solver.sharing == Sharing::kMassSplitting;
  const std::span<const Index> shares = split ? counts_.of_body : std::span<const Index>();
  DisplacementExchange exchange(communicator_, halo_.plan, particles.owned, timer_,
                                displacement_buffers_, shares);
  SplitMasses(shares, bodies_);
  projection_.Sweep(shared_contacts_, exchange, batches_, bodies_);
  if (split) UniteMasses(inverse_masses_, bodies_);
}

/// Particles go home, are sorted, and get ghosts and candidate pairs.
void TimeStep::Rebuild(State& state) {
  Particles& particles = state.particles;
  const std::vector<Index> staying = Migrate(communicator_, subdomains_, particles);
  DemandNoneMissing(state);
  const LeastReach least{parameters_.dt, parameters_.skin, rule_.Reach(0.0), radii_.largest};
  const ListReach reach =
      ReachFor(communicator_, subdomains_, scene_, particles, state.step, least);
  SortAlongCells(reach.skin, particles, spare_, classes_);
  BuildLists(particles, state.step, reach);
  warm_start_.Follow(communicator_, staying, classes_.Order(), particles, halo_, neighbors_);
  ++rebuilds_;
}

/// Ghosts and candidates of particles that are in the order of the cells. The arrays of the steps
/// until the next list get room for all candidates, so that they need not grow.
void TimeStep::BuildLists(Particles& particles, std::int64_t step, const ListReach& reach) {
  const bool is_jacobi = parameters_.solver.scheme == Scheme::kJacobi;
  const auto interface = is_jacobi ? InterfacePairs::kAll : InterfacePairs::kTreatedHere;
  halo_ = BuildHalo(communicator_, subdomains_, reach.skin, radii_.largest, interface, particles);
  KeepGhosts(communicator_,
             MarkNearGhosts(particles, classes_, halo_, reach.skin, detection_.places), halo_,
             particles);
  WallPoses(scene_, parameters_.dt, step, walls_);
  MarkShared(halo_.plan, particles.Size(), shared_);
  shared_contacts_ = 0;
  buffers_.before.reserve(particles.Size() - particles.owned);
  buffers_.split.reserve(particles.owned);
  BuildNeighborList(particles, classes_, halo_, scene_, walls_, reach, detection_.places,
                    neighbors_);
  const std::size_t candidates = neighbors_.Pairs() + neighbors_.walls.size();
  const std::size_t wall_bodies = scene_.walls.size() + neighbors_.walls.size();
  const std::size_t bodies = particles.Size() + wall_bodies;
  contacts_.reserve(candidates);
  if (!halo_.plan.IsEmpty()) spare_contacts_.reserve(candidates);
  bodies_.reserve(bodies + 1);
  batches_.Reserve(candidates, bodies);
  if (rolls_) batches_.ReserveRolling();
  if (projection_parameters_.sweeps > 0) projection_.Reserve(batches_, bodies, is_jacobi);
  displacement_buffers_.before.reserve(particles.Size() - particles.owned);
  displacement_buffers_.split.reserve(particles.owned);
  if (restitution_.Any()) impacts_.reserve(candidates);
  warm_start_.Reserve(candidates, rolls_);
  wall_bodies_.reserve(wall_bodies);
  inverse_masses_.reserve(bodies);
  counts_.here.reserve(bodies);
  counts_.of_body.reserve(bodies);
  if (is_jacobi) {
    mirrors_.reserve(candidates);
    keys_.reserve(bodies);
    Reserve(candidates, bodies, rolls_, jacobi_);
  }
  SetInverseMasses(particles, scene_, inverse_masses_);
  list_step_ = step;
  rebuild_due_ = false;
}

/// Ghosts and candidate pairs as they were built then, from the places of that time.
void TimeStep::RestoreList(State& state, const RestartPoint& point) {
  Particles& particles = state.particles;
  SCREE_DEMAND(point.reference.size() == particles.owned);
  std::vector<Vec3> now = point.reference;
  particles.position.swap(now);
  // They are in the order of the cells already.
  classes_.Sort(particles.position, particles.radius, point.reach.skin);
  BuildLists(particles, point.list_step, point.reach);
  warm_start_.Adopt(point.impulses, particles, neighbors_);
  std::copy(now.begin(), now.end(), particles.position.begin());
  RefreshGhosts(communicator_, halo_, particles);
}

void TimeStep::DemandNoneMissing(const State& state) const {
  const std::int64_t balance = communicator_.Sum(static_cast<std::int64_t>(state.particles.owned) -
                                                 state.inserted + state.deleted);
  if (balance == balance_) return;
  throw SimulationError(Text("particle count is wrong at step ", state.step, ": there should be ",
                             balance_, " besides those inserted and deleted, but there are ",
                             balance));
}

/// Nothing may cross the whole domain in one step.
void TimeStep::DemandValid(const State& state) const {
  const Domain& domain = subdomains_.WholeDomain();
  scree::DemandValid(communicator_, domain, parameters_.dt, domain.box.Extent().minCoeff(),
                     state.step, state.particles);
}

/// One reduction per step: a rank whose list does not cover the next step makes all rebuild; one
/// that found the state invalid makes all throw; the greatest request becomes that of all.
std::int64_t TimeStep::Agree(const State& state, std::int64_t request, const std::string& invalid) {
  WallPoses(scene_, parameters_.dt, state.step + 1, walls_);
  const bool covered =
      CoversNextStep(neighbors_, state.particles, walls_,
                     parameters_.dt * static_cast<double>(state.step + 1 - list_step_),
                     parameters_.dt, parameters_.dt * scene_.gravity, rule_.Reach(0.0));
  std::int64_t flags[3] = {!covered, !invalid.empty(), request};
  communicator_.Max(flags);
  rebuild_due_ = flags[0] != 0;
  if (flags[1] != 0) ThrowIfAny<SimulationError>(communicator_, invalid);
  return flags[2];
}

ContactProblem TimeStep::Problem() const {
  ContactProblem problem;
  for (std::size_t j = 0; j < contacts_.size(); ++j) problem.contacts.push_back(batches_.At(j));
  for (std::size_t j = 0; batches_.Rolls() && j < contacts_.size(); ++j) {
    problem.rolling.push_back(batches_.RollingAt(j));
  }
  return problem;
}

ContactSolution TimeStep::Solution() const { return {bodies_, Impulses(), RollingImpulses()}; }

std::vector<Vec3> TimeStep::Impulses() const {
  std::vector<Vec3> impulses(contacts_.size());
  for (std::size_t j = 0; j < impulses.size(); ++j) impulses[j] = batches_.Impulse(j);
  return impulses;
}

std::vector<Vec3> TimeStep::RollingImpulses() const {
  std::vector<Vec3> impulses(batches_.Rolls() ? contacts_.size() : 0);
  for (std::size_t j = 0; j < impulses.size(); ++j) impulses[j] = batches_.RollingImpulse(j);
  return impulses;
}

int TimeStep::Neighbors() const {
  const std::vector<ExchangePlan::Peer>& peers = halo_.plan.Peers();
  return static_cast<int>(std::ranges::count_if(
      peers, [&](const ExchangePlan::Peer& peer) { return peer.rank != communicator_.Rank(); }));
}

MemoryReport TimeStep::Memory(const State& state) const {
  MemoryReport report;
  report.particles = BytesOf(state.particles) + BytesOf(spare_) + BytesOf(halo_);
  report.bodies = BytesOf(detection_.places) + BytesOf(detection_.motions) + BytesOf(bodies_) +
                  BytesOf(mean_) + BytesOf(inverse_masses_);
  report.candidates = BytesOf(neighbors_) + classes_.Bytes();
  report.contacts = BytesOf(contacts_);
  report.batches = batches_.Bytes() + projection_.Bytes();
  report.sweep = SweepBytes(batches_);
  return report;
}

Observables TimeStep::Observe(const State& state) const {
  Observables observed =
      scree::Observe(communicator_, state.particles, inverse_masses_, contacts_, Impulses(),
                     bodies_.size() - wall_bodies_.size(), wall_loads_);
  observed.step = state.step;
  observed.time = parameters_.dt * static_cast<double>(state.step);
  observed.inserted = communicator_.Sum(state.inserted);
  observed.deleted = communicator_.Sum(state.deleted);
  observed.max_penetration_interval = communicator_.Max(max_penetration_);
  if (keeps_energy_) observed.energy = SumOverRanks(communicator_, state.energy);
  return observed;
}

SolveReport TimeStep::Report() const {
  const Residual here = ContactResidual(Problem(), Solution());
  const std::int64_t contacts = communicator_.Sum(here.contacts);
  SolveReport report = solved_;
  report.residual_max = communicator_.Max(here.max);
  const double square_sum = communicator_.Sum(here.square_sum);
  if (contacts > 0) report.residual_rms = std::sqrt(square_sum / static_cast<double>(contacts));
  return report;
}

}  // namespace scree
