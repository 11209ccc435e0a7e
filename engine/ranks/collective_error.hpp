/// \file  Makes what one rank found wrong the error of all ranks, so that none is left waiting.
#pragma once

#include <string>

#include "engine/ranks/communicator.hpp"

namespace scree {

/// All ranks' messages, joined in the order of the ranks, the same text everywhere; empty if no
/// rank has one. Collective.
inline std::string GatherErrors(const Communicator& communicator, const std::string& message) {
  if (communicator.Max(static_cast<std::int64_t>(!message.empty())) == 0) return {};
  std::string joined;
  for (const std::string& one : communicator.GatherAtRoot(message)) {
    if (one.empty()) continue;
    if (!joined.empty()) joined += "\n";
    joined += one;
  }
  return communicator.Broadcast(joined);
}

/// Throws an Error with the joined messages on every rank if any rank has one. Collective.
template <class Error>
void ThrowIfAny(const Communicator& communicator, const std::string& message) {
  const std::string joined = GatherErrors(communicator, message);
  if (!joined.empty()) throw Error(joined);
}

}  // namespace scree
