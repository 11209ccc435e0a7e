#include "engine/step/step_forces.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/contacts/contact_assembly.hpp"
#include "engine/particles/body_mass.hpp"
#include "engine/ranks/domain_cells.hpp"
#include "solvers/batches/body_kinds.hpp"

namespace scree {
namespace {

Vec3 EntryOf(const std::vector<Vec3>& values, std::size_t i) {
  return values.empty() ? Vec3(Vec3::Zero()) : values[i];
}

/// Computes the kick of one particle in a step: one Add... for each kind of force, then Finish.
class ParticleKick {
 public:
  /// @param images  at `time`
  ParticleKick(const StepSetup& setup, double dt, double time, const PeriodicImages& images,
               const Particles& particles, std::size_t i)
      : scene_(setup.scene),
        dt_(dt),
        time_(time),
        particles_(particles),
        i_(i),
        x_(images.Wrap(particles.position[i])),
        velocity_of_wrap_(images.VelocityOfWrap(particles.position[i])),
        mass_(MassOf(particles, i, scene_)),
        volume_(VolumeOf(particles, i, scene_)) {
    kick_.v = dt_ * scene_.gravity;
  }

  void AddFields() {
    for (const ForceField& field : scene_.fields) {
      if (!field.IsActiveAt(particles_.material[i_], x_)) continue;
      kick_.v += dt_ * (field.acceleration + volume_ / mass_ * field.force_per_volume);
      if (!field.table.IsEmpty()) kick_.v += dt_ * field.table.At(time_);
      if (field.grid.IsEmpty()) continue;
      kick_.v += dt_ * (field.grid_is_per_volume ? volume_ / mass_ : 1.0) * field.grid.At(x_);
    }
  }

  void AddFrame(const FrameStep& frame) {
    const Vec3& omega = particles_.angular_velocity[i_];
    kick_.v += frame.KickAt(particles_.position[i_], particles_.velocity[i_]);
    kick_.omega +=
        particles_.shape[i_] == kSphereShape
            ? frame.SpinChange(omega)
            : SpinKickOfFrame(scene_.frame, Inertia(), particles_.orientation[i_], omega, dt_);
  }

  void AddProgramForces(const BodyForces& program_forces) {
    kick_.v += dt_ / mass_ * EntryOf(program_forces.force, i_);
    AddTorque(EntryOf(program_forces.torque, i_));
    if (!program_forces.drag.empty()) drag_ += program_forces.drag[i_];
  }

  void AddFluid(double void_fraction) {
    const Fluid& fluid = scene_.fluid;
    // As the particle sees it, which may be beyond an end of a sheared domain.
    const Vec3 u = fluid.VelocityAt(x_, time_) - velocity_of_wrap_;
    const double diameter = std::cbrt(6.0 / std::numbers::pi * volume_);
    if (fluid.buoyancy) {
      Vec3 pull = scene_.gravity;
      if (scene_.frame.IsRotating()) pull += scene_.frame.Centrifugal(particles_.position[i_]);
      kick_.v -= dt_ * fluid.density * volume_ / mass_ * pull;
    }
    if (fluid.drag == DragLaw::kNone) return;
    // A drag of the program acts at the same time, as if the mass were larger.
    const double ratio = 1.0 + dt_ * drag_ / mass_;
    const Vec3 slip = u - particles_.velocity[i_] / ratio - kick_.v / ratio;
    const double k = ImplicitDrag(fluid, diameter, ratio * mass_, slip.norm(), void_fraction, dt_);
    kick_.v += dt_ / mass_ * k * u;
    drag_ += k;
    const double inertia = mass_ * diameter * diameter / (4.0 * kMassOverInertia);
    const double rotation_ratio = dt_ * RotationalDrag(fluid, diameter) / inertia;
    kick_.omega += rotation_ratio / (1.0 + rotation_ratio) *
                   (fluid.RotationAt(x_) - particles_.angular_velocity[i_] - kick_.omega);
  }

  /// Adds the drag, which acts on the velocity after all other forces.
  BodyKick Finish() const {
    const double drag_ratio = dt_ * drag_ / mass_;
    return {(kick_.v - drag_ratio * particles_.velocity[i_]) / (1.0 + drag_ratio), kick_.omega,
            1.0 / (mass_ + dt_ * drag_)};
  }

 private:
  PrincipalInertia Inertia() const { return InertiaOf(particles_, i_, 1.0 / mass_, scene_.clumps); }
  void AddTorque(const Vec3& torque) {
    if (torque.isZero(0.0)) return;
    kick_.omega += dt_ * (Inertia().InverseInWorld(particles_.orientation[i_]) * torque);
  }

