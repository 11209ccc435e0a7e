#include "engine/step/step_projection.hpp"

#include <functional>

#include "engine/step/followed_sync.hpp"

namespace scree {

void Reserve(const StepSetup& setup, const Particles& particles, const StepSolve& solve,
             ExchangePlan& plan, StepProjection& projection) {
  if (!Projects(setup)) return;
  const std::size_t bodies = With(solve.bodies, [](const auto& of) { return of.all.capacity(); });
  projection.positions.Reserve(solve.batches, bodies, setup.scheme.mirrors);
  projection.buffers.reserve(particles.Size() - particles.owned);
  plan.Reserve<DisplacementOfBody>(setup.communicator);
}

void ProjectPositions(const StepSetup& setup, const Particles& particles, double deepest,
                      ExchangePlan& plan, PhaseTimer& timer, StepSolve& solve,
                      StepProjection& projection) {
  PositionProjection& positions = projection.positions;
  if (!Projects(setup) || deepest <= 2.0 * setup.projection.slop) return;
  positions.End(setup.projection, deepest, solve.batches, CountOf(solve.bodies));
  DisplacementExchange exchange(setup.communicator, plan, particles.owned, timer,
                                projection.buffers);
  const bool yields = solve.cell.Yields();  // then there are no walls
  const auto follow = [&](std::span<Displacement> bodies) {
    if (yields) return solve.cell.Follow(solve.batches, positions, bodies);
    solve.free_walls.Follow(setup.communicator, solve.batches, positions, bodies);
  };
  FollowedDisplacements followed(exchange, yields, std::cref(follow));
  BodySync<Displacement>* sync = &exchange;
  if (yields || solve.free_walls.Any()) sync = &followed;
  With(solve.bodies, [&](auto& of) {
    ProjectByScheme(setup.parameters.solver, InputOfScheme(particles, solve), *sync, solve.batches,
                    of.all, solve.scheme, positions);
  });
}

}  // namespace scree
