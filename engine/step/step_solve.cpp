#include "engine/step/step_solve.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <type_traits>

#include "engine/contacts/contact_assembly.hpp"
#include "engine/contacts/ghost_contacts.hpp"
#include "engine/contacts/law_assembly.hpp"
#include "engine/ranks/coarse_exchange.hpp"
#include "engine/step/coupled_sync.hpp"
#include "engine/step/impulse_line_search.hpp"
#include "solvers/sweeps/residual.hpp"

namespace scree {
namespace {

ContactLaw LawOf(const StepSetup& setup) {
  const bool is_coulomb = setup.parameters.solver.kernel == Kernel::kCoulomb;
  return is_coulomb ? ContactLaw::kCoulomb : ContactLaw::kMaxDissipation;
}

/// The rigid bodies for the assembly: a null span if all bodies are spheres. A list of rigid bodies
/// never gives a null span, even if it is empty.
std::span<const RigidBody> RigidBodiesOf(const std::vector<SphereBody>&) { return {}; }
std::span<const RigidBody> RigidBodiesOf(const std::vector<RigidBody>& bodies) { return bodies; }

/// Whether, before the solve, most particles moved faster than particles of a bed at rest.
/// Collective.
bool IsFlowing(const StepSetup& setup, const Particles& particles) {
  const double limit = setup.coarse.max_median_speed * setup.coarse.max_median_speed;
  std::int64_t counts[2] = {};  // all particles, fast particles
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    ++counts[0];
    counts[1] += particles.velocity[i].squaredNorm() > limit ? 1 : 0;
  }
  setup.communicator.Sum(counts);
  return 2 * counts[1] > counts[0];
}

/// The coarse correction of the solve, if the scene has coarse levels.
template <class Body>
void CorrectCoarsely(const StepSetup& setup, const Particles& particles,
                     const StepContacts& contacts, ExchangePlan& plan, VelocitySyncOf<Body>& sync,
                     StepSolve& solve, std::vector<Body>& bodies) {
  if (!setup.coarse.IsActive() || IsFlowing(setup, particles)) return;
  solve.heights.resize(particles.Size());
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    solve.heights[i] = setup.coarse.up.dot(particles.position[i]);
  }
  const CoarseInput input = {.owned = particles.owned,
                             .fixed = particles.Size(),
                             .owned_contacts = contacts.owned.size(),
                             .sides = setup.scheme.ghost_contacts ? &solve.scheme.jacobi : nullptr};
  CoarseExchange sums(setup.communicator, plan);
  if (solve.coarse.Correct(setup.coarse, input, sums, solve.heights, solve.batches, bodies)) {
    sync.Gather(bodies);
  }
}

/// Does sweeps and adds their report to the report of the step.
template <class Body>
void Sweep(const StepSetup& setup, const Particles& particles, VelocitySyncOf<Body>& sync,
           StartingImpulses impulses, StepSolve& solve, std::vector<Body>& bodies) {
  const SolveReport before = solve.report;
  solve.report = SolveByScheme(setup.parameters.solver, InputOfScheme(particles, solve), sync,
                               impulses, solve.batches, bodies, solve.scheme);
  solve.report.sweeps += before.sweeps;
  solve.report.scalar_relaxations += before.scalar_relaxations;
}