  const Scene& scene_;
  const double dt_, time_;
  const Particles& particles_;
  const std::size_t i_;
  const Vec3 x_, velocity_of_wrap_;
  const double mass_, volume_;
  double drag_ = 0.0;
  BodyKick kick_;
};

/// Void fractions of the fluid's cells: 1 − the solid fraction. A particle's whole volume counts in
/// the cell of its centre. The lower limit is the void fraction of the densest beds of spheres.
void FindVoidFractions(const StepSetup& setup, double time, const Particles& particles,
                       std::vector<double>& void_fractions) {
  constexpr double kMin = 0.25;
  const Scene& scene = setup.scene;
  const DomainCells cells(scene.domain, time, scene.fluid.cells);
  void_fractions = cells.SolidFractions(
      setup.communicator, particles, [&](std::size_t i) { return VolumeOf(particles, i, scene); });
  for (double& fraction : void_fractions) fraction = std::max(1.0 - fraction, kMin);
}

/// Angular momentum of a body at its present orientation, from ω or the scaled u.
Vec3 AngularMomentum(const SphereBody& body, const Vec3& u) {
  return body.radius / (kMassOverInertia * body.inverse_mass) * u;
}
Vec3 AngularMomentum(const RigidBody& body, const Vec3& omega) {
  return body.InverseInertia().inverse() * omega;
}
void SetMass(double inverse_mass, SphereBody& body) { body.inverse_mass = inverse_mass; }
void SetMass(double inverse_mass, RigidBody& body) {
  body.SetInverseInertia(inverse_mass / body.inverse_mass * body.InverseInertia());
  body.inverse_mass = inverse_mass;
}

}  // namespace

void ComputeKicks(const StepSetup& setup, std::int64_t step, double last_length,
                  const Particles& particles, const BodyForces* program_forces,
                  StepForces& forces) {
  const Scene& scene = setup.scene;
  forces.kicks.clear();
  forces.impulses.clear();
  forces.angular_impulses.clear();
  forces.contact_kicks.clear();
  forces.contact_spins.clear();
  forces.are_active = program_forces != nullptr || scene.HasBodyForces();
  if (!forces.are_active) return;
  const double time = setup.TimeOf(step);
  const bool has_cells = scene.fluid.HasCells();
  if (has_cells) FindVoidFractions(setup, time, particles, forces.void_fractions);
  const DomainCells cells(scene.domain, time, scene.fluid.cells);
  const PeriodicImages images(scene.domain, time);
  const bool needs_rounding = setup.HasMovingImages() && setup.scheme.ghost_contacts;
  forces.kicks.resize(particles.owned);
  const FrameStep frame(scene.frame, last_length, setup.parameters.dt);
  double max_kick = 0.0;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    ParticleKick particle_kick(setup, setup.parameters.dt, time, images, particles, i);
    if (particles.id[i] != kRemovedId) {
      particle_kick.AddFields();
      if (scene.frame.IsRotating()) particle_kick.AddFrame(frame);
      if (program_forces != nullptr) particle_kick.AddProgramForces(*program_forces);
      if (scene.fluid.Exists()) {
        particle_kick.AddFluid(
            has_cells ? forces.void_fractions[cells.CellOf(particles.position[i])] : 1.0);
      }
    }
    BodyKick& kick = forces.kicks[i] = particle_kick.Finish();
    const Vec3& v = particles.velocity[i];
    if (needs_rounding) kick.v = images.Rounded(v + kick.v) - v;
    max_kick = std::max(max_kick, kick.v.norm());
  }
  forces.max_kick = max_kick;
}

void FindFlights(const StepSetup& setup, std::int64_t step, double last_length,
                 const Particles& particles, StepForces& forces) {
  const Scene& scene = setup.scene;
  const double time = setup.TimeOf(step);
  const bool has_cells = scene.fluid.HasCells(), is_rotating = scene.frame.IsRotating();
  if (has_cells) FindVoidFractions(setup, time, particles, forces.void_fractions);
  const DomainCells cells(scene.domain, time, scene.fluid.cells);
  const PeriodicImages images(scene.domain, time);
  const FrameStep frame(scene.frame, last_length, last_length);
  forces.flights.assign(particles.Size(), Flight());
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    ParticleKick particle_kick(setup, last_length, time, images, particles, i);
    particle_kick.AddFields();
    if (is_rotating) particle_kick.AddFrame(frame);
    if (scene.fluid.Exists()) {
      particle_kick.AddFluid(has_cells ? forces.void_fractions[cells.CellOf(particles.position[i])]
                                       : 1.0);
    }
    const Vec3 kick = particle_kick.Finish().v;
    const Vec3 frame_kick = is_rotating ? frame.KickAt(particles.position[i], particles.velocity[i])
                                        : Vec3(Vec3::Zero());
    forces.flights[i] = {(kick - frame_kick) / last_length, kick.norm()};
  }
}

