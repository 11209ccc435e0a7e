/// \file  Checks that all ranks of a Python program make the same call before a collective, so that
///        no rank hangs.
#pragma once

#include <string>

#include "engine/ranks/communicator.hpp"

namespace scree::python {

/// Precedes every collective call of a program. It throws if ranks are about to make different
/// calls, or if one of them found an error in its own. Collective itself, whichever calls follow.
/// @param call   its name, and those of its arguments that have to be the same on all ranks
/// @param error  what this rank found wrong with its call; empty if nothing
/// @throws InputError on all ranks
void AgreeOnCall(const Communicator& communicator, const std::string& call,
                 const std::string& error);

/// Ends all ranks if this error may have occurred on this rank alone while the others wait for it:
/// out of memory, or a failure to write of which they do not know. There is no other remedy. Other
/// errors are left to the caller.
void AbortIfAlone(const std::exception& error);

}  // namespace scree::python
