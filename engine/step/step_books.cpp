#include "engine/step/step_books.hpp"

#include <algorithm>

namespace scree {

void BookStep(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
              StepSolve& solve, const StepProjection& projection, StepBooks& books) {
  const double dt = setup.parameters.dt;
  books.max_penetration = std::max(books.max_penetration, contacts.deepest);
  if (books.keeps_wall_loads) {
    FindWallLoads(particles, contacts.buffers.members, contacts.treated, contacts.wall_bodies,
                  contacts.walls, solve.batches, dt, books.wall_loads);
  }
  books.energy = {};
  if (books.keeps_energy) {
    solve.free_walls.SetToMean(solve.bodies);
    books.energy = BookSolve(particles, solve.bodies, contacts.treated, solve.impacts,
                             solve.batches, dt * setup.scene.gravity, books.mean);
    books.energy.projection = WorkAgainst(setup.scene.gravity, particles, solve.bodies,
                                          projection.positions.Displacements());
    solve.free_walls.SetToEnd(solve.bodies);
  }
}

}  // namespace scree
