#include "engine/step/step_diagnostics.hpp"

#include <algorithm>

#include "engine/observation/contact_dissipation.hpp"

namespace scree {
namespace {

template <class Body>
EnergyBalance BookSolveOf(const StepSetup& setup, const Particles& particles,
                          const StepContacts& contacts, StepSolve& solve, const Halo& halo,
                          const BodiesOf<Body>& bodies) {
  const StepForces& forces = solve.forces;
  const std::span<const Body> mean = bodies.mean;
  const bool deforms = setup.scene.cell.Acts();
  const std::span<const Vec3> images =
      deforms ? solve.cell.MeanOfImages() : std::span<const Vec3>(halo.velocity);
  EnergyBalance book =
      ComputeEnergyBalance<Body>(particles, bodies.all, mean, forces.Of(setup).weight,
                                 contacts.treated, solve.impacts, solve.batches, images);
  if (deforms) book.shear += solve.cell.WorkOn(mean);
  book.body_forces =
      WorkOfBodyForces<Body>(particles, mean, forces.impulses, forces.angular_impulses);
  return book;
}

}  // namespace

void RecordStep(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                StepSolve& solve, const StepProjection& projection, const Halo& halo,
                StepDiagnostics& books) {
  const double dt = setup.parameters.dt;
  books.max_penetration = std::max(books.max_penetration, contacts.deepest);
  if (books.keeps_wall_loads) {
    FindWallLoads(particles, contacts.treated.All(), contacts.wall_bodies, contacts.walls,
                  solve.batches, dt, books.wall_loads);
    AddStep(setup.communicator, books.wall_loads, setup.stride, books.interval_loads);
  }
  if (books.keeps_dissipation || books.keeps_energy) {
    With(solve.bodies, [&]<class Body>(BodiesOf<Body>& of) {
      FindMeans<Body>(particles, of.all, contacts.wall_bodies, of.mean);
      // Those of free walls are solved for.
      solve.free_walls.SetToMean(std::span(of.mean));
    });
  }
  if (books.keeps_dissipation) {
    With(solve.bodies, [&]<class Body>(const BodiesOf<Body>& of) {
      FindDissipation<Body>(of.mean, contacts.treated, solve.impacts, solve.batches,
                            books.dissipation);
    });
  }
  books.energy = {};
  if (books.keeps_energy) {
    books.energy = With(solve.bodies, [&](const auto& of) {
      return BookSolveOf(setup, particles, contacts, solve, halo, of);
    });
    books.energy.projection = WorkAgainst(setup.scene.gravity, particles, solve.inverse_masses,
                                          projection.positions.Displacements());
  }
}

void BookMotion(const StepSetup& setup, const Particles& particles, const StepSolve& solve,
                StepDiagnostics& books) {
  if (!books.keeps_energy) return;
  With(solve.bodies, [&]<class Body>(const BodiesOf<Body>& of) {
    books.energy.left = EnergyOfRemoved<Body>(particles, of.all, of.mean);
    if constexpr (std::is_same_v<Body, RigidBody>) {
      books.energy.rotation =
          EnergyOfRotation(particles, of.all, solve.inverse_masses, setup.scene.clumps);
    }
  });
  books.energy.kinetic += books.energy.rotation;
}

void RecordInserted(const StepSetup& setup, std::size_t first, const Particles& particles,
                    const StepSolve& solve, StepDiagnostics& books) {
  if (!books.keeps_energy) return;
  books.energy.entered = EnergyFrom(first, particles, solve.inverse_masses, setup.scene.clumps);
}

void BookRemap(const StepSetup& setup, const Particles& particles, const StepSolve& solve,
               const StepDiagnostics& books, EnergyBalance& sum) {
  if (!books.keeps_energy || !setup.ImagesMove()) return;
  const double energy = EnergyOfRemap(setup.subdomains.Images(), particles, solve.inverse_masses);
  sum.kinetic += energy;
  sum.shear += energy;
}

void EnableWallLoads(const StepSetup& setup, bool yes, StepDiagnostics& books) {
  const std::size_t walls = yes ? setup.scene.walls.size() : 0;
  books.keeps_wall_loads = yes;
  books.wall_loads.assign(walls, {});
  // A run that goes on after a restart is within an interval.
  WallLoadSums begun = StartWallLoadBook(walls);
  if (books.interval_loads.mean.size() != begun.mean.size()) {
    books.interval_loads = std::move(begun);
  }
}

}  // namespace scree