/// Does sweeps, and scales or corrects impulses that sweeps alone cannot find.
template <class Body>
void SolveWithSearches(const StepSetup& setup, const Particles& particles,
                       const StepContacts& contacts, ExchangePlan& plan, VelocitySyncOf<Body>& sync,
                       StepSolve& solve, std::vector<Body>& bodies) {
  const auto sweep = [&](StartingImpulses start) {
    Sweep(setup, particles, sync, start, solve, bodies);
  };
  ImpulseLineSearch<Body> search(setup, particles, contacts, solve, bodies);
  const auto scale = [&](double factor) {
    search.Scale(factor);
    sync.Gather(bodies);
    if (solve.report.converged) solve.report.converged = false;
  };
  const bool has_start = setup.parameters.warm_start || HasGivenLaw(solve.batches.Laws());
  sweep(has_start ? StartingImpulses::kToApply : StartingImpulses::kApplied);
  for (double factor; !solve.cell.IsStressDriven() && (factor = search.HeavyBodyScale()) != 1.0;) {
    scale(factor);
    sweep(StartingImpulses::kApplied);
  }
  CorrectCoarsely(setup, particles, contacts, plan, sync, solve, bodies);
  if (solve.cell.IsStressDriven()) return;  // scaled impulses would not match the rates of the cell
  const double factor = search.EnergyGainScale();
  if (factor == 1.0) return;
  scale(factor);
  sweep(StartingImpulses::kApplied);
  // These sweeps must not let contacts add energy either.
  if (const double last_factor = search.EnergyGainScale(); last_factor < 1.0) scale(last_factor);
}

/// Calls solve_with(sync, bodies), where sync synchronises the bodies of all ranks, free walls and
/// the cell.
template <class SolveWith>
void CallWithSync(const StepSetup& setup, const Particles& particles, Halo& halo, PhaseTimer& timer,
                  StepSolve& solve, SolveWith&& solve_with) {
  const Communicator& communicator = setup.communicator;
  const PeriodicImages& images = setup.subdomains.Images();
  const bool needs_rounding = images.AreMoving() && setup.scheme.ghost_contacts;
  const MovingImages moving = {halo.velocity, needs_rounding ? &images : nullptr};
  VisitBodies(solve.bodies, [&]<class Body>(BodiesOf<Body>& typed) {
    VelocityExchangeOf<VelocitiesOf<Body>> exchange(communicator, halo.plan, particles.owned, timer,
                                                    typed.buffers, moving);
    const bool has_driven_cell = solve.cell.IsStressDriven();  // such scenes have no walls
    const auto update = [&](std::span<Body> bodies) {
      if (has_driven_cell) return solve.cell.UpdateFromImpulses(solve.batches, bodies);
      solve.free_walls.UpdateFromImpulses(communicator, solve.batches, bodies);
    };
    CoupledVelocitySync<Body> coupled(exchange, has_driven_cell, std::cref(update));
    VelocitySyncOf<Body>* sync = &exchange;
    if (has_driven_cell || solve.free_walls.HasTrees()) sync = &coupled;
    solve_with(*sync, typed.all);
  });
}

/// Computes the data that follow from the impulses.
void FinishSolve(const StepSetup& setup, Halo& halo, StepSolve& solve) {
  if (setup.scene.cell.IsActive()) solve.cell.Finish(solve.batches);
  solve.impact_order.FindShifts(setup, solve.inverse_masses, solve.batches, halo.plan);
}

