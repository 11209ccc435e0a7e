#include "engine/time_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/cell_grid.hpp"
#include "engine/contact_assembly.hpp"
#include "engine/inflow.hpp"
#include "engine/integration.hpp"
#include "engine/lattice.hpp"
#include "engine/migration.hpp"
#include "engine/velocity_exchange.hpp"
#include "engine/wall_motion.hpp"
#include "solvers/block_gauss_seidel.hpp"
#include "solvers/residual.hpp"

namespace scree {
namespace {

struct RadiusRange {
  double smallest, largest;
};

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
  if (scene.inflow) include(scene.inflow->grain.radius);
  communicator.Max(range);
  return {-range[0], range[1]};
}

/// Neighbours in space become neighbours in memory.
void SortAlongCells(double cell_size, Particles& particles) {
  if (particles.Size() == 0) return;
  Select(particles, CellGrid(particles.position, cell_size).Order());
}

double DeepestOverlap(const std::vector<DetectedContact>& contacts) {
  double deepest = 0.0;
  for (const DetectedContact& contact : contacts) deepest = std::max(deepest, -contact.gap);
  return deepest;
}

}  // namespace

TimeStep::TimeStep(const Communicator& communicator, const Scene& scene,
                   const StepParameters& parameters, const Subdomains& subdomains, State& state)
    : communicator_(communicator),
      scene_(scene),
      parameters_(parameters),
      subdomains_(subdomains),
      rule_(MakeParticipationRule(scene, parameters)) {
  SCREE_DEMAND(subdomains.Count() == communicator.Size());
  const RadiusRange radii = Radii(communicator, scene, state.particles);
  largest_radius_ = radii.largest;
  // A skin of half a radius balances the rebuilds against the candidates in the list.
  skin_ = parameters.skin >= 0.0 ? parameters.skin : 0.5 * radii.largest;
  correction_speed_ = parameters.max_correction_speed >= 0.0 ? parameters.max_correction_speed
                                                             : 0.1 * radii.smallest / parameters.dt;
  subdomains_.DemandWidth(2.0 * largest_radius_ + skin_);
  state.particles.owned = state.particles.Size();
  balance_ = communicator.Sum(static_cast<std::int64_t>(state.particles.owned) - state.inserted +
                              state.deleted);
  state.deleted += RemoveOutflow(scene, state.particles);
  Rebuild(state);
  bodies_.resize(state.particles.Size() + scene.walls.size());
}

void TimeStep::Advance(State& state, const MotionWatcher& watcher) {
  Particles& particles = state.particles;
  const double dt = parameters_.dt;

  if (rebuild_due_) Rebuild(state);
  timer_.Mark(Phase::kNeighborList);

  const std::vector<Vec3> walls = WallDisplacements(scene_, dt, state.step);
  DetectContacts(particles, halo_, neighbors_, scene_, walls, rule_, contacts_);
  max_penetration_ = std::max(max_penetration_, DeepestOverlap(contacts_));
  timer_.Mark(Phase::kDetection);

  AssembleBodies(particles, inverse_masses_, scene_, dt, bodies_);
  const std::vector<Index> elsewhere =
      CountContactsElsewhere(communicator_, halo_.plan, contacts_, bodies_.size());
  AssembleContacts(contacts_, particles, scene_, parameters_, correction_speed_, bodies_, elsewhere,
                   batches_);
  timer_.Mark(Phase::kAssembly);

  VelocityExchange exchange(communicator_, halo_.plan, particles.owned, timer_);
  BlockGaussSeidel(parameters_.solver, exchange, batches_, bodies_);
  timer_.Mark(Phase::kSweeps);

  Integrate(bodies_, dt, particles);
  ++state.step;
  timer_.Mark(Phase::kIntegration);

  if (watcher) {
    watcher(particles);
    timer_.Mark(Phase::kOther);
  }

  state.deleted += RemoveOutflow(scene_, particles);
  rebuild_due_ = RebuildIsDue(state);
  if (LayerIsDue(scene_, dt, state.step)) {
    Resize(particles, particles.owned);
    const auto owns = [this](const Vec3& place) {
      return subdomains_.OwnerOf(place) == communicator_.Rank();
    };
    state.inserted += InsertLayer(scene_, dt, state.step, state.next_id, owns, particles);
    inverse_masses_ = InverseMasses(particles, scene_);
    rebuild_due_ = true;
  }
  timer_.Mark(Phase::kIntegration);
}

