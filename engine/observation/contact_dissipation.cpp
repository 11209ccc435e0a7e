#include "engine/observation/contact_dissipation.hpp"

#include "engine/contacts/contact_assembly.hpp"
#include "solvers/base/check.hpp"
#include "solvers/batches/additional_laws.hpp"
#include "solvers/batches/body_kinds.hpp"

namespace scree {
namespace {

/// A body at the mean of its velocities after the forces and after the solve; a wall keeps its own.
template <class Body>
Body MeanOf(const KickedParticles& before, Body body, std::size_t number) {
  if (number >= before.particles.Size()) return body;
  body.v = 0.5 * (before.particles.velocity[number] + before.pushes.VelocityOf(number) + body.v);
  Vec3 spin = SpinOf<Body>(before.particles, number);
  if (before.pushes.Any()) spin += SpinPush<Body>(before.particles, before.pushes, number);
  SpinOf(body) = 0.5 * (spin + SpinOf(body));
  return body;
}

}  // namespace

template <class Body>
void FindDissipation(const KickedParticles& before, const std::vector<Body>& after,
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
      energies[j] -= arrays.Impulse(batches.SlotOf(j))
                         .dot(VelocityOfLaw<Law>(batches, j, contact.normal, a, b));
    });
    const bool is_impact = impact != impacts.end() && static_cast<std::size_t>(*impact) == j;
    if (is_impact) ++impact;
    const double opening = -batches.Bias(j);  // least δvₙ at the end
    if (!is_impact && opening > 0.0) energies[j] += opening * impulse.dot(contact.normal);
  }
}

template void FindDissipation(const KickedParticles&, const std::vector<SphereBody>&,
                              std::span<const DetectedContact>, std::span<const Index>,
                              const ContactBatches&, std::vector<double>&);
template void FindDissipation(const KickedParticles&, const std::vector<RigidBody>&,
                              std::span<const DetectedContact>, std::span<const Index>,
                              const ContactBatches&, std::vector<double>&);

}  // namespace scree
