#include "engine/observation/contact_dissipation.hpp"

#include "solvers/base/check.hpp"
#include "solvers/batches/additional_laws.hpp"
#include "solvers/batches/body_kinds.hpp"

namespace scree {
template <class Body>
void FindDissipation(std::span<const Body> mean, std::span<const DetectedContact> contacts,
                     std::span<const Index> impacts, const ContactBatches& batches,
                     std::vector<double>& energies) {
  SCREE_DEMAND(batches.Size() >= contacts.size());
  energies.assign(contacts.size(), 0.0);
  auto impact = impacts.begin();
  for (std::size_t j = 0; j < contacts.size(); ++j) {
    const DetectedContact& contact = contacts[j];
    const Body& a = mean[static_cast<std::size_t>(contact.a)];
    const Body& b = mean[static_cast<std::size_t>(contact.b)];
    const Vec3 impulse = batches.Impulse(j);
    energies[j] = -impulse.dot(VelocityAt(batches, j, contact.normal, a, b));
    ForEachLaw([&](auto law) {
      using Law = typename decltype(law)::type;
      const LawArrays<Law>& arrays = batches.ArraysOf<Law>();
      if (!arrays.IsActive()) return;
      energies[j] -= arrays.Impulse(batches.SlotOf(j))
                         .dot(VelocityOfLaw<Law>(batches, j, contact.normal, a, b));
    });
    const bool is_impact = impact != impacts.end() && static_cast<std::size_t>(*impact) == j;
    if (is_impact) ++impact;
    const double opening = -batches.Bias(j);  // minimum δvₙ at the end of the step
    if (!is_impact && opening > 0.0) energies[j] += opening * impulse.dot(contact.normal);
  }
}

template void FindDissipation(std::span<const SphereBody>, std::span<const DetectedContact>,
                              std::span<const Index>, const ContactBatches&, std::vector<double>&);
template void FindDissipation(std::span<const RigidBody>, std::span<const DetectedContact>,
                              std::span<const Index>, const ContactBatches&, std::vector<double>&);

}  // namespace scree