template <class Body>
void Assemble(const StepSetup& setup, const Particles& particles, StepContacts& contacts,
              const WarmStart* warm_start, ExchangePlan& plan, StepSolve& solve,
              std::vector<Body>& bodies, PositionProjection* positions) {
  const StepParameters& parameters = setup.parameters;
  const std::size_t count = particles.Size() + contacts.wall_bodies.size();
  // The communication of the counts overlaps with the assembly of the bodies.
  std::span<const DetectedContact> counted_contacts = contacts.owned;
  if (!setup.scheme.ghost_contacts)
    counted_contacts = counted_contacts.first(contacts.owned.SharedCount());
  solve.counts.Start(setup.scheme, setup.communicator, plan, counted_contacts, contacts.ghosts,
                     count);
  AddDragToMasses(solve.forces, solve.inverse_masses);
  AssembleBodies(particles, solve.inverse_masses, setup.scene, contacts.wall_bodies,
                 solve.forces.KicksOf(setup), bodies);
  solve.counts.StartGather(setup.communicator, plan);
  // The number of patches changes from step to step, so every patch needs a new mass.
  solve.inverse_masses.resize(particles.Size());
  solve.inverse_masses.resize(count, 0.0);
  solve.free_walls.Begin(setup.communicator, setup.scene, particles, contacts,
                         solve.inverse_masses);
  solve.free_walls.SetPatchMasses(std::span(bodies));
  solve.counts.FinishGather(plan);
  const ContactInput input = {.detected = contacts.owned.All(),
                              .ghosts = contacts.ghosts.All(),
                              .shared = contacts.owned.SharedCount(),
                              .particles = particles,
                              .scene = setup.scene,
                              .walls = contacts.wall_bodies,
                              .inverse_masses = solve.inverse_masses,
                              .kicks = solve.forces.KicksOf(setup),
                              .counts = solve.counts.PerBody(),
                              .warm_start = warm_start,
                              .rigid = RigidBodiesOf(bodies),
                              .last_dt = solve.last_dt,
                              .held_gap = setup.held_gap};
  AssembleContacts(input, parameters, setup.correction_speed, setup.friction, setup.restitution,
                   solve.batches, solve.impacts, positions);
  solve.impact_order.Clear();
  if (ImpactOrder::IsUsed(setup) && !input.kicks.HasForces()) {
    solve.impact_order.Apply(setup, particles, contacts, warm_start, solve.impacts,
                             solve.inverse_masses, plan, solve.batches, positions);
    contacts.deepest = solve.impact_order.MaxUnorderedOverlap(contacts);
  }
  const bool has_laws = setup.scene.HasActiveLaw();
  if (has_laws) {
    SetPatchRotations(contacts.owned, particles, contacts.wall_bodies, contacts.walls, bodies);
    AssembleLaws(input, parameters, setup.restitution, solve.batches);
  }
  solve.free_walls.SetUp(has_laws, bodies);
  if (setup.scene.cell.IsActive()) solve.cell.SetUp(std::span<Body>(bodies));
}

}  // namespace

void Reserve(const StepSetup& setup, const CandidateLists& lists, const Particles& particles,
             StepSolve& solve) {
  const std::size_t candidates = lists.Candidates();
  const std::size_t bodies = particles.Size() + MaxWallBodies(setup.scene, lists.neighbors);
  const LawFlags laws = setup.scene.ActiveLaws();
  solve.inverse_masses.reserve(bodies);
  VisitBodies(solve.bodies, [&](auto& typed) {
    typed.all.reserve(bodies + 1);
    typed.buffers.reserve(particles.Size() - particles.owned);
    solve.batches.Reserve(candidates, bodies, laws, typed.kKind);
  });
  solve.scheme.order.Reserve(solve.batches.Colouring());
  if (setup.restitution.CanRebound()) solve.impacts.reserve(candidates);
  solve.counts.Reserve(bodies);
  if (setup.scheme.ghost_contacts) solve.keys.reserve(bodies);
  if (setup.coarse.IsActive()) {
    solve.heights.reserve(bodies + 1);
    solve.coarse.Reserve(solve.batches, bodies);
  }
  Reserve(setup.parameters.solver, candidates, bodies, laws, solve.scheme);
}

void AssembleProblem(const StepSetup& setup, const Particles& particles, StepContacts& contacts,
                     const WarmStart* warm_start, CandidateLists& lists, StepSolve& solve,
                     PositionProjection* positions) {
  VisitBodies(solve.bodies, [&](auto& typed) {
    Assemble(setup, particles, contacts, warm_start, lists.halo.plan, solve, typed.all, positions);
  });
  if (solve.keeps_guess) solve.guess = ImpulsesOf(contacts, solve);
}

SchemeInput InputOfScheme(const Particles& particles, const StepSolve& solve) {
  return {.owned = particles.owned, .keys = solve.keys};
}

