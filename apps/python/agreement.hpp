/// \file  Checks that all ranks of a Python program make the same call before a collective, so that
/// no rank hangs.
#pragma once

#include <string>

#include "engine/ranks/communicator.hpp"

namespace scree::python {

/// Before a collective call: nothing if all ranks make the same one and none found anything wrong
/// with it. Collective, for any two calls alike: a mismatch is reported here.
/// @param call   with its arguments, as far as they have to be the same
/// @param error  what this rank found wrong; empty: nothing
/// @throws InputError on all ranks
void AgreeOnCall(const Communicator& communicator, const std::string& call,
                 const std::string& error);

/// An error that this rank may have met alone, in the middle of work that others wait for: out of
/// memory, or a file that they do not know to have failed. The only remedy is to end all ranks.
void AbortIfAlone(const std::exception& error);

}  // namespace scree::python
