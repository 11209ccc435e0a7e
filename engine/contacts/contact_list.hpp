/// \file  The contacts of one step. Those of particles that several ranks hold come first, so that
///        messages about them can travel while the others are at work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/contacts/detected_contact.hpp"
#include "solvers/base/check.hpp"

namespace scree {

/// A range of contacts: those of shared particles, then the others, both in the order in which they
/// were added.
///
/// How many contacts of shared particles there are is known only at the end. So the others are
/// stored behind a gap, a quarter larger than the last step needed; the contacts of shared
/// particles are then copied into the gap, and the others need not move.
class ContactList {
 public:
  /// Makes room for so many contacts.
  void Reserve(std::size_t contacts, bool any_shared);

  /// Begins anew; a new list has begun.
  /// @param shared  one mark per local particle: 1 for those that other ranks have too; to stay
  ///                until End; empty: there are none
  void Begin(std::span<const std::uint8_t> shared = {});
  void Add(const DetectedContact& contact) {
    if ((MarkOf(contact.a) | MarkOf(contact.b)) != 0) [[unlikely]] {
      shared_ones_.push_back(contact);
    } else {
      contacts_.push_back(contact);
    }
  }
  /// Puts those of shared particles in front; until then they are not in the range.
  void End();

  /// Takes out contacts for which takes(contact) holds; the rest keep their order.
  /// @pre it has ended, and no contact has a shared particle
  template <class Takes>
  void TakeOut(Takes&& takes, std::vector<DetectedContact>& taken);

  std::size_t size() const { return contacts_.size() - first_; }
  bool empty() const { return size() == 0; }
  const DetectedContact* begin() const { return contacts_.data() + first_; }
  const DetectedContact* end() const { return contacts_.data() + contacts_.size(); }
  const DetectedContact& operator[](std::size_t j) const { return contacts_[first_ + j]; }
  /// How many contacts have a shared particle.
  std::size_t SharedCount() const { return shared_ones_.size(); }

  /// Memory of the arrays.
  std::size_t Bytes() const;

 private:
  unsigned MarkOf(Index body) const {
    const auto i = static_cast<std::size_t>(body);
    return i < marks_.size() ? marks_[i] : 0;  // walls have none
  }

  std::span<const std::uint8_t> marks_;
  std::vector<DetectedContact> contacts_;     // from first_ on
  std::vector<DetectedContact> shared_ones_;  // while the others are added
  std::size_t first_ = 0;
  std::size_t most_ = 0;  // so many there was made room for
};

template <class Takes>
void ContactList::TakeOut(Takes&& takes, std::vector<DetectedContact>& taken) {
  SCREE_DEMAND(shared_ones_.empty());
  std::size_t kept = first_;
  for (std::size_t j = first_; j < contacts_.size(); ++j) {
    if (takes(contacts_[j])) {
      taken.push_back(contacts_[j]);
    } else {
      contacts_[kept++] = contacts_[j];
    }
  }
  contacts_.resize(kept);
}

}  // namespace scree
