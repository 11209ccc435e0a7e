#include "engine/step/step_books.hpp"

#include <algorithm>

#include "engine/observation/contact_dissipation.hpp"

namespace scree {
namespace {

/// The work of contacts on free walls is done at the mean of their speeds before and after.
template <class Body>
EnergyBook BookSolveOf(const StepSetup& setup, const Particles& particles,
                       const StepContacts& contacts, const StepSolve& solve, const Halo& halo,
                       std::span<Body> bodies, std::vector<Body>& mean) {
  const Vec3 kick = setup.parameters.dt * setup.scene.gravity;
  solve.free_walls.SetToMean(bodies);
  EnergyBook book = BookSolve<Body>(particles, bodies, contacts.treated, solve.impacts,
                                    solve.batches, kick, mean, halo.velocity);
  solve.free_walls.SetToEnd(bodies);
  // Forces change the speed of a free wall as the weight does that of particles.
  if (setup.communicator.IsRoot()) book.dissipated -= 0.5 * solve.free_walls.WorkOfPushes();
  return book;
}

}  // namespace

void BookStep(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
              StepSolve& solve, const StepProjection& projection, const Halo& halo,
              StepBooks& books) {
  const double dt = setup.parameters.dt;
  books.max_penetration = std::max(books.max_penetration, contacts.deepest);
  if (books.keeps_wall_loads) {
    FindWallLoads(particles, contacts.treated.All(), contacts.wall_bodies, contacts.walls,
                  solve.batches, dt, books.wall_loads);
    AddStep(setup.communicator, books.wall_loads, setup.stride, books.interval_loads);
  }
  if (books.keeps_dissipation) {
    const KickedParticles before = {particles, dt * setup.scene.gravity};
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
    books.energy = setup.HasClumps() ? BookSolveOf<RigidBody>(setup, particles, contacts, solve,
                                                              halo, solve.rigid, books.rigid_mean)
                                     : BookSolveOf<SphereBody>(setup, particles, contacts, solve,
                                                               halo, solve.bodies, books.mean);
    books.energy.projection = WorkAgainst(setup.scene.gravity, particles, solve.inverse_masses,
                                          projection.positions.Displacements());
  }
}

void BookMotion(const StepSetup& setup, const Particles& particles, const StepSolve& solve,
                StepBooks& books) {
  if (!books.keeps_energy) return;
  if (!setup.HasClumps()) {
    books.energy.left = EnergyOfLeavers<SphereBody>(particles, solve.bodies, books.mean);
    return;
  }
  books.energy.left = EnergyOfLeavers<RigidBody>(particles, solve.rigid, books.rigid_mean);
  books.energy.rotation =
      EnergyOfRotation(particles, solve.rigid, solve.inverse_masses, setup.scene.clumps);
  books.energy.kinetic += books.energy.rotation;
}

}  // namespace scree
