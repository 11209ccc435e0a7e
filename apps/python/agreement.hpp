/// \file  What ranks of a Python program agree on before they work together, so that none is left
///        waiting.
#pragma once

#include <string>

#include "engine/ranks/communicator.hpp"

namespace scree::python {

/// Before a collective call: nothing if all ranks make the same one and none found anything wrong
/// with it. Collective, for any two calls alike: ranks that make different ones hear of it here.
/// @param call   with its arguments, as far as they have to be the same
/// @param error  what this rank found wrong; empty: nothing
/// @throws InputError on all ranks
void AgreeOnCall(const Communicator& communicator, const std::string& call,
                 const std::string& error);

/// An error that this rank may have met alone, in the middle of work that others wait for: out of
/// memory, or a file that they do not know to have failed. Then nothing but the end of all helps.
void AbortIfAlone(const std::exception& error);

}  // namespace scree::python
