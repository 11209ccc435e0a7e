#include "engine/contacts/contact_list.hpp"

#include <algorithm>
#include <numeric>

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

/// Sets elements[k] to the old elements[order[k]].
template <class T>
void Permute(std::span<const std::uint32_t> order, T* elements, std::vector<T>& scratch) {
  scratch.assign(elements, elements + order.size());
  for (std::size_t k = 0; k < order.size(); ++k) elements[k] = scratch[order[k]];
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
  if (!All().geometry.empty()) ScatterContactsOfPairs();
}

void ContactList::ScatterContactsOfPairs() {
  constexpr std::size_t kMaxInOrder = 4;
  for (std::size_t first = first_; first < contacts_.size();) {
    const auto is_same_pair = [&](const DetectedContact& contact) {
      return contact.a == contacts_[first].a && contact.b == contacts_[first].b;
    };
    std::size_t last = first + 1;
    while (last < contacts_.size() && is_same_pair(contacts_[last])) ++last;
    if (last - first > kMaxInOrder) Scatter(first, last);
    first = last;
  }
}

/// Sorts contacts first .. last - 1 by the fractional part of k/φ, where k is the position of the
/// contact so far: consecutive contacts are then 0.38 of the whole apart, or nearly so.
void ContactList::Scatter(std::size_t first, std::size_t last) {
  constexpr std::uint32_t kPerGoldenRatio = 0x9E3779B9;  // 2³²/φ
  order_.resize(last - first);
  std::iota(order_.begin(), order_.end(), 0u);
  std::ranges::sort(order_, {}, [](std::uint32_t k) { return k * kPerGoldenRatio; });
  Permute(order_, &contacts_[first], unscattered_);
  Permute(order_, &geometry_[first], unscattered_geometry_);
}

std::size_t ContactList::Bytes() const {
  return (contacts_.capacity() + shared_contacts_.capacity()) * sizeof(DetectedContact) +
         (geometry_.capacity() + shared_geometry_.capacity()) * sizeof(ContactGeometry);
}

}  // namespace scree
