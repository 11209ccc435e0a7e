/// \file  Decides whether a waiting rank yields its core or sleeps.
#pragma once

namespace scree {

/// If there are more ranks than cores, a waiting rank should yield its core to the rank for which
/// it waits (sched_yield). But if another program computes on that core, the yield gives that
/// program a whole time slice of several milliseconds, and a step has dozens of waits. A process
/// that sleeps gets its core back as soon as it wakes up, but a sleep takes longer than a yield to
/// another rank.
///
/// A yield that takes a whole time slice therefore shows that another program computes on the core.
/// After such a yield, the rank sleeps in its waits for some time.
class YieldBackoff {
 public:
  /// Whether the rank should sleep instead of yielding.
  /// @param now  [s], of a steady clock
  bool ShouldSleep(double now) const { return now < sleeps_until_; }
  /// Records a yield from `before` to `after` [s].
  void RecordYield(double before, double after) {
    if (after - before > kSlice) sleeps_until_ = after + kSleepPeriod;
  }

  /// Length of a sleep [s]. Shorter sleeps would keep the system busy with its timers.
  static constexpr double kSleep = 50e-6;

 private:
  /// Time slice of a program that computes [s]: 2.8 to 4 ms on Linux with few cores. Another rank
  /// on the core yields sooner, or computes for so long that a sleep makes no difference.
  static constexpr double kSlice = 3e-3;
  /// Time for which a rank sleeps in its waits after a yield longer than kSlice [s].
  static constexpr double kSleepPeriod = 0.1;

  double sleeps_until_ = 0.0;
};

}  // namespace scree
