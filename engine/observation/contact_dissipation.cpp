#include "engine/observation/contact_dissipation.hpp"

#include "solvers/base/check.hpp"
#include "solvers/batches/additional_laws.hpp"

namespace scree {
namespace {

/// A body at the mean of its velocities after the forces and after the solve; a wall keeps its own.
SphereBody MeanOf(const KickedParticles& before, SphereBody body, std::size_t number) {
  if (number >= before.particles.Size()) return body;
  const Vec3 u = before.particles.radius[number] * before.particles.angular_velocity[number];
  body.v = 0.5 * (before.particles.velocity[number] + before.kick + body.v);
  body.u = 0.5 * (u + body.u);
  return body;
}

RigidBody MeanOf(const KickedParticles& before, RigidBody body, std::size_t number) {
  if (number >= before.particles.Size()) return body;
  body.v = 0.5 * (before.particles.velocity[number] + before.kick + body.v);
  body.omega = 0.5 * (before.particles.angular_velocity[number] + body.omega);
  return body;
}

Vec3 VelocityAt(const ContactBatches&, std::size_t, const Vec3& normal, const SphereBody& a,
                const SphereBody& b) {
  return RelativeVelocity(a, b, normal);
}

Vec3 VelocityAt(const ContactBatches& batches, std::size_t j, const Vec3&, const RigidBody& a,
                const RigidBody& b) {
  return RelativeVelocity(a, b, batches.ArmsAt(j));
}

template <class Body>
void Find(const KickedParticles& before, std::span<const Body> after,
          std::span<const DetectedContact> contacts, std::span<const Index> impacts,
          const ContactBatches& batches, std::vector<double>& energies) {
  SCREE_DEMAND(batches.Size() >= contacts.size());
  energies.assign(contacts.size(), 0.0);
  auto impact = impacts.begin();
  for (std::size_t j = 0; j < contacts.size(); ++j) {
    const DetectedContact& contact = contacts[j];
    const auto number_a = static_cast<std::size_t>(contact.a);
    const auto number_b = static_cast<std::size_t>(contact.b);
    const Body a = MeanOf(before, after[number_a], number_a);
    const Body b = MeanOf(before, after[number_b], number_b);
    const Vec3 impulse = batches.Impulse(j);
    energies[j] = -impulse.dot(VelocityAt(batches, j, contact.normal, a, b));
    ForEachLaw([&](auto law) {
      using Law = typename decltype(law)::type;
      const LawArrays<Law>& arrays = batches.Of<Law>();
      if (!arrays.Acts()) return;
      const ContactSlot slot = batches.SlotOf(j);
      energies[j] -= arrays.Impulse(slot).dot(Law::Velocity(arrays.At(slot), a, b));
    });
    const bool is_impact = impact != impacts.end() && static_cast<std::size_t>(*impact) == j;
    if (is_impact) ++impact;
    const double opening = -batches.Bias(j);  // least δvₙ at the end
    if (!is_impact && opening > 0.0) energies[j] += opening * impulse.dot(contact.normal);
  }
}

}  // namespace

void FindDissipation(const KickedParticles& before, std::span<const SphereBody> after,
                     std::span<const DetectedContact> contacts, std::span<const Index> impacts,
                     const ContactBatches& batches, std::vector<double>& energies) {
  Find(before, after, contacts, impacts, batches, energies);
}

void FindDissipation(const KickedParticles& before, std::span<const RigidBody> after,
                     std::span<const DetectedContact> contacts, std::span<const Index> impacts,
                     const ContactBatches& batches, std::vector<double>& energies) {
  Find(before, after, contacts, impacts, batches, energies);
}

}  // namespace scree
