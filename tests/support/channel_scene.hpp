/// \file  A small channel flow past an obstacle, made in code: piston, inflow, outflow, walls.
#pragma once

#include "apps/run/golden_channel.hpp"
#include "tests/support/scenes.hpp"

namespace scree::test {

/// Scene of the golden runs: about 1300 particles at the end.
inline Scene SmallChannel() { return GoldenChannel(); }

/// Initial state of the channel; each rank has its own part.
inline State FilledChannel(const Communicator& communicator, const Scene& scene) {
  return FirstState(communicator, scene);
}

}  // namespace scree::test
