#include "engine/contacts/mirror_contacts.hpp"

#include <limits>

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
    if (with_ghost && !IsTreatedHere(rank, halo.owner[ghost], halo.shift[ghost])) {
      mirrors.push_back(contact);
    } else {
      contacts[kept++] = contact;
    }
  }
  contacts.resize(kept);
}

void SetBodyKeys(const Particles& particles, std::span<const WallBody> walls,
                 std::vector<std::int64_t>& keys) {
  keys.assign(particles.id.begin(), particles.id.end());
  constexpr std::int64_t kFirstWall =
      std::numeric_limits<std::int64_t>::max() - std::numeric_limits<Index>::max();
  for (const WallBody& wall : walls) keys.push_back(kFirstWall + wall.surface);
}

}  // namespace scree
