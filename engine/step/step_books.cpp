#include "engine/step/step_books.hpp"

#include <algorithm>

#include "engine/observation/contact_dissipation.hpp"

namespace scree {

void BookStep(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
              const StepSolve& solve, const StepProjection& projection, StepBooks& books) {
  const double dt = setup.parameters.dt;
  books.max_penetration = std::max(books.max_penetration, contacts.deepest);
  if (books.keeps_wall_loads) {
    FindWallLoads(particles, contacts.buffers.members, contacts.treated, contacts.wall_bodies,
                  contacts.walls, solve.batches, dt, books.wall_loads);
    AddStep(setup.communicator, books.wall_loads, books.interval_loads);
  }
  if (books.keeps_dissipation) {
    const FreeMotion before = {particles, dt * setup.scene.gravity};
    if (setup.HasClumps()) {
      FindDissipation(before, solve.rigid, contacts.treated, solve.impacts, solve.batches,
                      books.dissipation);
    } else {
      FindDissipation(before, solve.bodies, contacts.treated, solve.impacts, solve.batches,
                      books.dissipation);
    }
  }
  books.energy = {};
  if (books.keeps_energy) {
    books.energy = BookSolve(particles, solve.bodies, contacts.treated, solve.impacts,
                             solve.batches, dt * setup.scene.gravity, books.mean);
    books.energy.projection = WorkAgainst(setup.scene.gravity, particles, solve.bodies,
                                          projection.positions.Displacements());
  }
}

}  // namespace scree
