#include "engine/contacts/contact_list.hpp"

#include <algorithm>

namespace scree {

void ContactList::Reserve(std::size_t contacts, bool any_shared) {
  most_ = contacts;
  contacts_.reserve(contacts + (any_shared ? contacts / 8 : 0));
  if (any_shared) shared_ones_.reserve(contacts);
}

void ContactList::Begin(std::span<const std::uint8_t> shared) {
  marks_ = shared;
  const std::size_t last = shared_ones_.size();
  const std::size_t spare = contacts_.capacity() - std::min(contacts_.capacity(), most_);
  first_ = shared.empty() ? 0 : std::min(last + last / 4, spare);
  shared_ones_.clear();
  contacts_.resize(first_);
}

void ContactList::End() {
  marks_ = {};
  const std::size_t shared = shared_ones_.size();
  if (shared > first_) {
    contacts_.insert(contacts_.begin(), shared - first_, DetectedContact());
    first_ = shared;
  }
  first_ -= shared;
  std::ranges::copy(shared_ones_, contacts_.begin() + static_cast<std::ptrdiff_t>(first_));
}

std::size_t ContactList::Bytes() const {
  return (contacts_.capacity() + shared_ones_.capacity()) * sizeof(DetectedContact);
}

}  // namespace scree
