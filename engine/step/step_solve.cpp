#include "engine/step/step_solve.hpp"

#include <cmath>

#include "engine/contacts/contact_assembly.hpp"
#include "engine/contacts/mirror_contacts.hpp"
#include "engine/contacts/rolling_assembly.hpp"
#include "solvers/residual.hpp"

namespace scree {

void Reserve(const StepSetup& setup, const CandidateLists& lists, const Particles& particles,
             StepSolve& solve) {
  const std::size_t candidates = lists.Candidates();
  const std::size_t bodies =
      particles.Size() + setup.scene.walls.size() + lists.neighbors.walls.size();
  const bool rolls = setup.scene.materials.AnyResistsRolling();
  solve.inverse_masses.reserve(bodies);
  solve.bodies.reserve(bodies + 1);
  solve.batches.Reserve(candidates, bodies);
  if (rolls) solve.batches.ReserveRolling();
  if (setup.restitution.Any()) solve.impacts.reserve(candidates);
  solve.counts.here.reserve(bodies);
  solve.counts.of_body.reserve(bodies);
  solve.buffers.before.reserve(particles.Size() - particles.owned);
  solve.buffers.split.reserve(particles.owned);
  if (setup.scheme.mirrors) solve.keys.reserve(bodies);
  Reserve(setup.parameters.solver, candidates, bodies, rolls, solve.scheme);
}

void AssembleProblem(const StepSetup& setup, const Particles& particles,
                     const StepContacts& contacts, const WarmStart* warm_start, ExchangePlan& plan,
                     StepSolve& solve) {
  const StepParameters& parameters = setup.parameters;
  AssembleBodies(particles, solve.inverse_masses, setup.scene, contacts.wall_bodies, parameters.dt,
                 solve.bodies);
  solve.inverse_masses.resize(solve.bodies.size(), 0.0);
  CountContacts(setup.scheme, setup.communicator, plan, contacts.treated, contacts.mirrors,
                solve.bodies.size(), solve.counts);
  const ContactInput input = {.detected = contacts.treated,
                              .mirrors = contacts.mirrors,
                              .particles = particles,
                              .scene = setup.scene,
                              .walls = contacts.wall_bodies,
                              .inverse_masses = solve.inverse_masses,
                              .counts = solve.counts.of_body,
                              .warm_start = warm_start};
  AssembleContacts(input, parameters, setup.correction_speed, setup.restitution, solve.batches,
                   solve.impacts);
  if (setup.scene.materials.AnyResistsRolling()) {
    TurnPatches(contacts.treated, particles, contacts.wall_bodies, contacts.walls, solve.bodies);
    AssembleRolling(input, parameters.solver, solve.batches);
  }
}

void SolveProblem(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                  ExchangePlan& plan, PhaseTimer& timer, StepSolve& solve) {
  const Communicator& communicator = setup.communicator;
  if (setup.scheme.mirrors) SetBodyKeys(particles, contacts.wall_bodies, solve.keys);
  const std::span<const Index> counts = solve.counts.of_body;
  const SchemeInput input = {.own = particles.owned,
                             .shared = contacts.shared,
                             .keys = solve.keys,
                             .counts = counts,
                             .inverse_masses = solve.inverse_masses};
  const auto impulses =
      setup.parameters.warm_start ? StartingImpulses::kToApply : StartingImpulses::kApplied;
  VelocityExchange exchange(communicator, plan, particles.owned, timer, solve.buffers,
                            setup.scheme.splits_masses ? counts : std::span<const Index>());
  const Traffic sent = communicator.Sent();
  solve.report = SolveByScheme(setup.parameters.solver, input, exchange, impulses, solve.batches,
                               solve.bodies, solve.scheme);
  solve.sent += communicator.Sent() - sent;
}

ContactProblem ProblemOf(const StepContacts& contacts, const StepSolve& solve) {
  ContactProblem problem;
  for (std::size_t j = 0; j < contacts.treated.size(); ++j) {
    problem.contacts.push_back(solve.batches.At(j));
    if (solve.batches.Rolls()) problem.rolling.push_back(solve.batches.RollingAt(j));
  }
  return problem;
}

ContactSolution SolutionOf(const StepContacts& contacts, const StepSolve& solve) {
  return {solve.bodies, ImpulsesOf(contacts, solve), RollingImpulsesOf(contacts, solve)};
}

std::vector<Vec3> ImpulsesOf(const StepContacts& contacts, const StepSolve& solve) {
  std::vector<Vec3> impulses(contacts.treated.size());
  for (std::size_t j = 0; j < impulses.size(); ++j) impulses[j] = solve.batches.Impulse(j);
  return impulses;
}

std::vector<Vec3> RollingImpulsesOf(const StepContacts& contacts, const StepSolve& solve) {
  std::vector<Vec3> impulses(solve.batches.Rolls() ? contacts.treated.size() : 0);
  for (std::size_t j = 0; j < impulses.size(); ++j) impulses[j] = solve.batches.RollingImpulse(j);
  return impulses;
}

SolveReport ReportOf(const Communicator& communicator, const StepContacts& contacts,
                     const StepSolve& solve) {
  const Residual here = ContactResidual(ProblemOf(contacts, solve), SolutionOf(contacts, solve));
  const std::int64_t count = communicator.Sum(here.contacts);
  SolveReport report = solve.report;
  report.residual_max = communicator.Max(here.max);
  const double square_sum = communicator.Sum(here.square_sum);
  if (count > 0) report.residual_rms = std::sqrt(square_sum / static_cast<double>(count));
  return report;
}

}  // namespace scree
