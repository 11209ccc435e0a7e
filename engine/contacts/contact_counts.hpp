/// \file  How many contacts or ranks work on each body: what the steps of the sweeps depend on.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/contacts/contact_detection.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/ranks/exchange_plan.hpp"
#include "solvers/scheme.hpp"
#include "solvers/types.hpp"

namespace scree {

/// One count per body: local particles, then walls. What it counts is the scheme's choice
/// (solvers/scheme.hpp). Copies of a body have equal counts of all but kContactsElsewhere.
struct ContactCounts {
  std::vector<Index> of_body;  // empty if no body is shared and the scheme needs none then
  std::vector<Index> here;     // scratch: contacts that this rank treats
};

/// Counts anew; collective over the plan's peers.
/// @param contacts  that this rank treats
/// @param mirrors   if needed: those of its own particles that other ranks treat
/// @param bodies    number of bodies
void CountContacts(const SchemeNeeds& needs, const Communicator& communicator, ExchangePlan& plan,
                   std::span<const DetectedContact> contacts,
                   std::span<const DetectedContact> mirrors, std::size_t bodies,
                   ContactCounts& counts);

}  // namespace scree
