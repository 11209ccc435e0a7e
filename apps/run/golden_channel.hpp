/// \file  A small channel flow past an obstacle, and the digest of its final state: the reference
///        of tests and of `scree-run --self-test`.
#pragma once

#include <cstdint>

#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"
#include "engine/step/time_step.hpp"

namespace scree {

/// 30 x 12 x 8 sites of 1 mm with a box and a cylinder as obstacles; piston, inflow, outflow,
/// walls.
Scene GoldenChannel();

/// The particles of the scene's fills on each rank.
State FirstState(const Communicator& communicator, const Scene& scene);

/// StateDigest after this many steps with default parameters and Jacobi. It is the same on any
/// number of ranks and any processor.
inline constexpr int kGoldenChannelSteps = 200;
inline constexpr std::uint64_t kGoldenChannelDigest = 0x04d8badb5d3576cf;

}  // namespace scree
