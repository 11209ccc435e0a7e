/// \file  Contacts per body, which set the under-relaxation of a sweep.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/contacts/detected_contact.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/ranks/exchange_plan.hpp"
#include "solvers/base/types.hpp"
#include "solvers/sweeps/scheme.hpp"

namespace scree {

/// One count per body: local particles, then walls. The scheme (SchemeRequirements) chooses the
/// contacts that count: all contacts, so that all copies of a body have equal counts, or only the
/// contacts on other ranks.
///
/// Three calls in the order Start, StartGather, FinishGather count again. They are collective over
/// the plan's peers. The communication overlaps with the caller's work between them.
class ContactCounts {
 public:
  void Reserve(std::size_t bodies);

  /// Counts this rank's contacts and sends the counts of ghosts to their owners.
  /// @param contacts  contacts that this rank owns; without ghosts those of shared bodies suffice
  /// @param ghosts    contacts of this rank's particles that other ranks own, if the scheme needs
  ///                  them
  /// @param bodies    number of bodies
  void Start(const SchemeRequirements& needs, const Communicator& communicator, ExchangePlan& plan,
             std::span<const DetectedContact> contacts, std::span<const DetectedContact> ghosts,
             std::size_t bodies);
  /// Adds the counts that other ranks sent for this rank's bodies, and sends them the sums.
  void StartGather(const Communicator& communicator, ExchangePlan& plan);
  /// Gives ghosts the sums of their owners.
  void FinishGather(ExchangePlan& plan);

  /// The counts; empty if no body is shared and the scheme then needs no counts.
  std::span<const Index> PerBody() const { return of_body_; }

 private:
  bool counts_all_ = false;  // false: only the contacts on other ranks count
  std::vector<Index> of_body_;
  std::vector<Index> here_;  // counts of this rank's contacts
};

}  // namespace scree
