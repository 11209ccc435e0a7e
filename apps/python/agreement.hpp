/// \file  Checks before a collective operation that all ranks of a Python program make the same
///        call, so that no rank hangs.
#pragma once

#include <string>

#include "engine/ranks/communicator.hpp"

namespace scree::python {

/// Call this before every collective operation of a program. It throws if ranks are about to make
/// different calls, or if one of them found an error in its call. It is itself one collective
/// operation, the same for every call, so that ranks with different calls meet here.
/// @param call   the call as text: its name, and the values of the arguments that must agree
/// @param error  the error that this rank found in its call; empty if none
/// @throws InputError on all ranks
void AgreeOnCall(const Communicator& communicator, const std::string& call,
                 const std::string& error);

/// Ends all ranks if this error may have occurred on this rank only, while the others wait for it:
/// out of memory, or a failed write of which the other ranks do not know. Nothing else would end
/// the wait. The caller handles all other errors.
void AbortOnLocalError(const std::exception& error);

}  // namespace scree::python
