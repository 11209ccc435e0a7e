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

/// One count per body: local particles, then walls. The scheme (SchemeRequirements) decides which
/// contacts are counted: all contacts, so that all copies of a body have equal counts, or only the
/// contacts on other ranks.
///
/// Call Start, StartGather and FinishGather in this order. They are collective over the plan's
/// peers, and their communication overlaps with the caller's work between them.
class ContactCounts {
 public:
  void Reserve(std::size_t bodies);

  /// Counts this rank's contacts and, unless the scheme needs ghost contacts, sends the counts of
  /// ghosts to their owners.
  /// @param contacts  contacts that this rank owns; if the scheme needs no ghost contacts, the
  ///                  contacts of shared bodies suffice
  /// @param ghost_contacts  contacts that other ranks own, of this rank's particles; only if needed
  /// @param bodies    number of bodies
  void Start(const SchemeRequirements& requirements, const Communicator& communicator,
             ExchangePlan& plan, std::span<const DetectedContact> contacts,
             std::span<const DetectedContact> ghost_contacts, std::size_t bodies);
  /// Adds the counts that other ranks sent for this rank's bodies, and sends them the sums.
  void StartGather(const Communicator& communicator, ExchangePlan& plan);
  /// Sets the counts of ghosts to the sums received from their owners.
  void FinishGather(ExchangePlan& plan);

  /// The counts; empty if the scheme needs none because no body is shared.
  std::span<const Index> PerBody() const { return counts_; }

 private:
  bool counts_all_ = false;  // false: only the contacts on other ranks count
  std::vector<Index> counts_;
  std::vector<Index> local_counts_;  // of this rank's contacts
};

}  // namespace scree
