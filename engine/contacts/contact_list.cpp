#include "engine/contacts/contact_list.hpp"

#include <algorithm>

namespace scree {

void MarkShared(const ExchangePlan& plan, std::size_t particles,
                std::vector<std::uint8_t>& shared) {
  shared.assign(particles, 0);
  plan.MarkShared(shared);
}

void ContactList::Reserve(std::size_t contacts, bool any_shared) {
  room_ = any_shared ? shared_ones_.size() + shared_ones_.size() / 4 : 0;
  contacts_.reserve(room_ + contacts);
  if (any_shared) shared_ones_.reserve(contacts);
}

void ContactList::Begin(std::span<const std::uint8_t> shared) {
  marks_ = shared;
  shared_ones_.clear();
  contacts_.resize(room_);
}

void ContactList::End() {
  const std::size_t shared = shared_ones_.size();
  if (shared > room_) contacts_.insert(contacts_.begin(), shared - room_, DetectedContact());
  first_ = std::max(room_, shared) - shared;
  std::ranges::copy(shared_ones_, contacts_.begin() + static_cast<std::ptrdiff_t>(first_));
}

std::size_t ContactList::Bytes() const {
  return (contacts_.capacity() + shared_ones_.capacity()) * sizeof(DetectedContact);
}

}  // namespace scree
