#include "engine/step/step_projection.hpp"

#include <functional>

#include "engine/step/coupled_sync.hpp"

namespace scree {
namespace {

/// Projects by sweeps, and updates free walls or a cell after each sweep.
template <class Displaced, class Body>
void Project(const StepSetup& setup, const Particles& particles, BodySync<Displaced>& exchange,
             StepSolve& solve, PositionProjection& positions, std::vector<Body>& bodies) {
  const bool has_driven_cell = solve.cell.IsStressDriven();  // such scenes have no walls
  const auto update = [&](std::span<Displaced> displaced) {
    if (has_driven_cell) return solve.cell.UpdateFromImpulses(solve.batches, positions, displaced);
    solve.free_walls.UpdateFromImpulses(setup.communicator, solve.batches, positions, displaced);
  };
  CoupledProjectionSync<Displaced> coupled(exchange, has_driven_cell, std::cref(update));
  BodySync<Displaced>* sync = &exchange;
  if (has_driven_cell || solve.free_walls.HasTrees()) sync = &coupled;
  ProjectByScheme(setup.parameters.solver, InputOfScheme(particles, solve), *sync, solve.batches,
                  bodies, solve.scheme, positions);
}

}  // namespace

void Reserve(const StepSetup& setup, const Particles& particles, const StepSolve& solve,
             ExchangePlan& plan, StepProjection& projection) {
  if (!HasProjection(setup)) return;
  const std::size_t bodies =
      VisitBodies(solve.bodies, [](const auto& typed) { return typed.all.capacity(); });
  // A projection that rotates bodies uses the buffers and the plan of the velocities.
  const bool rotates = setup.projection.rotates;
  projection.positions.Reserve(solve.batches, bodies, setup.scheme.ghost_contacts, rotates);
  if (rotates) return;
  projection.buffers.reserve(particles.Size() - particles.owned);
  plan.Reserve<DisplacementOfBody>(setup.communicator);
}

void ProjectPositions(const StepSetup& setup, const Particles& particles, double deepest,
                      ExchangePlan& plan, PhaseTimer& timer, StepSolve& solve,
                      StepProjection& projection) {
  PositionProjection& positions = projection.positions;
  if (!HasProjection(setup) || deepest <= 2.0 * setup.projection.slop) return;
  positions.End(setup.projection, deepest, solve.batches, BodyCount(solve.bodies));
  VisitBodies(solve.bodies, [&]<class Body>(BodiesOf<Body>& typed) {
    if constexpr (std::is_same_v<Body, RigidBody>) {
      if (setup.projection.rotates) {
        VelocityExchangeOf<RigidVelocity> exchange(setup.communicator, plan, particles.owned, timer,
                                                   typed.buffers);
        return Project<RigidBody>(setup, particles, exchange, solve, positions, typed.all);
      }
    }
    DisplacementExchange exchange(setup.communicator, plan, particles.owned, timer,
                                  projection.buffers);
    Project<Displacement>(setup, particles, exchange, solve, positions, typed.all);
  });
}

}  // namespace scree
