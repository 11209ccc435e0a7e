#include "engine/observation/energy_balance.hpp"

#include <algorithm>

#include "engine/contacts/contact_assembly.hpp"
#include "engine/contacts/contact_partner.hpp"
#include "engine/contacts/detected_contact.hpp"
#include "engine/contacts/wall_bodies.hpp"
#include "engine/geometry/periodic_images.hpp"
#include "solvers/base/check.hpp"
#include "solvers/batches/body_kinds.hpp"
#include "solvers/batches/contact_batches.hpp"
#include "solvers/batches/rolling.hpp"
#include "solvers/one_contact/rigid_body.hpp"
#include "solvers/sweeps/position_projection.hpp"

namespace scree {
namespace {

/// The particle's velocities at the beginning of a step, with the inertia of the body at the end.
template <class Body>
Body BodyBefore(const Particles& particles, std::size_t i, const Body& after) {
  Body body = after;
  body.v = particles.velocity[i];
  SpinOf(body) = SpinOf<Body>(particles, i);
  return body;
}

template <class Body>
Body Mean(const Body& x, const Body& y) {
  Body mean = x;
  mean.v = 0.5 * (x.v + y.v);
  SpinOf(mean) = 0.5 * (SpinOf(x) + SpinOf(y));
  return mean;
}

double KineticEnergyOf(const SphereBody& body) {
  return KineticEnergy(1.0 / body.inverse_mass, body.v, body.u);
}
double KineticEnergyOf(const RigidBody& body) {
  const Mat3 inertia = body.InverseInertia().inverse();
  return 0.5 * (body.v.squaredNorm() / body.inverse_mass + body.omega.dot(inertia * body.omega));
}

/// Velocities at contact j: of a relative to b, and of b.
struct ContactVelocities {
  Vec3 relative, velocity_b;  // [m/s]
};
ContactVelocities VelocitiesAtContact(const ContactBatches&, std::size_t, const Vec3& normal,
                                      const SphereBody& a, const SphereBody& b) {
  return {RelativeVelocity(a, b, normal), b.v + b.u.cross(normal)};
}
ContactVelocities VelocitiesAtContact(const ContactBatches& batches, std::size_t j, const Vec3&,
                                      const RigidBody& a, const RigidBody& b) {
  const ContactArms arms = batches.ArmsAt(j);
  return {RelativeVelocity(a, b, arms), b.v + b.omega.cross(arms.b)};
}

/// Computes the entries of the balance that do not depend on contacts.
template <class Body>
EnergyBalance ComputeBodyEntries(const Particles& before, std::span<const Body> after,
                                 const Vec3& kick) {
  EnergyBalance balance;
  Vec3 momentum_before = Vec3::Zero(), momentum_after = Vec3::Zero();
  for (std::size_t i = 0; i < before.owned; ++i) {
    if (before.id[i] == kRemovedId) continue;
    const Body& body = after[i];
    const Body body_before = BodyBefore(before, i, body);
    const double mass = 1.0 / body.inverse_mass;
    momentum_before += mass * body_before.v;
    momentum_after += mass * body.v;
    balance.kinetic += KineticEnergyOf(body) - KineticEnergyOf(body_before);
  }
  balance.forces = 0.5 * kick.dot(momentum_before + momentum_after);
  balance.potential = -kick.dot(momentum_after);
  return balance;
}

/// A body with the velocity of the periodic image if b is a ghost in a sheared domain, else at
/// rest.
template <class Body>
Body ImageOf(const Particles& particles, Index b, bool is_wall, std::span<const Vec3> images) {
  Body image;
  const auto i = static_cast<std::size_t>(b);
  if (!is_wall && !images.empty() && i >= particles.owned) image.v = images[i - particles.owned];
  return image;
}

}  // namespace

double KineticEnergyOf(const Particles& particles, std::size_t i, double inverse_mass,
                       std::span<const ClumpShape> clumps) {
  const Vec3 &v = particles.velocity[i], &omega = particles.angular_velocity[i];
  const double mass = 1.0 / inverse_mass;
  const ShapeId shape = particles.shape[i];
  if (shape == kSphereShape || clumps[static_cast<std::size_t>(shape) - 1].IsSphere()) {
    return KineticEnergy(mass, v, particles.radius[i] * omega);
  }
  const PrincipalInertia inertia = InertiaOf(particles, i, inverse_mass, clumps);
  return 0.5 * (mass * v.squaredNorm() +
                omega.dot(inertia.AngularMomentum(particles.orientation[i], omega)));
}

EnergyBalance& EnergyBalance::operator+=(const EnergyBalance& other) {
  ForEachEntry([](const char*, double& sum, double entry) { sum += entry; }, *this, other);
  return *this;
}

template <class Body>
void FindMeans(const Particles& before, std::span<const Body> after,
               std::span<const WallBody> walls, std::vector<Body>& mean) {
  mean.resize(after.size());
  const auto first_wall = static_cast<std::ptrdiff_t>(before.Size());
  std::copy(after.begin() + first_wall, after.end(), mean.begin() + first_wall);
  for (std::size_t i = 0; i < before.Size(); ++i) {
    mean[i] = before.id[i] == kRemovedId ? Body() : Mean(BodyBefore(before, i, after[i]), after[i]);
  }
  for (std::size_t k = 0; k < walls.size(); ++k) mean[before.Size() + k].v -= 0.5 * walls[k].change;
}

template void FindMeans(const Particles&, std::span<const SphereBody>, std::span<const WallBody>,
                        std::vector<SphereBody>&);
template void FindMeans(const Particles&, std::span<const RigidBody>, std::span<const WallBody>,
                        std::vector<RigidBody>&);

template <class Body>
EnergyBalance ComputeEnergyBalance(const Particles& before, std::span<const Body> after,
                                   std::span<const Body> mean, const Vec3& kick,
                                   std::span<const DetectedContact> contacts,
                                   std::span<const Index> impacts, const ContactBatches& batches,
                                   std::span<const Vec3> images) {
  // Ghost contacts, which other ranks record, come last in the batches.
  SCREE_DEMAND(batches.Size() >= contacts.size());
  const ContactBodies contact_bodies(before, {});
  EnergyBalance balance = ComputeBodyEntries(before, after, kick);
  auto impact = impacts.begin();
  constexpr std::size_t kAhead = 24;  // data are prefetched this many contacts ahead
  for (std::size_t j = 0; j < contacts.size(); ++j) {
    if (j + kAhead < contacts.size()) {
      __builtin_prefetch(&mean[static_cast<std::size_t>(contacts[j + kAhead].b)]);
      batches.PrefetchImpulse(j + kAhead);
    }
    const DetectedContact& contact = contacts[j];
    const Vec3 impulse = batches.Impulse(j);
    const Body& a = mean[static_cast<std::size_t>(contact.a)];
    const Body& b = mean[static_cast<std::size_t>(contact.b)];
    const ContactVelocities velocities = VelocitiesAtContact(batches, j, contact.normal, a, b);
    double work = impulse.dot(velocities.relative);
    const bool with_wall = contact_bodies.IsWall(contact.b);
    double wall_work = with_wall ? impulse.dot(velocities.velocity_b) : 0.0;
    const Body image = ImageOf<Body>(before, contact.b, with_wall, images);
    double image_work = impulse.dot(image.v);
    ForEachLaw([&](auto law) {
      using Law = typename decltype(law)::type;
      const LawArrays<Law>& arrays = batches.ArraysOf<Law>();
      if (!arrays.IsActive()) return;
      const Vec3 law_impulse = arrays.Impulse(batches.SlotOf(j));
      const auto work_of = [&](const Body& body_a, const Body& body_b) {
        return law_impulse.dot(VelocityOfLaw<Law>(batches, j, contact.normal, body_a, body_b));
      };
      work += work_of(a, b);
      image_work -= work_of(Body(), image);
      if (with_wall) wall_work -= work_of(Body(), b);
    });
    balance.contacts += work;
    balance.shear += image_work;
    if (with_wall) balance.walls += wall_work;
    const bool is_impact = impact != impacts.end() && static_cast<std::size_t>(*impact) == j;
    if (is_impact) ++impact;
    const double opening = -batches.Bias(j);  // minimum δvₙ at the end of the step
    if (opening > 0.0) {
      const double energy = opening * impulse.dot(contact.normal);
      (is_impact ? balance.restitution : balance.error_reduction) += energy;
    }
  }
  balance.dissipated = balance.error_reduction - balance.contacts;
  return balance;
}

template EnergyBalance ComputeEnergyBalance(const Particles&, std::span<const SphereBody>,
                                            std::span<const SphereBody>, const Vec3&,
                                            std::span<const DetectedContact>,
                                            std::span<const Index>, const ContactBatches&,
                                            std::span<const Vec3>);
template EnergyBalance ComputeEnergyBalance(const Particles&, std::span<const RigidBody>,
                                            std::span<const RigidBody>, const Vec3&,
                                            std::span<const DetectedContact>,
                                            std::span<const Index>, const ContactBatches&,
                                            std::span<const Vec3>);

template <class Body>
double WorkOfBodyForces(const Particles& before, std::span<const Body> mean,
                        std::span<const Vec3> impulses, std::span<const Vec3> angular_impulses) {
  double work = 0.0;
  for (std::size_t i = 0; i < impulses.size(); ++i) {
    // SpinOf is r ω of a sphere, and ω of a rigid body.
    const double spin_per_omega = std::is_same_v<Body, SphereBody> ? before.radius[i] : 1.0;
    work += impulses[i].dot(mean[i].v) + angular_impulses[i].dot(SpinOf(mean[i])) / spin_per_omega;
  }
  return work;
}

template double WorkOfBodyForces(const Particles&, std::span<const SphereBody>,
                                 std::span<const Vec3>, std::span<const Vec3>);
template double WorkOfBodyForces(const Particles&, std::span<const RigidBody>,
                                 std::span<const Vec3>, std::span<const Vec3>);

double EnergyOfRemap(const PeriodicImages& images, const Particles& particles,
                     std::span<const double> inverse_masses) {
  double energy = 0.0;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    const Vec3 change = images.VelocityOfWrap(particles.position[i]);
    if (change.isZero(0.0)) continue;
    energy += change.dot(particles.velocity[i] + 0.5 * change) / inverse_masses[i];
  }
  return energy;
}

