#include "engine/observation/wall_load_sums.hpp"

#include <cmath>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

constexpr std::size_t kComponents = 6;    // of a load
constexpr std::size_t kMaxPending = 256;  // steps

/// Adds the pending loads to the moments, step by step (B. P. Welford, Technometrics 4, 419
/// (1962)). This method does not lose the small deviation of an almost constant load to rounding.
/// The sums of squares never become negative, not even by rounding.
void AddPending(const Communicator& communicator, WallLoadSums& sums) {
  communicator.Sum(sums.pending);
  const std::size_t size = sums.mean.size();
  for (std::size_t row = 0; row < sums.strides.size(); ++row) {
    const auto weight = static_cast<double>(sums.strides[row]);
    sums.steps += sums.strides[row];
    const auto steps = static_cast<double>(sums.steps);
    for (std::size_t k = 0; k < size; ++k) {
      const double load = sums.pending[row * size + k];
      const double deviation = load - sums.mean[k];
      sums.mean[k] += weight * deviation / steps;
      sums.squares[k] += weight * (1.0 - weight / steps) * (deviation * deviation);
    }
  }
  sums.pending.clear();
  sums.strides.clear();
}

WallLoad LoadOf(const double* numbers) {
  return {Vec3(numbers[0], numbers[1], numbers[2]), Vec3(numbers[3], numbers[4], numbers[5])};
}

}  // namespace

WallLoadSums StartWallLoadSums(std::size_t walls) {
  WallLoadSums sums;
  sums.mean.assign(kComponents * walls, 0.0);
  sums.squares.assign(kComponents * walls, 0.0);
  return sums;
}

void AddStep(const Communicator& communicator, std::span<const WallLoad> loads, std::int64_t stride,
             WallLoadSums& sums) {
  SCREE_DEMAND(kComponents * loads.size() == sums.mean.size());
  for (const WallLoad& load : loads) {
    sums.pending.insert(sums.pending.end(), load.force.begin(), load.force.end());
    sums.pending.insert(sums.pending.end(), load.torque.begin(), load.torque.end());
  }
  sums.strides.push_back(stride);
  if (sums.strides.size() == kMaxPending) AddPending(communicator, sums);
}

std::vector<WallLoadMoments> MomentsOf(const Communicator& communicator, WallLoadSums sums) {
  AddPending(communicator, sums);
  std::vector<double> deviations(sums.squares.size(), 0.0);
  for (std::size_t k = 0; k < deviations.size() && sums.steps > 0; ++k) {
    deviations[k] = std::sqrt(sums.squares[k] / static_cast<double>(sums.steps));
  }
  std::vector<WallLoadMoments> moments;
  for (std::size_t first = 0; first < deviations.size(); first += kComponents) {
    moments.push_back({LoadOf(&sums.mean[first]), LoadOf(&deviations[first])});
  }
  return moments;
}

}  // namespace scree
