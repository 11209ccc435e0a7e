/// \file  When a wait gives its core away, and when it sleeps.
#pragma once

namespace scree {

/// Where more ranks run than cores, a wait should give its core to the rank that it waits for:
/// sched_yield. If another program computes on that core, that program gets it, for a whole time
/// slice, some milliseconds, and a step has dozens of waits. A process that sleeps gets its core
/// back as soon as it wakes up; but to sleep costs more than to yield to a rank.
///
/// A yield as long as a time slice therefore indicates such a program; waits then sleep for a
/// while.
class YieldBackoff {
 public:
  /// @param now  [s], of a steady clock
  bool Sleeps(double now) const { return now < sleeps_until_; }
  /// What a yield took, from `before` to `after` [s].
  void Note(double before, double after) {
    if (after - before > kSlice) sleeps_until_ = after + kWhile;
  }

  /// How long a wait sleeps [s]: shorter sleeps keep the system busy with its timers.
  static constexpr double kSleep = 50e-6;

 private:
  /// Of a program that computes, on Linux 2.8 to 4 ms with few cores; a rank waits again sooner, or
  /// has so much to do between its waits that sleeping in them does not count.
  static constexpr double kSlice = 3e-3;
  static constexpr double kWhile = 0.1;

  double sleeps_until_ = 0.0;
};

}  // namespace scree
