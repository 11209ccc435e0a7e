#include "engine/contacts/contact_list.hpp"

#include <algorithm>

namespace scree {
namespace {

/// Copies `front` to the elements before all[first], and makes space if there is not enough.
/// @returns index of the first element of `front` in `all`
template <class T>
std::size_t Prepend(const std::vector<T>& front, std::size_t first, std::vector<T>& all) {
  if (front.size() > first) {
    all.insert(all.begin(), front.size() - first, T());
    first = front.size();
  }
  const std::size_t begin = first - front.size();
  std::ranges::copy(front, all.begin() + static_cast<std::ptrdiff_t>(begin));
  return begin;
}

}  // namespace

void ContactList::Reserve(std::size_t contacts, bool any_shared, bool all_spheres) {
  reserved_ = contacts;
  const std::size_t all = contacts + (any_shared ? contacts / 8 : 0);
  contacts_.reserve(all);
  if (any_shared) shared_contacts_.reserve(contacts);
  if (all_spheres) return;
  geometry_.reserve(all);
  if (any_shared) shared_geometry_.reserve(contacts);
}

void ContactList::Begin(std::span<const std::uint8_t> shared) {
  marks_ = shared;
  const std::size_t last_shared = shared_contacts_.size();
  const std::size_t spare = contacts_.capacity() - std::min(contacts_.capacity(), reserved_);
  first_ = shared.empty() ? 0 : std::min(last_shared + last_shared / 4, spare);
  shared_contacts_.clear();
  shared_geometry_.clear();
  contacts_.resize(first_);
  geometry_.resize(geometry_.capacity() == 0 ? 0 : first_);
}

void ContactList::End() {
  marks_ = {};
  if (!geometry_.empty() || !shared_geometry_.empty()) {
    Prepend(shared_geometry_, first_, geometry_);
  }
  first_ = Prepend(shared_contacts_, first_, contacts_);
}

std::size_t ContactList::Bytes() const {
  return (contacts_.capacity() + shared_contacts_.capacity()) * sizeof(DetectedContact) +
         (geometry_.capacity() + shared_geometry_.capacity()) * sizeof(ContactGeometry);
}

}  // namespace scree
