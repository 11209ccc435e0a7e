/// \file  Turns an error on one rank into an error on all ranks, so that no rank waits forever.
#pragma once

#include <string>

#include "engine/ranks/communicator.hpp"

namespace scree {

/// Joins the messages of all ranks in the order of the ranks. The text is the same on every rank,
/// and empty if no rank has a message. Collective.
inline std::string GatherErrors(const Communicator& communicator, const std::string& message) {
  if (communicator.Max(static_cast<std::int64_t>(!message.empty())) == 0) return {};
  std::string joined;
  for (const std::string& text : communicator.GatherAtRoot(message)) {
    if (text.empty()) continue;
    if (!joined.empty()) joined += "\n";
    joined += text;
  }
  return communicator.Broadcast(joined);
}

/// Throws an Error with the joined messages on every rank, if any rank has a message. Collective.
template <class Error>
void ThrowIfAny(const Communicator& communicator, const std::string& message) {
  const std::string joined = GatherErrors(communicator, message);
  if (!joined.empty()) throw Error(joined);
}

}  // namespace scree
