#include "engine/step/step_projection.hpp"

namespace scree {

void Reserve(const StepSetup& setup, const Particles& particles, const StepSolve& solve,
             std::size_t bodies, ExchangePlan& plan, StepProjection& projection) {
  if (setup.projection.sweeps == 0) return;
  projection.positions.Reserve(solve.batches, bodies, setup.scheme.mirrors);
  projection.buffers.before.reserve(particles.Size() - particles.owned);
  projection.buffers.split.reserve(particles.owned);
  plan.Reserve<DisplacementOfBody>(setup.communicator);
}

void ProjectPositions(const StepSetup& setup, const Particles& particles,
                      const StepContacts& contacts, double deepest, ExchangePlan& plan,
                      PhaseTimer& timer, StepSolve& solve, StepProjection& projection) {
  PositionProjection& positions = projection.positions;
  positions.Forget();
  const ProjectionParameters& parameters = setup.projection;
  if (parameters.sweeps == 0 || parameters.share == 0.0 || deepest <= 2.0 * parameters.slop) return;
  positions.Begin(parameters, deepest, solve.batches, solve.Bodies());
  std::size_t j = 0;
  for (const auto* found : {&contacts.treated, &contacts.mirrors}) {
    for (const DetectedContact& contact : *found) {
      const double last = solve.pushes.empty() ? 0.0 : solve.pushes[j];
      positions.SetContact(solve.batches, j++, contact.gap, last);
    }
  }
  DisplacementExchange exchange(setup.communicator, plan, particles.owned, timer,
                                projection.buffers, SharesOf(setup, solve));
  FreeWallDisplacements followed(exchange, setup.communicator, solve.batches, positions,
                                 solve.free_walls);
  BodySync<Displacement>& sync =
      solve.free_walls.Any() ? static_cast<BodySync<Displacement>&>(followed) : exchange;
  const auto project = [&](auto& bodies) {
    ProjectByScheme(setup.parameters.solver, InputOfScheme(particles, contacts, solve), sync,
                    solve.batches, bodies, solve.scheme, positions);
  };
  setup.HasClumps() ? project(solve.rigid) : project(solve.bodies);
}

}  // namespace scree
