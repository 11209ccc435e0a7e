#include "engine/contacts/shared_contacts.hpp"

#include <algorithm>

namespace scree {

void MarkShared(const ExchangePlan& plan, std::size_t particles,
                std::vector<std::uint8_t>& shared) {
  shared.assign(particles, 0);
  plan.MarkShared(shared);
}

std::size_t PutSharedFirst(const std::vector<std::uint8_t>& shared,
                           std::vector<DetectedContact>& contacts,
                           std::vector<DetectedContact>& shared_ones) {
  const auto mark_of = [&](Index body) -> unsigned {
    const auto i = static_cast<std::size_t>(body);
    return i < shared.size() ? shared[i] : 0;  // walls have none
  };
  const auto is_shared = [&](const DetectedContact& contact) {
    return (mark_of(contact.a) | mark_of(contact.b)) != 0;
  };
  shared_ones.clear();
  for (const DetectedContact& contact : contacts) {
    if (is_shared(contact)) shared_ones.push_back(contact);
  }
  // The rest moves up, from the last on: those behind the last shared one stay.
  std::size_t next = contacts.size();
  for (std::size_t j = contacts.size(); j-- > 0 && next > shared_ones.size();) {
    if (!is_shared(contacts[j]) && --next != j) contacts[next] = contacts[j];
  }
  std::copy(shared_ones.begin(), shared_ones.end(), contacts.begin());
  return shared_ones.size();
}

}  // namespace scree
