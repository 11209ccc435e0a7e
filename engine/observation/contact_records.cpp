#include "engine/observation/contact_records.hpp"

#include <utility>

#include "engine/contacts/contact_partner.hpp"
#include "solvers/check.hpp"

namespace scree {

std::vector<ContactRecord> RecordContacts(const std::vector<DetectedContact>& contacts,
                                          std::span<const WallBody> walls,
                                          const std::vector<Vec3>& impulses,
                                          const Particles& particles, double dt,
                                          const MemberTable& members) {
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
    const double half = 0.5 * contact.gap;
    record.position = centre - (particles.radius[a] + half) * contact.normal;
    if (!members.IsEmpty()) {
      const Member& member = members.Of(contact.a, contact.members.a);
      record.position = centre + member.centre - (member.radius + half) * contact.normal;
    }
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
