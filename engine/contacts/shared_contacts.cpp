#include "engine/contacts/shared_contacts.hpp"

namespace scree {

void MarkShared(const ExchangePlan& plan, std::size_t particles,
                std::vector<std::uint8_t>& shared) {
  shared.assign(particles, 0);
  plan.MarkShared(shared);
}

std::size_t PutSharedFirst(const std::vector<std::uint8_t>& shared,
                           std::vector<DetectedContact>& contacts,
                           std::vector<DetectedContact>& spare) {
  const auto mark_of = [&](Index body) -> std::size_t {
    const auto i = static_cast<std::size_t>(body);
    return i < shared.size() ? shared[i] : 0;  // walls have none
  };
  const auto is_shared = [&](const DetectedContact& contact) {
    return mark_of(contact.a) | mark_of(contact.b);
  };
  std::size_t count = 0;
  for (const DetectedContact& contact : contacts) count += is_shared(contact);
  spare.resize(contacts.size());
  std::size_t next[] = {count, 0};  // place of the rest's next, and of the shared ones'
  for (const DetectedContact& contact : contacts) spare[next[is_shared(contact)]++] = contact;
  contacts.swap(spare);
  return count;
}

}  // namespace scree