void SolveProblem(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                  Halo& halo, PhaseTimer& timer, StepSolve& solve) {
  if (setup.scheme.ghost_contacts) SetBodyKeys(particles, contacts.wall_bodies, solve.keys);
  const Traffic sent = setup.communicator.Sent();
  solve.report = {};
  CallWithSync(setup, particles, halo, timer, solve, [&](auto& sync, auto& bodies) {
    SolveWithSearches(setup, particles, contacts, halo.plan, sync, solve, bodies);
  });
  FinishSolve(setup, halo, solve);
  solve.sent += setup.communicator.Sent() - sent;
}

void AddSweeps(const StepSetup& setup, const Particles& particles, Halo& halo, int sweeps,
               PhaseTimer& timer, StepSolve& solve) {
  const Traffic sent = setup.communicator.Sent();
  const SolveReport before = solve.report;
  SolverParameters parameters = setup.parameters.solver;
  parameters.sweeps = sweeps;
  parameters.tolerance = 0.0;
  CallWithSync(setup, particles, halo, timer, solve, [&](auto& sync, auto& bodies) {
    solve.report = SolveByScheme(parameters, InputOfScheme(particles, solve), sync,
                                 StartingImpulses::kApplied, solve.batches, bodies, solve.scheme);
  });
  solve.report.sweeps += before.sweeps;
  solve.report.scalar_relaxations += before.scalar_relaxations;
  solve.report.converged = before.converged;
  FinishSolve(setup, halo, solve);
  solve.sent += setup.communicator.Sent() - sent;
}

void ContinueSweeps(const StepSetup& setup, const Particles& particles, Halo& halo, int sweeps,
                    StepSolve& solve) {
  SolverParameters parameters = setup.parameters.solver;
  parameters.sweeps = sweeps;
  parameters.tolerance = 0.0;
  PhaseTimer timer;
  CallWithSync(setup, particles, halo, timer, solve, [&](auto& sync, auto& bodies) {
    SolveByScheme(parameters, InputOfScheme(particles, solve), sync, StartingImpulses::kApplied,
                  solve.batches, bodies, solve.scheme);
  });
}

std::vector<Vec3> ImpulsesOf(const StepContacts& contacts, const StepSolve& solve) {
  std::vector<Vec3> impulses(contacts.owned.size());
  for (std::size_t j = 0; j < impulses.size(); ++j) impulses[j] = solve.batches.Impulse(j);
  return impulses;
}

std::vector<Vec3> LawImpulsesOf(const StepContacts& contacts, const StepSolve& solve) {
  std::vector<Vec3> impulses;
  ForEachLaw([&](auto law) {
    using Law = typename decltype(law)::type;
    const LawArrays<Law>& arrays = solve.batches.ArraysOf<Law>();
    if (!arrays.IsActive()) return;
    impulses.resize(contacts.owned.size(), Vec3::Zero());
    for (std::size_t j = 0; j < impulses.size(); ++j) {
      const ContactSlot slot = solve.batches.SlotOf(j);
      impulses[j] += Law::WrenchOnA(arrays.At(slot), arrays.Impulse(slot), 1.0).impulse;
    }
  });
  return impulses;
}

double ResidualAt(const StepSetup& setup, const StepSolve& solve, std::size_t j) {
  return VisitBodies(solve.bodies, [&](const auto& typed) {
    return scree::ResidualAt(solve.batches, j, std::span(typed.all), LawOf(setup));
  });
}

SolveReport ReportOf(const StepSetup& setup, const StepContacts& contacts, const StepSolve& solve) {
  const Communicator& communicator = setup.communicator;
  const Residual residual = VisitBodies(solve.bodies, [&](const auto& typed) {
    return ContactResidual(solve.batches, contacts.owned.size(), std::span(typed.all),
                           LawOf(setup));
  });
  const std::int64_t count = communicator.Sum(residual.contacts);
  SolveReport report = solve.report;
  report.residual_max = communicator.Max(residual.max);
  const double square_sum = communicator.Sum(residual.square_sum);
  if (count > 0) report.residual_rms = std::sqrt(square_sum / static_cast<double>(count));
  return report;
}

}  // namespace scree
