/// \file  Checks that all ranks of a Python program make the same call before a collective, so that
///        no rank hangs.
#pragma once

#include <string>

#include "engine/ranks/communicator.hpp"

namespace scree::python {

/// Call this before every collective operation of a program. It throws if ranks are about to make
/// different calls, or if one of them found an error in its call. It is itself collective, for
/// every kind of call.
/// @param call   name of the call, and of the arguments that have to be the same on all ranks
/// @param error  the error that this rank found in its call; empty if none
/// @throws InputError on all ranks
void AgreeOnCall(const Communicator& communicator, const std::string& call,
                 const std::string& error);

/// Ends all ranks if this error may have occurred on this rank alone while the others wait for it:
/// out of memory, or a failed write that the other ranks do not know of. Nothing else would end the
/// wait. Other errors are left to the caller.
void AbortIfAlone(const std::exception& error);

}  // namespace scree::python
