#include "engine/contacts/mirror_contacts.hpp"

#include "engine/contacts/contact_partner.hpp"
#include "engine/ranks/contact_ownership.hpp"

namespace scree {

void MoveMirrors(int rank, const Particles& particles, const Halo& halo,
                 std::vector<DetectedContact>& contacts, std::vector<DetectedContact>& mirrors) {
  mirrors.clear();
  std::size_t kept = 0;
  for (const DetectedContact& contact : contacts) {
    const auto b = static_cast<std::size_t>(contact.b);
    const bool with_ghost = b >= particles.owned && b < particles.Size();
    const std::size_t ghost = b - particles.owned;
    if (with_ghost && !IsTreatedHere(rank, halo.owner[ghost], halo.image[ghost])) {
      mirrors.push_back(contact);
    } else {
      contacts[kept++] = contact;
    }
  }
  contacts.resize(kept);
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
