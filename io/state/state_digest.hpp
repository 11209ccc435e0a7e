/// \file  A digest of the state of a run, bit by bit. Golden tests compare it.
#pragma once

#include <cstdint>

#include "engine/step/time_step.hpp"

namespace scree {

/// The digest of the particles and stored impulses of all ranks. Particles are sorted by id; each
/// has id, radius, position, velocity, angular velocity and orientation. velocity_change is not
/// included, although it affects the next steps. Impulses are sorted by the two ids of their
/// contact. The digest does not depend on the distribution over ranks or on the local order.
/// Collective.
/// @returns the same number on every rank
std::uint64_t StateDigest(const Communicator& communicator, const State& state,
                          const TimeStep& step);

}  // namespace scree
