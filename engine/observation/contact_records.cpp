#include "engine/observation/contact_records.hpp"

#include <utility>

#include "engine/contacts/contact_partner.hpp"
#include "engine/particles/position_corrections.hpp"
#include "solvers/base/check.hpp"

namespace scree {

std::vector<ContactRecord> RecordContacts(const ContactSpan& contacts,
                                          std::span<const WallBody> walls,
                                          const ContactImpulses& impulses,
                                          const Particles& particles, double dt,
                                          const PositionCorrections& corrections) {
  SCREE_DEMAND(impulses.lambda.size() == contacts.size());
  const ContactBodies bodies(particles, walls);
  std::vector<ContactRecord> records;
  records.reserve(contacts.size());
  for (std::size_t j = 0; j < contacts.size(); ++j) {
    const DetectedContact& contact = contacts[j];
    const ContactArms arms = contacts.GeometryOf(j, particles).arms;
    const auto a = static_cast<std::size_t>(contact.a);
    ContactRecord record;
    record.id_a = particles.id[a];
    record.normal = contact.normal;
    record.gap = contact.gap;
    record.impulse = impulses.lambda[j];
    if (!impulses.laws.empty()) record.pull = impulses.laws[j];
    if (!impulses.dissipation.empty()) record.dissipation = impulses.dissipation[j];
    record.a = contact.a;
    record.arm_a = -arms.a;
    if (bodies.IsWall(contact.b)) record.arm_a -= 0.5 * contact.gap * contact.normal;
    record.position =
        particles.position[a] - dt * particles.velocity[a] - corrections.Of(a) - record.arm_a;
    if (bodies.IsWall(contact.b)) {
      record.wall = bodies.WallOf(contact.b).wall;
    } else {
      record.b = contact.b;
      record.arm_b = -arms.b;
      record.id_b = particles.id[static_cast<std::size_t>(contact.b)];
      if (record.id_b < record.id_a) {
        std::swap(record.id_a, record.id_b);
        std::swap(record.a, record.b);
        std::swap(record.arm_a, record.arm_b);
        record.normal = -record.normal;
        record.impulse = -record.impulse;
        record.pull = -record.pull;
      }
    }
    records.push_back(record);
  }
  return records;
}

}  // namespace scree
