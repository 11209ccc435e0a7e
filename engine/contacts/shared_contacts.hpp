/// \file  Contacts of particles that several ranks hold come first, so that messages about them can
///        travel while the others are at work.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/contacts/contact_detection.hpp"
#include "engine/ranks/exchange_plan.hpp"

namespace scree {

/// One mark per local particle: 1 for ghosts and for particles that are ghosts elsewhere.
void MarkShared(const ExchangePlan& plan, std::size_t particles, std::vector<std::uint8_t>& shared);

/// Moves contacts that touch a shared particle to the front; both kinds keep their order.
/// @param shared_ones  scratch: becomes a copy of these
/// @returns the number of contacts that touch one
std::size_t PutSharedFirst(const std::vector<std::uint8_t>& shared,
                           std::vector<DetectedContact>& contacts,
                           std::vector<DetectedContact>& shared_ones);

}  // namespace scree
