/// \file  Wall-clock time per phase of the step.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>

namespace scree {

enum class Phase {
  kNeighborList,
  kDetection,
  kAssembly,
  kSweeps,
  kExchange,
  kIntegration,
  kBalance,  // load balance: recording work, finding cuts; migration belongs to kNeighborList
  kOther
};
inline constexpr std::size_t kPhases = 8;
inline constexpr std::array<const char*, kPhases> kPhaseNames = {
    "neighbor_list", "detection",   "assembly", "sweeps",
    "exchange",      "integration", "balance",  "other"};

/// A stopwatch that always runs: each mark adds the time since the previous mark to a phase.
class PhaseTimer {
 public:
  void Mark(Phase phase) {
    const auto now = Clock::now();
    seconds_[static_cast<std::size_t>(phase)] += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }
  /// Time recorded for a phase since the start [s].
  double Seconds(Phase phase) const { return seconds_[static_cast<std::size_t>(phase)]; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
  std::array<double, kPhases> seconds_ = {};
};

}  // namespace scree