Vec3 SpinKickOfFrame(const RotatingFrame& frame, const PrincipalInertia& inertia,
                     const Quaternion& orientation, const Vec3& omega, double dt) {
  const Vec3& frame_rotation = frame.angular_velocity;
  const auto momentum = [&](const Vec3& spin) {
    return inertia.AngularMomentum(orientation, spin);
  };
  const Vec3 torque = -frame_rotation.cross(momentum(omega + frame_rotation)) -
                      omega.cross(momentum(frame_rotation)) + momentum(omega.cross(frame_rotation));
  return dt * (inertia.InverseInWorld(orientation) * torque);
}

void GatherKicks(const Communicator& communicator, Halo& halo, StepForces& forces) {
  if (!forces.are_active) return;
  forces.kicks.resize(forces.kicks.size() + halo.image.size());
  halo.plan.Gather(communicator, std::span(forces.kicks));
}

std::span<const Vec3> ComputeKickedVelocities(const StepSetup& setup, const Particles& particles,
                                              StepForces& forces) {
  if (!forces.are_active) return particles.velocity;
  const Vec3 weight = setup.parameters.dt * setup.scene.gravity;
  forces.kicked_velocities = particles.velocity;
  for (std::size_t i = 0; i < forces.kicks.size(); ++i) {
    forces.kicked_velocities[i] += forces.kicks[i].v - weight;
  }
  return forces.kicked_velocities;
}

void AddDragToMasses(StepForces& forces, std::vector<double>& inverse_masses) {
  if (!forces.are_active) return;
  const auto count = static_cast<std::ptrdiff_t>(forces.kicks.size());
  forces.inverse_masses.assign(inverse_masses.begin(), inverse_masses.begin() + count);
  std::ranges::transform(forces.kicks, inverse_masses.begin(), &BodyKick::inverse_mass);
}

void FinishForces(const StepSetup& setup, const Particles& particles, StepForces& forces,
                  std::vector<double>& inverse_masses, StepBodies& bodies) {
  if (!forces.are_active) return;
  std::ranges::copy(forces.inverse_masses, inverse_masses.begin());
  forces.impulses.assign(particles.owned, Vec3::Zero());
  forces.angular_impulses.assign(particles.owned, Vec3::Zero());
  const bool is_rotating = setup.scene.frame.IsRotating();
  if (is_rotating) {
    forces.contact_kicks.assign(forces.kicks.size(), Vec3::Zero());
    forces.contact_spins.assign(forces.kicks.size(), Vec3::Zero());
  }
  const Vec3 weight = setup.parameters.dt * setup.scene.gravity;
  VisitBodies(bodies, [&]<class Body>(BodiesOf<Body>& typed) {
    for (std::size_t i = 0; i < forces.kicks.size(); ++i) {
      Body& body = typed.all[i];
      const double mass = 1.0 / forces.inverse_masses[i], mass_with_drag = 1.0 / body.inverse_mass;
      SetMass(forces.inverse_masses[i], body);
      if (particles.id[i] == kRemovedId) continue;
      const BodyKick& kick = forces.kicks[i];
      const Vec3& v = particles.velocity[i];
      if (is_rotating) {
        forces.contact_kicks[i] = body.v - v - kick.v;
        if constexpr (std::is_same_v<Body, SphereBody>) {
          const Vec3 omega = body.u / particles.radius[i];
          forces.contact_spins[i] = omega - particles.angular_velocity[i] - kick.omega;
        }
      }
      if (i >= particles.owned) continue;
      // m (v' − v), minus the impulse of the weight, minus (m + dt k) (v' − v_free), the impulse of
      // the contacts.
      const double drag = mass_with_drag - mass;
      forces.impulses[i] = mass_with_drag * kick.v - mass * weight - drag * (body.v - v);
      const Vec3 spin_change = SpinOf(body) - SpinOf<Body>(particles, i);
      const double scale = std::is_same_v<Body, SphereBody> ? particles.radius[i] : 1.0;
      forces.angular_impulses[i] = AngularMomentum(
          body, mass_with_drag / mass * (scale * kick.omega) - drag / mass * spin_change);
    }
  });
}

double RotateContactKicks(const StepSetup& setup, const StepForces& forces, Particles& particles) {
  if (forces.contact_kicks.empty()) return 0.0;
  const double dt = setup.parameters.dt;
  const FrameStep frame(setup.scene.frame, dt, dt);
  double energy = 0.0;
  for (std::size_t i = 0; i < forces.contact_kicks.size(); ++i) {
    Vec3 &v = particles.velocity[i], &omega = particles.angular_velocity[i];
    const Vec3 change = frame.SpinChange(forces.contact_kicks[i]),
               spin_change = frame.SpinChange(forces.contact_spins[i]);
    if (i < particles.owned && particles.id[i] != kRemovedId) {
      const double radius = particles.radius[i];
      energy += (change.dot(v + 0.5 * change) +
                 radius * radius / kMassOverInertia * spin_change.dot(omega + 0.5 * spin_change)) /
                forces.inverse_masses[i];
    }
    v += change;
    omega += spin_change;
  }
  return energy;
}

}  // namespace scree
