#include "engine/step/step_books.hpp"

#include <algorithm>

#include "engine/observation/contact_dissipation.hpp"

namespace scree {
namespace {

/// The work of contacts on free walls is done at the mean of their speeds before and after.
template <class Body>
EnergyBook BookSolveOf(const StepSetup& setup, const Particles& particles,
                       const StepContacts& contacts, StepSolve& solve, const Halo& halo,
                       BodiesOf<Body>& bodies) {
  const StepForces& forces = solve.forces;
  const bool deforms = setup.scene.cell.Acts();
  const std::span<const Vec3> images =
      deforms ? solve.cell.MeanOfImages() : std::span<const Vec3>(halo.velocity);
  solve.free_walls.SetToMean(std::span(bodies.all));
  EnergyBook book = BookSolve<Body>(particles, bodies.all, contacts.treated, solve.impacts,
                                    solve.batches, forces.Of(setup), bodies.mean, images);
  if (deforms) book.shear += solve.cell.WorkOn(std::span<const Body>(bodies.mean));
  book.body_forces =
      WorkOfBodyForces<Body>(particles, bodies.mean, forces.impulses, forces.angular_impulses);
  solve.free_walls.SetToEnd(std::span(bodies.all));
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
    const KickedParticles before = {particles, solve.forces.Of(setup)};
    With(solve.bodies, [&](const auto& of) {
      FindDissipation(before, of.all, contacts.treated, solve.impacts, solve.batches,
                      books.dissipation);
    });
  }
  books.energy = {};
  if (books.keeps_energy) {
    books.energy = With(solve.bodies, [&](auto& of) {
      return BookSolveOf(setup, particles, contacts, solve, halo, of);
    });
    books.energy.projection = WorkAgainst(setup.scene.gravity, particles, solve.inverse_masses,
                                          projection.positions.Displacements());
  }
}

void BookMotion(const StepSetup& setup, const Particles& particles, const StepSolve& solve,
                StepBooks& books) {
  if (!books.keeps_energy) return;
  With(solve.bodies, [&]<class Body>(const BodiesOf<Body>& of) {
    books.energy.left = EnergyOfLeavers<Body>(particles, of.all, of.mean);
    if constexpr (std::is_same_v<Body, RigidBody>) {
      books.energy.rotation =
          EnergyOfRotation(particles, of.all, solve.inverse_masses, setup.scene.clumps);
    }
  });
  books.energy.kinetic += books.energy.rotation;
}

void BookEntrance(const StepSetup& setup, std::size_t first, const Particles& particles,
                  const StepSolve& solve, StepBooks& books) {
  if (!books.keeps_energy) return;
  books.energy.entered = EnergyFrom(first, particles, solve.inverse_masses, setup.scene.clumps);
}

void BookRemap(const StepSetup& setup, const Particles& particles, const StepSolve& solve,
               const StepBooks& books, EnergyBook& sum) {
  if (!books.keeps_energy || !setup.ImagesMove()) return;
  const double energy = EnergyOfRemap(setup.subdomains.Images(), particles, solve.inverse_masses);
  sum.kinetic += energy;
  sum.shear += energy;
}

void KeepWallLoads(const StepSetup& setup, bool yes, StepBooks& books) {
  const std::size_t walls = yes ? setup.scene.walls.size() : 0;
  books.keeps_wall_loads = yes;
  books.wall_loads.assign(walls, {});
  // A run that goes on after a restart is within an interval.
  WallLoadBook begun = StartWallLoadBook(walls);
  if (books.interval_loads.mean.size() != begun.mean.size()) {
    books.interval_loads = std::move(begun);
  }
}

}  // namespace scree
