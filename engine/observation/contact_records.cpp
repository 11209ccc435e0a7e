#include "engine/observation/contact_records.hpp"

#include <utility>

#include "engine/contacts/contact_partner.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// From the middle of a gap to the centre of a particle.
/// @param normal  towards the particle
Vec3 ArmToCentre(const Particles& particles, const MemberTable& members, Index particle,
                 std::uint16_t number, const Vec3& normal, double gap) {
  const double radius = particles.radius[static_cast<std::size_t>(particle)];
  if (members.IsEmpty()) return (radius + 0.5 * gap) * normal;
  const Member& member = members.Of(particle, number);
  return (member.radius + 0.5 * gap) * normal - member.centre;
}

}  // namespace

std::vector<ContactRecord> RecordContacts(std::span<const DetectedContact> contacts,
                                          std::span<const WallBody> walls,
                                          const ContactImpulses& impulses,
                                          const Particles& particles, double dt,
                                          const MemberTable& members) {
  SCREE_DEMAND(impulses.lambda.size() == contacts.size());
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
    record.impulse = impulses.lambda[j];
    if (!impulses.laws.empty()) record.pull = impulses.laws[j];
    if (!impulses.dissipation.empty()) record.dissipation = impulses.dissipation[j];
    record.a = contact.a;
    record.arm_a =
        ArmToCentre(particles, members, contact.a, contact.members.a, contact.normal, contact.gap);
    record.position = particles.position[a] - dt * particles.velocity[a] - record.arm_a;
    if (bodies.IsWall(contact.b)) {
      record.wall = bodies.WallOf(contact.b).wall;
    } else {
      record.b = contact.b;
      record.arm_b = ArmToCentre(particles, members, contact.b, contact.members.b, -contact.normal,
                                 contact.gap);
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
