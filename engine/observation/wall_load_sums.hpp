/// \file  The loads of the walls over an interval of steps: their mean and standard deviation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/observation/wall_loads.hpp"
#include "engine/ranks/communicator.hpp"

namespace scree {

/// Moments of the loads in the steps of an interval, over all ranks; zero if there are no steps.
struct WallLoadMoments {
  WallLoad mean;
  WallLoad deviation;  // standard deviation of each component over all these steps
};

/// Sums of the loads in the current interval. The load of a step is a sum over the ranks. One
/// reduction serves many steps, because a reduction in each step would cost more than all other
/// work on the sums.
struct WallLoadSums {
  std::int64_t steps = 0;             // base steps whose loads are in the moments
  std::vector<double> mean;           // 6 per wall: force, torque; equal on all ranks
  std::vector<double> squares;        // Σ (load − mean)², in the same order
  std::vector<double> pending;        // this rank's loads in later steps, not yet in the moments
  std::vector<std::int64_t> strides;  // base steps of each pending step; equal on all ranks
};

WallLoadSums StartWallLoadSums(std::size_t walls);

/// Adds a step. Collective.
/// @param loads   of this rank, one per wall
/// @param stride  number of base steps in this step, which is the weight of the step
void AddStep(const Communicator& communicator, std::span<const WallLoad> loads, std::int64_t stride,
             WallLoadSums& sums);

/// The moments of the interval so far, one per wall. Collective.
std::vector<WallLoadMoments> MomentsOf(const Communicator& communicator, WallLoadSums sums);

}  // namespace scree
