/// \file  Runs an action that may fail on some ranks, and turns the failure into an error on all
/// ranks.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "engine/ranks/collective_error.hpp"
#include "engine/ranks/communicator.hpp"

namespace scree {

/// Runs the action on every rank. If it throws on any rank, every rank throws an Error with all
/// messages. A message that equals that of root is not repeated. This call is collective, but the
/// action must not be.
///
/// If the action throws std::bad_alloc on one rank, only that rank rethrows it. The caller must
/// then abort all ranks, as ReportError and scree.engine do.
template <class Error, class Action>
void CallOnAll(const Communicator& communicator, Action&& action) {
  std::string message;
  try {
    action();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    message = error.what();
  }
  const std::string at_root = communicator.Broadcast(message);
  if (!communicator.IsRoot() && message == at_root) message.clear();
  ThrowIfAny<Error>(communicator, message);
}

/// As CallOnAll, for an action of root alone, such as renaming a file. Collective.
template <class Error, class Action>
void CallOnRoot(const Communicator& communicator, Action&& action) {
  CallOnAll<Error>(communicator, [&] {
    if (communicator.IsRoot()) action();
  });
}

}  // namespace scree
