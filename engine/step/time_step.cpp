#include "engine/step/time_step.hpp"

#include <algorithm>

#include "engine/contacts/contact_assembly.hpp"
#include "engine/particles/inflow.hpp"
#include "engine/ranks/collective_error.hpp"
#include "engine/step/automatic_sweeps.hpp"
#include "engine/step/insertion.hpp"
#include "engine/step/integration.hpp"
#include "engine/step/validity.hpp"

namespace scree {
namespace {

/// RemoveOutflow, with the bonds of the particles, so that output of this step has none of them.
/// Collective in scenes with bonds.
std::int64_t RemoveWithBonds(const StepSetup& setup, const Halo& halo, Particles& particles,
                             BondTable& bonds) {
  const std::int64_t removed = RemoveOutflow(setup.scene, particles);
  if (!setup.scene.bonds.empty() && setup.communicator.Max(removed) > 0) {
    bonds.Bind(setup.communicator, particles, halo, setup.scheme.ghost_contacts);
  }
  return removed;
}

}  // namespace

TimeStep::TimeStep(const Communicator& communicator, const Scene& scene,
                   const StepParameters& parameters, const Subdomains& subdomains, State& state,
                   const RadiusRange& radii)
    : StepView(StepSetup(
          communicator, scene, parameters, subdomains, radii,
          communicator.Sum(CountLive(state.particles) - state.inserted + state.deleted))) {
  setup_.PlaceCell(state.cell);
  RoundVelocities(setup_.scene, parameters, state.particles);
}

TimeStep::TimeStep(const Communicator& communicator, const Scene& scene,
                   const StepParameters& parameters, const Subdomains& subdomains, State& state)
    : TimeStep(communicator, scene, parameters, subdomains,
               InitialiseOwned(state, scene, parameters),
               RadiiOf(communicator, scene, state.particles)) {
  state.deleted += RemoveOutflow(scene, state.particles);
  RequireValid(setup_, state, Length());
  CutByParticles(setup_, state.particles, {});
  adaptive_.steps_done = state.step;
  PlanStep(state, 0.0);
  adaptive_.stride = EndOfNextStep(state) - state.step;
  setup_.SetStride(adaptive_.stride);
  Rebuild(state);
  if (!setup_.IsBalanced()) return;
  CutByContacts(setup_, state, lists_);
  Rebuild(state);
  --rebuilds_;  // the two rebuilds count as one
}

TimeStep::TimeStep(const Communicator& communicator, const Scene& scene,
                   const StepParameters& parameters, const Subdomains& subdomains, State& state,
                   const RestartPoint& point)
    : TimeStep(communicator, scene, parameters, subdomains,
               InitialiseOwned(state, scene, parameters),
               Union(point.radii, RadiiOf(communicator, scene, state.particles))) {
  diagnostics_.max_penetration = point.max_penetration;
  diagnostics_.interval_loads = point.wall_loads;
  rebuilds_ = point.rebuilds;
  balance_ = point.balance;
  adaptive_ = point.adaptive;
  sweeps_ = point.sweeps;
  bonds_.table.Restore(point.bonds, point.bond_counts);
  bonds_.born_until = point.bonds_born_until;
  bonds_.close_from = point.bonds_close_from;
  bonds_.is_undecided = point.bonds_are_undecided;
  if (parameters.automatic_sweeps) setup_.sweeps = static_cast<int>(sweeps_.sweeps);
  setup_.SetStride(adaptive_.stride);
  if (adaptive_.next_stride == 0) PlanStep(state, 0.0);
  if (point.rebuild_due || point.redistributed) RequireValid(setup_, state, Length());
  if (point.redistributed) CutByParticles(setup_, state.particles, point.impulses);
  if (point.rebuild_due || !ListsFitSubdomains(setup_, point, state)) {
    setup_.PlaceSubdomains(state.step);
    warm_start_.ScatterToOwners(communicator, setup_.subdomains, state.particles, point.impulses);
  } else {
    RestoreLists(setup_, point, state, warm_start_, bonds_.table, contacts_.buffers.spheres.packed,
                 lists_);
    ReserveMemory(state.particles);
  }
  SetInverseMasses(state.particles, scene, solve_.inverse_masses);
}

/// The stages of a step, in the order of engine/README.md.
std::int64_t TimeStep::Advance(State& state, const MotionWatcher& watcher, std::int64_t request,
                               std::int64_t until, const BodyForces* program_forces) {
  Particles& particles = state.particles;
  WarmStart* const warm_start = setup_.parameters.warm_start ? &warm_start_ : nullptr;
  solve_.last_dt = LastLength();
  BeginStep(StrideOfNext(state, until, program_forces), state);
  setup_.PlaceCell(state.cell);  // a copy of this TimeStep may have changed the shared scene

  ComputeForces(state, solve_.last_dt, program_forces);
  if (lists_.is_due) Rebuild(state);
  GatherKicks(setup_.communicator, lists_.halo, solve_.forces);
  ShearImages(state.step);
  timer_.Mark(Phase::kNeighborList);

  FindContacts(setup_, setup_.rule, state.step, state.free_walls, particles,
               ComputeKickedVelocities(setup_, particles, solve_.forces), lists_, warm_start,
               bonds_, contacts_);
  FindTouching(state);
  std::string invalid = DescribeDetectionError(setup_, particles, contacts_);
  timer_.Mark(Phase::kDetection);

  solve_.cell.Begin(setup_, setup_.TimeOf(state.step + setup_.stride), state.cell, particles,
                    solve_.inverse_masses, contacts_, lists_.halo);
  AssembleProblem(setup_, particles, contacts_, warm_start, lists_, solve_,
                  HasProjection(setup_) ? &projection_.positions : nullptr);
  AssembleBonds(setup_, particles, contacts_, warm_start, bonds_, solve_);
  NonBlockingMax deepest(setup_.communicator);  // reduced during the solve
  deepest.Send(contacts_.deepest);
  timer_.Mark(Phase::kAssembly);

  SolveProblem(setup_, particles, contacts_, lists_.halo, timer_, solve_);
  SolveBonds(setup_, particles, contacts_, lists_.halo, timer_, solve_, bonds_);
  MeasureSolve(particles);
  if (invalid.empty()) invalid = jam_detector_.Check(setup_, particles, contacts_, solve_);
  const double global_deepest = deepest.Take();
  ProjectPositions(setup_, particles, global_deepest, lists_.halo.plan, timer_, solve_,
                   projection_);
  if (warm_start != nullptr) {
    warm_start_.Store(contacts_.owned, contacts_.owned.SharedCount(), contacts_.ghosts,
                      contacts_.wall_bodies, solve_.batches, projection_.positions);
  }
  const double stored_bond_energy =
      UpdateBonds(setup_, particles, contacts_, solve_, lists_, warm_start, bonds_);
  timer_.Mark(Phase::kSweeps);

  FinishForces(setup_, particles, solve_.forces, solve_.inverse_masses, solve_.bodies);
  RecordStep(setup_, particles, contacts_, solve_, projection_, lists_.halo, diagnostics_);
  if (diagnostics_.keeps_energy) diagnostics_.energy.dissipated -= stored_bond_energy;
  timer_.Mark(Phase::kOther);

  MoveParticles(setup_, solve_, projection_.positions, particles);
  DeformCell(state);
  if (setup_.HasMovingImages()) GatherMotion(setup_.communicator, lists_.halo, particles);
  solve_.free_walls.Move(setup_.scene, setup_.parameters.dt, setup_.stride, state.free_walls);
  state.step += setup_.stride;
  ++adaptive_.steps_done;
  timer_.Mark(Phase::kIntegration);

  if (watcher) {
    watcher(particles);
    timer_.Mark(Phase::kOther);
  }

  state.deleted += RemoveWithBonds(setup_, lists_.halo, particles, bonds_.table);
  RecordMotion(setup_, particles, solve_, diagnostics_);
  RecordFrameWork(RotateContactKicks(setup_, solve_.forces, particles), diagnostics_);
  PlanStep(state, global_deepest);
  request = Agree(state, request, invalid);
  timer_.Mark(Phase::kIntegration);

  lists_.is_due |= Balance(setup_, state, adaptive_.steps_done, lists_, contacts_,
                           solve_.report.sweeps, balance_);
  timer_.Mark(Phase::kBalance);

  const double longest_step = InsertParticles(state);
  state.energy += diagnostics_.energy;
  if (lists_.is_due) RequireValid(setup_, state, longest_step);  // before output is written
  timer_.Mark(Phase::kIntegration);
  return request;
}

/// Number of base steps of the next step: the planned number, unless a required time or the
/// caller's forces make the step shorter.
std::int64_t TimeStep::StrideOfNext(const State& state, std::int64_t until,
                                    const BodyForces* program_forces) const {
  const std::int64_t stride = EndOfNextStep(state, until) - state.step;
  if (program_forces == nullptr || !setup_.limits.is_automatic) return stride;
  const double allowed = StepUnderForces(setup_.communicator, setup_.scene, setup_.limits,
                                         state.particles, *program_forces);
  return std::min(stride, StrideOf(setup_.limits, allowed));
}

/// Finds the contacts that touch at the beginning of the step, or copies the particles for a later
/// search, if touching contacts are kept.
void TimeStep::FindTouching(const State& state) {
  touching_.reset();
  particles_before_.reset();
  if (touching_search_ == TouchingSearch::kNone) return;
  // Moving images have other positions after the step, so that the search cannot wait.
  if (touching_search_ == TouchingSearch::kOnRead && !setup_.HasMovingImages()) {
    particles_before_ = state.particles;
  } else {
    touching_ = FindTouchingContacts(state.particles);
  }
}

/// Measures the error of the finished solve, if the caller or automatic sweeps require it.
void TimeStep::MeasureSolve(const Particles& particles) {
  solve_error_.reset();
  const std::int64_t step = adaptive_.steps_done + 1;
  const bool adapts_sweeps = IsMeasurementDue(setup_.parameters, step, sweeps_);
  ContactLoads loads;
  if (setup_.parameters.automatic_sweeps && (adapts_sweeps || step % kLoadsInterval == 0)) {
    loads = FindContactLoads(setup_.communicator, contacts_.owned.All(), solve_.batches, Length());
    if (!adapts_sweeps) CheckLoads(loads, step, sweeps_);
  }
  if (!keeps_solve_error_ && !adapts_sweeps) return;
  timer_.Mark(Phase::kSweeps);
  solve_error_ = MeasureSolveError(setup_, particles, contacts_, lists_.halo, solve_);
  if (adapts_sweeps) AdaptSweeps(setup_.parameters, *solve_error_, step, loads, sweeps_);
  timer_.Mark(Phase::kOther);
}

/// Inserts the particles that are due.
/// @returns the longest possible next step, for RequireValid [s]
double TimeStep::InsertParticles(State& state) {
  const std::size_t first_new = state.particles.owned;
  if (!InsertDue(setup_, state, solve_.inverse_masses)) return Length();
  RecordInserted(setup_, first_new, state.particles, solve_, diagnostics_);
  lists_.is_due = true;
  ShortenPlan(state);
  if (!setup_.limits.is_automatic) return Length();
  return std::min(Length(), setup_.TimeOf(adaptive_.next_stride));
}

void TimeStep::PlanStep(const State& state, double deepest) {
  if (!setup_.limits.is_automatic) return;
  // With bonds, forces set no limit: impulses contain strengths of bonds, which do not move bodies.
  if (adaptive_.steps_done % kForceLimitInterval == 0 && setup_.scene.bonds.empty()) {
    adaptive_.force_limit =
        ForceStepLimit(setup_.communicator, setup_.limits, contacts_.owned.All(), solve_.batches,
                       solve_.inverse_masses, Length());
  }
  const bool has_large_overlaps =
      CanShorten(adaptive_) &&
      AreOverlapsTooLarge(setup_.communicator, setup_.limits, contacts_.owned.All(),
                          solve_.impact_order.Ordered(), deepest);
  try {
    PlanStride(setup_.limits, LongestNextStep(state), has_large_overlaps, adaptive_);
  } catch (const SimulationError&) {  // on all ranks: no step is short enough, for example in a jam
    ThrowIfAny<SimulationError>(setup_.communicator, jam_detector_.LastJam());
    throw;
  }
}

double TimeStep::LongestNextStep(const State& state) const {
  return AllowedStep(setup_.communicator, setup_.scene, setup_.limits, state.step, state.particles,
                     state.free_walls, adaptive_);
}

/// Shortens the planned step if changes since the plan require it.
void TimeStep::ShortenPlan(const State& state) {
  if (!setup_.limits.is_automatic) return;
  adaptive_.next_stride =
      std::min(adaptive_.next_stride, StrideOf(setup_.limits, LongestNextStep(state)));
}

/// Sets the stride of the step, and scales the stored impulses to it.
void TimeStep::BeginStep(std::int64_t stride, State& state) {
  if (setup_.parameters.automatic_sweeps && setup_.sweeps != sweeps_.sweeps) {
    setup_.sweeps = static_cast<int>(sweeps_.sweeps);
    setup_.SetStride(setup_.stride);
  }
  if (stride == adaptive_.stride) return;
  warm_start_.Scale(static_cast<double>(stride) / static_cast<double>(adaptive_.stride));
  const double last_length = Length();
  std::span<const Flight> flights;
  if (adaptive_.steps_done > 0 && setup_.scene.HasBodyForces()) {
    FindFlights(setup_, state.step, last_length, state.particles, solve_.forces);
    // If lists are due, ghosts are removed anyway, and need no flights.
    if (!lists_.is_due) {
      lists_.halo.plan.Gather(setup_.communicator, std::span(solve_.forces.flights));
    }
    flights = solve_.forces.flights;
  }
  setup_.SetStride(stride);
  if (adaptive_.steps_done > 0) {
    const ShiftEnergy shift_energy = ShiftFlights(setup_.scene.gravity, flights, last_length,
                                                  Length(), solve_.inverse_masses, state.particles);
    if (diagnostics_.keeps_energy) {
      state.energy.kinetic += shift_energy.of_weight + shift_energy.of_body_forces;
      state.energy.forces += shift_energy.of_weight;
      state.energy.body_forces += shift_energy.of_body_forces;
    }
  }
  adaptive_.stride = stride;
}

/// Computes the forces of this step except weight and contacts. If such forces act, lists that do
/// not cover the step become due.
/// @param last_length  LastLength before this step
void TimeStep::ComputeForces(State& state, double last_length, const BodyForces* program_forces) {
  ComputeKicks(setup_, state.step, last_length, state.particles, program_forces, solve_.forces);
  if (!solve_.forces.are_active) return;
  const std::span<const Vec3> velocities =
      ComputeKickedVelocities(setup_, state.particles, solve_.forces);
  // The last check of the lists used the velocities before these forces.
  const bool is_covered =
      lists_.is_due ||
      ListsCoverNextStep(setup_, state, velocities, setup_.stride, solve_.cell.MaxRate(), lists_);
  double maxima[2] = {solve_.forces.max_kick, is_covered ? 0.0 : 1.0};
  setup_.communicator.Max(maxima);
  solve_.forces.max_kick = maxima[0];
  if (maxima[1] != 0.0) lists_.is_due = true;
  if (lists_.is_due) RequireValid(setup_, state, velocities, Length());
  timer_.Mark(Phase::kAssembly);
}

void TimeStep::EndEdit(State& state) {
  Particles& particles = state.particles;
  Resize(particles, particles.owned);
  ThrowIfAny<InputError>(setup_.communicator,
                         DescribeImpossible(setup_.scene, setup_.radii, particles));
  for (Quaternion& q : particles.orientation) q = Normalized(q);
  RoundVelocities(setup_.scene, setup_.parameters, particles);
  // The next step may be as short as a base step, in which higher velocities are valid.
  RequireValid(setup_, state, setup_.limits.is_automatic ? setup_.base : setup_.parameters.dt);
  SetInverseMasses(particles, setup_.scene, solve_.inverse_masses);
  lists_.is_due = true;
  ShortenPlan(state);
}

void TimeStep::UpdateAfterSteering(const State& state, bool was_at_rest) {
  ShortenPlan(state);
  if (was_at_rest) lists_.is_due = true;  // new lists reserve memory for the wall's patches
  if (!lists_.is_due) Agree(state, 0, {});
}

/// Moves the periodic images of a sheared domain to the beginning of a step.
void TimeStep::ShearImages(std::int64_t step) {
  if (!setup_.HasMovingImages()) return;
  const double current_time = setup_.TimeOf(step), build_time = setup_.TimeOf(lists_.built_at);
  MoveImages(PeriodicImages(setup_.scene.domain, current_time, build_time), lists_.halo);
}

/// Moves the cell, its domain and its images to the end of the step.
void TimeStep::DeformCell(State& state) {
  if (setup_.deforming_scene == nullptr) return;
  solve_.cell.Move(state.cell);
  setup_.PlaceCell(state.cell);
  MoveImages(PeriodicImages(setup_.scene.domain), lists_.halo);
}

void TimeStep::Rebuild(State& state) {
  if (setup_.deforming_scene != nullptr) {
    RenumberImages(setup_.scene.domain.shear, state.cell);
    setup_.PlaceCell(state.cell);
  }
  setup_.PlaceSubdomains(state.step);
  RecordRemap(setup_, state.particles, solve_, diagnostics_, state.energy);
  RebuildLists(setup_, state, warm_start_, solve_.forces, bonds_.table,
               contacts_.buffers.spheres.packed, lists_);
  ReserveMemory(state.particles);
  ++rebuilds_;
}

void TimeStep::ReserveMemory(const Particles& particles) {
  Reserve(setup_, lists_, contacts_);
  Reserve(setup_, lists_, particles, solve_);
  Reserve(setup_, particles, solve_, lists_.halo.plan, projection_);
  solve_.impact_order.Reserve(setup_, lists_.Candidates(), particles.Size(), lists_.halo.plan);
  warm_start_.Reserve(lists_.Candidates(), setup_.scene.ActiveLaws());
  SetInverseMasses(particles, setup_.scene, solve_.inverse_masses);
}

/// The last reduction of a step. If the list of one rank does not cover the next step, all ranks
/// rebuild. If one rank found the state invalid, all ranks throw. All ranks get the largest
/// request.
std::int64_t TimeStep::Agree(const State& state, std::int64_t request, const std::string& invalid) {
  const std::int64_t next_stride = setup_.limits.is_automatic ? adaptive_.next_stride : 1;
  const bool is_covered = ListsCoverNextStep(setup_, state, state.particles.velocity, next_stride,
                                             solve_.cell.MaxRate(), lists_);
  // Forces can make a rotation invalid while the lists still cover all centres. The lists are then
  // due too, because RequireValid is called when they are.
  const bool are_valid = !solve_.forces.are_active || AreSpeedsValid(setup_, state, Length());
  std::int64_t flags[3] = {!(is_covered && are_valid), !invalid.empty(), request};
  setup_.communicator.Max(flags);
  lists_.is_due = flags[0] != 0;
  if (flags[1] != 0) ThrowIfAny<SimulationError>(setup_.communicator, invalid);
  return flags[2];
}

bool TimeStep::ListsCover(const State& state) {
  if (lists_.is_due) return true;
  const std::int64_t next_stride = setup_.limits.is_automatic ? adaptive_.next_stride : 1;
  const bool is_covered = ListsCoverNextStep(setup_, state, state.particles.velocity, next_stride,
                                             solve_.cell.MaxRate(), lists_);
  return setup_.communicator.Max(std::int64_t{!is_covered}) == 0;
}

void TimeStep::StartInterval(State& state) {
  diagnostics_.max_penetration = 0.0;
  for (FreeWallState& wall : state.free_walls) wall.StartRow();
  diagnostics_.interval_loads = StartWallLoadSums(diagnostics_.wall_loads.size());
}

}  // namespace scree
