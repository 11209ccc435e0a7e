/// \file  A digest of all bits on which the next step depends. Golden tests compare it.
#pragma once

#include <cstdint>

#include "engine/step/time_step.hpp"

namespace scree {

/// The digest of all ranks' particles in the order of their ids (id, radius, position, velocity,
/// angular velocity, orientation; not velocity_change, although it affects the next steps) and of
/// the stored impulses in the order of the two ids of a contact. It does not depend on the
/// distribution over ranks or on the local order. Collective.
/// @returns the same number on every rank
std::uint64_t StateDigest(const Communicator& communicator, const State& state,
                          const TimeStep& step);

}  // namespace scree
