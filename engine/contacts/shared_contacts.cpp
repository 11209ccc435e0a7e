#include "engine/contacts/shared_contacts.hpp"

#include <algorithm>

namespace scree {

void MarkShared(const ExchangePlan& plan, std::size_t particles,
                std::vector<std::uint8_t>& shared) {
  shared.assign(particles, 0);
  for (const ExchangePlan::Peer& peer : plan.Peers()) {
    for (const Index i : peer.sent) shared[static_cast<std::size_t>(i)] = 1;
    for (Index g = 0; g < peer.ghosts; ++g) {
      shared[static_cast<std::size_t>(peer.first_ghost + g)] = 1;
    }
  }
}

std::size_t PutSharedFirst(const std::vector<std::uint8_t>& shared,
                           std::vector<DetectedContact>& contacts,
                           std::vector<DetectedContact>& rest) {
  const auto is_shared = [&](Index body) {
    const auto i = static_cast<std::size_t>(body);
    return i < shared.size() && shared[i] != 0;  // walls are not
  };
  rest.clear();
  std::size_t count = 0;
  for (const DetectedContact& contact : contacts) {
    if (is_shared(contact.a) || is_shared(contact.b)) {
      contacts[count++] = contact;
    } else {
      rest.push_back(contact);
    }
  }
  std::copy(rest.begin(), rest.end(), contacts.begin() + static_cast<std::ptrdiff_t>(count));
  return count;
}

}  // namespace scree
