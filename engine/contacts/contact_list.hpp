/// \file  The contacts of one step. Contacts of shared particles come first, so that their
///        communication overlaps with the work on the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/contacts/detected_contact.hpp"
#include "solvers/base/check.hpp"

namespace scree {

/// A range of contacts: those of shared particles, then the others, both in the order in which they
/// were added. Only if two bodies have more than four contacts with each other, these are sorted by
/// the fractional parts of multiples of the golden ratio.
///
/// The corners of a face, and often the members of a clump, are numbered around a circle. A
/// Gauss-Seidel sweep in this order passes the error on around the circle: with 20 contacts it
/// multiplies the velocity of tilting by factors of magnitude 0.8 (complex, or negative), and
/// momentum makes such an error grow. In the new order consecutive contacts are far apart and the
/// factors smaller, so that momentum is stable.
///
/// The number of shared contacts is known only at the end. The array therefore starts with free
/// space for a quarter more shared contacts than in the last step, so that the other contacts
/// rarely move.
class ContactList {
 public:
  /// @param all_spheres  true: contacts are added without geometry
  void Reserve(std::size_t contacts, bool any_shared, bool all_spheres = true);

  /// Starts an empty list. A new object needs no call.
  /// @param shared  one mark per local particle: 1 if other ranks have the particle too; must live
  ///                until End. Empty: no particle is shared
  void Begin(std::span<const std::uint8_t> shared = {});
  /// @returns whether the contact has a shared particle
  bool Add(const DetectedContact& contact) {
    const bool is_shared = IsShared(contact);
    if (is_shared) [[unlikely]] {
      shared_contacts_.push_back(contact);
    } else {
      contacts_.push_back(contact);
    }
    return is_shared;
  }
  bool Add(const DetectedContact& contact, const ContactGeometry& geometry) {
    const bool is_shared = Add(contact);
    (is_shared ? shared_geometry_ : geometry_).push_back(geometry);
    return is_shared;
  }
  /// Inserts the contacts of shared particles at the front (before this call the range has none),
  /// and scatters the contacts between the same two bodies.
  void End();

  /// Moves contacts for which needs_move(contact) is true to the end of another list. Both lists
  /// keep their order.
  /// @pre End was called, and no contact has a shared particle
  template <class NeedsMove>
  void MoveTo(ContactList& target, NeedsMove&& needs_move);

  /// Number of contacts; before End without the contacts of shared particles.
  std::size_t size() const { return contacts_.size() - first_; }
  bool empty() const { return size() == 0; }
  const DetectedContact* begin() const { return contacts_.data() + first_; }
  const DetectedContact* end() const { return contacts_.data() + contacts_.size(); }
  const DetectedContact& operator[](std::size_t j) const { return contacts_[first_ + j]; }
  std::size_t SharedCount() const { return shared_contacts_.size(); }
  ContactSpan All() const {
    return {*this, geometry_.size() > first_ ? std::span(geometry_).subspan(first_)
                                             : std::span<const ContactGeometry>()};
  }

  /// Memory of the arrays [bytes].
  std::size_t Bytes() const;

 private:
  bool IsShared(const DetectedContact& contact) const {
    return (MarkOf(contact.a) | MarkOf(contact.b)) != 0;
  }
  unsigned MarkOf(Index body) const {
    const auto i = static_cast<std::size_t>(body);
    return i < marks_.size() ? marks_[i] : 0;  // walls have no mark
  }

  void ScatterContactsOfPairs();
  void Scatter(std::size_t first, std::size_t last);

  std::span<const std::uint8_t> marks_;
  std::vector<DetectedContact> contacts_;                    // start at first_
  std::vector<DetectedContact> shared_contacts_;             // contacts of shared particles
  std::vector<ContactGeometry> geometry_, shared_geometry_;  // one per contact; empty: spheres
  // Scratch of Scatter.
  std::vector<std::uint32_t> order_;
  std::vector<DetectedContact> unscattered_;
  std::vector<ContactGeometry> unscattered_geometry_;
  std::size_t first_ = 0;
  std::size_t reserved_ = 0;  // memory is reserved for this number of contacts
};

template <class NeedsMove>
void ContactList::MoveTo(ContactList& target, NeedsMove&& needs_move) {
  SCREE_DEMAND(shared_contacts_.empty());
  const bool all_spheres = All().geometry.empty();
  std::size_t kept = first_;
  for (std::size_t j = first_; j < contacts_.size(); ++j) {
    if (needs_move(contacts_[j])) {
      all_spheres ? target.Add(contacts_[j]) : target.Add(contacts_[j], geometry_[j]);
      continue;
    }
    contacts_[kept] = contacts_[j];
    if (!all_spheres) geometry_[kept] = geometry_[j];
    ++kept;
  }
  contacts_.resize(kept);
  if (!all_spheres) geometry_.resize(kept);
}

}  // namespace scree
