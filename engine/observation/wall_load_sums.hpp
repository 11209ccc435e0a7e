/// \file  The loads of the walls over an interval of steps: their mean and standard deviation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/observation/wall_loads.hpp"
#include "engine/ranks/communicator.hpp"

namespace scree {

/// Of the loads in the steps of an interval, over all ranks; zeros if it has no step.
struct WallLoadMoments {
  WallLoad mean;
  WallLoad deviation;  // standard deviation of each component, over all of the steps
};

/// Plain data, all that the rest of the interval needs. The load of a step is the sum over the
/// ranks, which they learn of many steps at once: a reduction in each would cost more than all of
/// this.
struct WallLoadSums {
  std::int64_t steps = 0;       // of the interval, whose loads are in the moments: of base steps
  std::vector<double> mean;     // 6 per wall: force, torque; equal on all ranks
  std::vector<double> squares;  // Σ (load − mean)², likewise
  std::vector<double> pending;  // this rank's loads in the steps after these, step after step
  std::vector<std::int64_t> strides;  // base steps that each of these took; equal on all ranks
};

/// A book of an interval that begins.
WallLoadSums StartWallLoadBook(std::size_t walls);

/// Adds a step. Collective.
/// @param loads   this rank's, one per wall
/// @param stride  base steps that it took: its weight
void AddStep(const Communicator& communicator, std::span<const WallLoad> loads, std::int64_t stride,
             WallLoadSums& book);

/// What the interval has been like so far, one per wall. Collective.
std::vector<WallLoadMoments> MomentsOf(const Communicator& communicator, WallLoadSums book);

}  // namespace scree
