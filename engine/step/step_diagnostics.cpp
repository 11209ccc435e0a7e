#include "engine/step/step_diagnostics.hpp"

#include <algorithm>

#include "engine/observation/contact_dissipation.hpp"

namespace scree {
namespace {

template <class Body>
EnergyBalance ComputeSolveBalance(const StepSetup& setup, const Particles& particles,
                                  const StepContacts& contacts, StepSolve& solve, const Halo& halo,
                                  const BodiesOf<Body>& bodies) {
  const StepForces& forces = solve.forces;
  const std::span<const Body> mean = bodies.mean;
  const bool has_cell = setup.scene.cell.IsActive();
  const std::span<const Vec3> images =
      has_cell ? solve.cell.MeanOfImages() : std::span<const Vec3>(halo.velocity);
  EnergyBalance balance =
      ComputeEnergyBalance<Body>(particles, bodies.all, mean, forces.KicksOf(setup).weight,
                                 contacts.owned, solve.impacts, solve.batches, images);
  if (has_cell) balance.shear += solve.cell.WorkOn(mean);
  balance.body_forces =
      WorkOfBodyForces<Body>(particles, mean, forces.impulses, forces.angular_impulses);
  return balance;
}

/// Sets the means of the velocities of the bodies before and after the solve.
void SetMeans(const Particles& particles, const StepContacts& contacts, StepSolve& solve) {
  VisitBodies(solve.bodies, [&]<class Body>(BodiesOf<Body>& typed) {
    FindMeans<Body>(particles, typed.all, contacts.wall_bodies, typed.mean);
    // The velocities of free walls are unknowns of the solve.
    solve.free_walls.SetToMean(std::span(typed.mean));
  });
}

EnergyBalance BalanceWithMeans(const StepSetup& setup, const Particles& particles,
                               const StepContacts& contacts, StepSolve& solve, const Halo& halo) {
  return VisitBodies(solve.bodies, [&](const auto& typed) {
    return ComputeSolveBalance(setup, particles, contacts, solve, halo, typed);
  });
}

}  // namespace

EnergyBalance BalanceOfSolve(const StepSetup& setup, const Particles& particles,
                             const StepContacts& contacts, const Halo& halo, StepSolve& solve) {
  SetMeans(particles, contacts, solve);
  return BalanceWithMeans(setup, particles, contacts, solve, halo);
}

void RecordStep(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                StepSolve& solve, const StepProjection& projection, const Halo& halo,
                StepDiagnostics& diagnostics) {
  const double dt = setup.parameters.dt;
  diagnostics.max_penetration = std::max(diagnostics.max_penetration, contacts.deepest);
  if (diagnostics.keeps_wall_loads) {
    FindWallLoads(particles, contacts.owned.All(), contacts.wall_bodies, contacts.walls,
                  solve.batches, dt, diagnostics.wall_loads);
    AddStep(setup.communicator, diagnostics.wall_loads, setup.stride, diagnostics.interval_loads);
  }
  if (diagnostics.keeps_dissipation || diagnostics.keeps_energy) {
    SetMeans(particles, contacts, solve);
  }
  if (diagnostics.keeps_dissipation) {
    VisitBodies(solve.bodies, [&]<class Body>(const BodiesOf<Body>& typed) {
      FindDissipation<Body>(typed.mean, contacts.owned, solve.impacts, solve.batches,
                            diagnostics.dissipation);
    });
  }
  diagnostics.energy = {};
  if (diagnostics.keeps_energy) {
    diagnostics.energy = BalanceWithMeans(setup, particles, contacts, solve, halo);
    diagnostics.energy.projection = WorkAgainstGravity(
        setup.scene.gravity, particles, solve.inverse_masses, projection.positions.Displacements());
  }
}

void RecordMotion(const StepSetup& setup, const Particles& particles, const StepSolve& solve,
                  StepDiagnostics& diagnostics) {
  if (!diagnostics.keeps_energy) return;
  VisitBodies(solve.bodies, [&]<class Body>(const BodiesOf<Body>& typed) {
    diagnostics.energy.removed = EnergyOfRemoved<Body>(particles, typed.all, typed.mean);
    if constexpr (std::is_same_v<Body, RigidBody>) {
      diagnostics.energy.rotation =
          EnergyOfRotation(particles, typed.all, solve.inverse_masses, setup.scene.clumps);
    }
  });
  diagnostics.energy.kinetic += diagnostics.energy.rotation;
}

void RecordFrameWork(double work, StepDiagnostics& diagnostics) {
  if (!diagnostics.keeps_energy) return;
  diagnostics.energy.kinetic += work;
  diagnostics.energy.body_forces += work;
}

void RecordInserted(const StepSetup& setup, std::size_t first, const Particles& particles,
                    const StepSolve& solve, StepDiagnostics& diagnostics) {
  if (!diagnostics.keeps_energy) return;
  diagnostics.energy.inserted =
      EnergyOfParticlesFrom(first, particles, solve.inverse_masses, setup.scene.clumps);
}

void RecordRemap(const StepSetup& setup, const Particles& particles, const StepSolve& solve,
                 const StepDiagnostics& diagnostics, EnergyBalance& sum) {
  if (!diagnostics.keeps_energy || !setup.HasMovingImages()) return;
  const double energy = EnergyOfRemap(setup.subdomains.Images(), particles, solve.inverse_masses);
  sum.kinetic += energy;
  sum.shear += energy;
}

void EnableWallLoads(const StepSetup& setup, bool enabled, StepDiagnostics& diagnostics) {
  const std::size_t walls = enabled ? setup.scene.walls.size() : 0;
  diagnostics.keeps_wall_loads = enabled;
  diagnostics.wall_loads.assign(walls, {});
  // A restarted run continues an interval, so its sums must be kept.
  WallLoadSums new_sums = StartWallLoadSums(walls);
  if (diagnostics.interval_loads.mean.size() != new_sums.mean.size()) {
    diagnostics.interval_loads = std::move(new_sums);
  }
}

}  // namespace scree
