/// \file  A small channel flow past an obstacle, made in code: piston, inflow, outflow, walls.
#pragma once

#include "apps/run/golden_channel.hpp"
#include "tests/support/scenes.hpp"

namespace scree::test {

/// That of the golden runs: 1300 particles or so in the end.
inline Scene SmallChannel() { return GoldenChannel(); }

/// The channel's first state, each rank's own part.
inline State FilledChannel(const Communicator& communicator, const Scene& scene) {
  return FirstState(communicator, scene);
}

}  // namespace scree::test
