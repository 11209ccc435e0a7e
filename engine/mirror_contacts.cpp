#include "engine/mirror_contacts.hpp"

#include <limits>

#include "engine/contact_ownership.hpp"

namespace scree {

void MoveMirrors(int rank, const Particles& particles, const Halo& halo,
                 std::vector<DetectedContact>& contacts, std::vector<DetectedContact>& mirrors) {
  mirrors.clear();
  std::size_t kept = 0;
  for (const DetectedContact& contact : contacts) {
    const auto a = static_cast<std::size_t>(contact.a), b = static_cast<std::size_t>(contact.b);
    const bool with_ghost = b >= particles.owned && b < particles.Size();
    if (with_ghost &&
        !IsTreatedHere(rank, particles.id[a], halo.owner[b - particles.owned], particles.id[b])) {
      mirrors.push_back(contact);
    } else {
      contacts[kept++] = contact;
    }
  }
  contacts.resize(kept);
}

void SetBodyKeys(const Particles& particles, std::size_t walls, std::vector<std::int64_t>& keys) {
  keys.assign(particles.id.begin(), particles.id.end());
  const std::int64_t first_wall =
      std::numeric_limits<std::int64_t>::max() - static_cast<std::int64_t>(walls);
  for (std::size_t w = 0; w < walls; ++w) {
    keys.push_back(first_wall + static_cast<std::int64_t>(w));
  }
}

}  // namespace scree