double WorkAgainstGravity(const Vec3& gravity, const Particles& particles,
                          std::span<const double> inverse_masses,
                          std::span<const Displacement> displacements) {
  if (displacements.empty()) return 0.0;
  Vec3 moment = Vec3::Zero();
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] != kRemovedId) moment += displacements[i].d / inverse_masses[i];
  }
  return -gravity.dot(moment);
}

template <class Body>
double EnergyOfRemoved(const Particles& particles, std::span<const Body> after,
                       std::span<const Body> mean) {
  double energy = 0.0;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] != kRemovedId || mean[i].inverse_mass == 0.0) continue;
    energy += KineticEnergyOf(after[i]);
  }
  return energy;
}

template double EnergyOfRemoved(const Particles&, std::span<const SphereBody>,
                                std::span<const SphereBody>);
template double EnergyOfRemoved(const Particles&, std::span<const RigidBody>,
                                std::span<const RigidBody>);

double EnergyOfRotation(const Particles& particles, std::span<const RigidBody> after,
                        std::span<const double> inverse_masses,
                        std::span<const ClumpShape> clumps) {
  double energy = 0.0;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId || particles.shape[i] == kSphereShape) continue;
    energy += KineticEnergyOf(particles, i, inverse_masses[i], clumps) - KineticEnergyOf(after[i]);
  }
  return energy;
}

double EnergyOfParticlesFrom(std::size_t first, const Particles& particles,
                             std::span<const double> inverse_masses,
                             std::span<const ClumpShape> clumps) {
  double energy = 0.0;
  for (std::size_t i = first; i < particles.Size(); ++i) {
    energy += KineticEnergyOf(particles, i, inverse_masses[i], clumps);
  }
  return energy;
}

EnergyBalance SumOverRanks(const Communicator& communicator, EnergyBalance balance) {
  std::vector<double> entries;
  ForEachEntry([&](const char*, double entry) { entries.push_back(entry); }, balance);
  communicator.Sum(entries);
  auto sum = entries.begin();
  ForEachEntry([&](const char*, double& entry) { entry = *sum++; }, balance);
  return balance;
}

}  // namespace scree
