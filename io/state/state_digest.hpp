/// \file  One number for all that the next step starts from, to the last bit: what golden runs are
///        compared by.
#pragma once

#include <cstdint>

#include "engine/step/time_step.hpp"

namespace scree {

/// The digest of all ranks' particles in the order of their ids (id, radius, position, velocity,
/// angular velocity, orientation; not velocity_change, which shows in the next steps) and of the
/// remembered impulses in the order of the ids of the two that touch: it does not depend on which
/// rank has what, in which order. Collective.
/// @returns the same number on every rank
std::uint64_t StateDigest(const Communicator& communicator, const State& state,
                          const TimeStep& step);

}  // namespace scree
