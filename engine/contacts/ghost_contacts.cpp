#include "engine/contacts/ghost_contacts.hpp"

#include "engine/contacts/contact_partner.hpp"
#include "engine/ranks/contact_ownership.hpp"

namespace scree {

bool IsGhostContact(int rank, const Particles& particles, const Halo& halo,
                    const DetectedContact& contact) {
  const auto b = static_cast<std::size_t>(contact.b);
  if (b < particles.owned || b >= particles.Size()) return false;
  const std::size_t ghost = b - particles.owned;
  return !OwnsContact(rank, halo.owner[ghost], halo.image[ghost]);
}

void SplitGhostContacts(int rank, const Particles& particles, const Halo& halo,
                        ContactList& contacts, ContactList& ghosts) {
  ghosts.Begin();
  const auto is_ghost = [&](const DetectedContact& contact) {
    return IsGhostContact(rank, particles, halo, contact);
  };
  contacts.MoveTo(ghosts, is_ghost);
}

void SetBodyKeys(const Particles& particles, std::span<const WallBody> walls,
                 std::vector<std::int64_t>& keys) {
  keys.clear();
  for (const ParticleId id : particles.id) {
    keys.push_back(OrderKey(GlobalPartner::Particle(id)));
  }
  for (const WallBody& wall : walls) {
    keys.push_back(OrderKey(GlobalPartner::Surface(wall.surface)));
  }
}

}  // namespace scree
