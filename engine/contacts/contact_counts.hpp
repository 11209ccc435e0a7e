/// \file  How many contacts work on each body: what the steps of the sweeps depend on.
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

/// One count per body: local particles, then walls. Which contacts count is the scheme's choice
/// (SchemeRequirements): all, and copies of a body have equal counts, or those on other ranks.
///
/// They are counted anew by three calls, in this order and collective over the plan's peers, so
/// that messages travel while the caller does something else.
class ContactCounts {
 public:
  void Reserve(std::size_t bodies);

  /// Counts what is here and sends the counts of ghosts to their owners.
  /// @param contacts  that this rank treats; without mirrors those of shared bodies will do
  /// @param mirrors   if needed: those of its own particles that other ranks treat
  /// @param bodies    number of bodies
  void Start(const SchemeRequirements& needs, const Communicator& communicator, ExchangePlan& plan,
             std::span<const DetectedContact> contacts, std::span<const DetectedContact> mirrors,
             std::size_t bodies);
  /// Adds what others have counted of this rank's bodies, and sends them the sums.
  void StartGather(const Communicator& communicator, ExchangePlan& plan);
  /// Gives ghosts the sums of their owners.
  void FinishGather(ExchangePlan& plan);

  /// Empty if no body is shared and the scheme needs none then.
  std::span<const Index> PerBody() const { return of_body_; }

 private:
  bool counts_all_ = false;  // not only the contacts on other ranks
  std::vector<Index> of_body_;
  std::vector<Index> here_;  // of these contacts
};

}  // namespace scree
