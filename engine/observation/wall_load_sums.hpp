/// \file  The loads of the walls over an interval of steps: their mean and standard deviation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/observation/wall_loads.hpp"
#include "engine/ranks/communicator.hpp"

namespace scree {

/// Moments of the loads in the steps of an interval, over all ranks; zeros without steps.
struct WallLoadMoments {
  WallLoad mean;
  WallLoad deviation;  // standard deviation of each component over all these steps
};

/// Sums of the loads in the present interval: plain data, from which the interval can continue. The
/// load of a step is a sum over the ranks. One reduction serves many steps, because a reduction in
/// each step would cost more than everything else here.
struct WallLoadSums {
  std::int64_t steps = 0;             // base steps whose loads are in the moments
  std::vector<double> mean;           // 6 per wall: force, torque; equal on all ranks
  std::vector<double> squares;        // Σ (load − mean)², in the same order
  std::vector<double> pending;        // this rank's loads in the later steps, by step
  std::vector<std::int64_t> strides;  // base steps of each of the later steps; equal on all ranks
};

/// Empty sums for the start of an interval.
WallLoadSums StartWallLoadSums(std::size_t walls);

/// Adds a step. Collective.
/// @param loads   of this rank, one per wall
/// @param stride  number of base steps that the step took: its weight
void AddStep(const Communicator& communicator, std::span<const WallLoad> loads, std::int64_t stride,
             WallLoadSums& sums);

/// The moments of the interval so far, one per wall. Collective.
std::vector<WallLoadMoments> MomentsOf(const Communicator& communicator, WallLoadSums sums);

}  // namespace scree
