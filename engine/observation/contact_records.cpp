#include "engine/observation/contact_records.hpp"

#include <utility>

#include "engine/contacts/contact_partner.hpp"
#include "solvers/check.hpp"

namespace scree {

std::vector<ContactRecord> RecordContacts(const std::vector<DetectedContact>& contacts,
                                          std::span<const WallBody> walls,
                                          const std::vector<Vec3>& impulses,
                                          const Particles& particles, double dt) {
  SCREE_DEMAND(impulses.size() == contacts.size());
  const ContactBodies bodies(particles, walls);
  std::vector<ContactRecord> records;
  records.reserve(contacts.size());
  for (std::size_t j = 0; j < contacts.size(); ++j) {
    const DetectedContact& contact = contacts[j];
    const auto a = static_cast<std::size_t>(contact.a);
    ContactRecord record;
    record.id_a = particles.id[a];
    record.normal = contact.normal;
    record.gap = contact.gap;
    record.impulse = impulses[j];
    const Vec3 centre = particles.position[a] - dt * particles.velocity[a];
    record.position = centre - (particles.radius[a] + 0.5 * contact.gap) * contact.normal;
    if (bodies.IsWall(contact.b)) {
      record.wall = bodies.WallOf(contact.b).wall;
    } else {
      record.id_b = particles.id[static_cast<std::size_t>(contact.b)];
      if (record.id_b < record.id_a) {
        std::swap(record.id_a, record.id_b);
        record.normal = -record.normal;
        record.impulse = -record.impulse;
      }
    }
    records.push_back(record);
  }
  return records;
}

}  // namespace scree