/// Particles go home, are sorted, and get ghosts and candidate pairs.
void TimeStep::Rebuild(State& state) {
  Particles& particles = state.particles;
  Migrate(communicator_, subdomains_, particles);
  DemandNoneMissing(state);
  const double skin = SkinFor(particles);
  const double reach = 2.0 * largest_radius_ + skin;
  SortAlongCells(reach, particles);
  halo_ = BuildHalo(communicator_, subdomains_, reach, particles);
  neighbors_ = BuildNeighborList(particles, halo_, scene_,
                                 WallDisplacements(scene_, parameters_.dt, state.step), skin,
                                 communicator_.Rank());
  inverse_masses_ = InverseMasses(particles, scene_);
  rebuild_due_ = false;
  ++rebuilds_;
}

/// The chosen skin, or more if something moves farther than half of it in a single step.
double TimeStep::SkinFor(const Particles& particles) const {
  double squared = 0.0;
  for (const Vec3& v : particles.velocity) squared = std::max(squared, v.squaredNorm());
  for (const Wall& wall : scene_.walls) squared = std::max(squared, wall.velocity.squaredNorm());
  const double speed =
      communicator_.Max(std::sqrt(squared)) + parameters_.dt * scene_.gravity.norm();
  constexpr double kRounding = 1.001;
  const double needed = kRounding * (2.0 * parameters_.dt * speed + rule_.Reach(0.0));
  if (needed <= skin_) return skin_;
  if (2.0 * largest_radius_ + needed > subdomains_.LargestReach()) {
    throw SimulationError(Text("the fastest particle moves at ", speed, " m/s, ",
                               parameters_.dt * speed, " m in one step of ", parameters_.dt,
                               " s: too far for subdomains that are ", subdomains_.LargestReach(),
                               " m wide; use a shorter step or fewer ranks"));
  }
  return needed;
}

void TimeStep::DemandNoneMissing(const State& state) const {
  const std::int64_t balance = communicator_.Sum(static_cast<std::int64_t>(state.particles.owned) -
                                                 state.inserted + state.deleted);
  if (balance == balance_) return;
  throw SimulationError(Text("particle count is wrong at step ", state.step, ": there should be ",
                             balance_, " besides those inserted and deleted, but there are ",
                             balance));
}

/// One reduction per step: a rank whose list does not cover the next step makes all rebuild.
bool TimeStep::RebuildIsDue(const State& state) const {
  const bool covered = CoversNextStep(
      neighbors_, state.particles, WallDisplacements(scene_, parameters_.dt, state.step + 1),
      parameters_.dt, parameters_.dt * scene_.gravity, rule_.Reach(0.0));
  return communicator_.Max(static_cast<std::int64_t>(!covered)) != 0;
}

ContactProblem TimeStep::Problem() const {
  ContactProblem problem;
  for (std::size_t j = 0; j < batches_.Size(); ++j) problem.contacts.push_back(batches_.At(j));
  return problem;
}

ContactSolution TimeStep::Solution() const {
  ContactSolution solution;
  solution.bodies = bodies_;
  for (std::size_t j = 0; j < batches_.Size(); ++j) {
    solution.impulses.push_back(batches_.Impulse(j));
  }
  return solution;
}

Observables TimeStep::Observe(const State& state) const {
  Observables observed = scree::Observe(communicator_, state.particles, inverse_masses_, contacts_,
                                        Solution().impulses, bodies_.size() - scene_.walls.size());
  observed.step = state.step;
  observed.time = parameters_.dt * static_cast<double>(state.step);
  observed.inserted = communicator_.Sum(state.inserted);
  observed.deleted = communicator_.Sum(state.deleted);
  observed.max_penetration_interval = communicator_.Max(max_penetration_);
  return observed;
}

SolveReport TimeStep::Report() const {
  const Residual here = ContactResidual(Problem(), Solution());
  const std::int64_t contacts = communicator_.Sum(here.contacts);
  SolveReport report;
  report.sweeps = parameters_.solver.sweeps;
  report.residual_max = communicator_.Max(here.max);
  const double square_sum = communicator_.Sum(here.square_sum);
  if (contacts > 0) report.residual_rms = std::sqrt(square_sum / static_cast<double>(contacts));
  return report;
}

}  // namespace scree
