#include "apps/single/models/smooth_motion.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/roots.hpp>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <cstdint>

#include "solvers/base/check.hpp"

namespace scree::impact {
namespace {

namespace odeint = boost::numeric::odeint;

// A motion that needs more steps than this in total is too stiff for an explicit method.
constexpr double kMaxTotalSteps = 1e8;
constexpr long kStepsBetweenChecks = 100'000;
constexpr double kSameTime = 1e-9;  // times closer than this fraction of a sample step are equal

/// Root of f in [low, high] up to rounding. f(low) and f(high) differ in sign.
template <class F>
double Root(const F& f, double low, double f_low, double high, double f_high) {
  if (f_low == 0.0) return low;
  if (f_high == 0.0) return high;
  std::uintmax_t iterations = 200;
  const auto bracket = boost::math::tools::toms748_solve(
      f, low, high, f_low, f_high, boost::math::tools::eps_tolerance<double>(51), iterations);
  return bracket.second;  // on the far side, where the value has passed zero
}

/// One step of the motion: its ends, and the state anywhere between them.
struct Step {
  double from, to;
  std::function<void(double t, MotionState& y)> state_at;
  bool is_interpolated;  // linearly, so that dips and peaks within the step are not detected

  double Value(const MotionQuantity& quantity, double t) const {
    MotionState y;
    state_at(t, y);
    return quantity(t, y);
  }
};

constexpr double kNoPassage = -1.0;  // instead of a time

/// The zero crossing of the straight line between the ends. If there is a rate, the value must fall
/// there or at the end of the step.
double PassageOfChord(const MotionWatch& watch, const Step& step) {
  const double from = step.from, to = step.to;
  const double at_from = step.Value(watch.value, from), at_to = step.Value(watch.value, to);
  if (at_to >= 0.0) return kNoPassage;
  const bool rises = watch.rate && step.Value(watch.rate, to) >= 0.0;
  if (at_from <= 0.0) return rises ? kNoPassage : to;
  const double passage = from + (to - from) * at_from / (at_from - at_to);
  if (!watch.rate || step.Value(watch.rate, passage) < 0.0) return passage;
  return rises ? kNoPassage : to;
}

/// The times within a step at which the rate changes sign: minima and maxima of the value.
class TurningPoints {
 public:
  TurningPoints(const MotionWatch& watch, const Step& step)
      : value_(watch.value), rate_(watch.rate), step_(step) {
    End low = At(step.from);
    for (int i = 1; i <= kParts; ++i) {
      const End high = At(i == kParts ? step.to : step.from + (step.to - step.from) * i / kParts);
      if (low.rate * high.rate < 0.0) {
        AddBetween(low, high);
      } else {
        AddHidden(low, high);
      }
      low = high;
    }
    falls_at_end_ = low.rate < 0.0;
  }

  const double* begin() const { return times_; }
  const double* end() const { return times_ + count_; }
  bool FallsAtEnd() const { return falls_at_end_; }

 private:
  struct End {
    double t, value, rate;
  };

  End At(double t) const { return {t, step_.Value(value_, t), step_.Value(rate_, t)}; }

  void AddBetween(const End& low, const End& high) {
    const auto rate = [this](double t) { return step_.Value(rate_, t); };
    times_[count_++] = Root(rate, low.t, low.rate, high.t, high.rate);
  }

  /// Adds two changes of sign between ends of equal sign: a hop or dip within a part of the step.
  /// Searches for the extremum of the rate if the rate of the cubic through both ends comes nearer
  /// to zero between them.
  void AddHidden(const End& low, const End& high) {
    const double h = high.t - low.t, mean = (high.value - low.value) / h;
    const double sign = low.rate + high.rate > 0.0 ? 1.0 : -1.0;
    const bool falls = sign * (6.0 * mean - 4.0 * low.rate - 2.0 * high.rate) < 0.0;
    const bool rises = sign * (-6.0 * mean + 2.0 * low.rate + 4.0 * high.rate) > 0.0;
    if (!falls || !rises) return;
    std::uintmax_t iterations = 60;
    const auto [t, min] = boost::math::tools::brent_find_minima(
        [&](double s) { return sign * step_.Value(rate_, s); }, low.t, high.t, 30, iterations);
    if (!(min < 0.0)) return;
    const End middle = At(t);
    AddBetween(low, middle);
    AddBetween(middle, high);
  }

  static constexpr int kParts = 4;
  const MotionQuantity& value_;
  const MotionQuantity& rate_;
  const Step& step_;
  double times_[2 * kParts];
  int count_ = 0;
  bool falls_at_end_ = false;
};

/// The time at which the watched value becomes negative within the step, or kNoPassage.
/// Between two turning points the value is monotonic. Every falling stretch is checked, even one
/// that ends in a dip at or beyond the end of the step.
double Passage(const MotionWatch& watch, const Step& step) {
  if (step.is_interpolated) return PassageOfChord(watch, step);
  const auto value = [&](double t) { return step.Value(watch.value, t); };
  double from = step.from, at_from = value(from);
  const auto falls_below = [&](double to, double level) {
    const double at_to = value(to);
    if (at_to < at_from && at_to < level) {
      return at_from <= 0.0 ? from : Root(value, from, at_from, to, at_to);
    }
    from = to;
    at_from = at_to;
    return kNoPassage;
  };
  double level = 0.0;
  if (watch.rate) {
    const TurningPoints turns(watch, step);
    for (const double turn : turns) {
      const double passage = falls_below(turn, -watch.tolerance);
      if (passage != kNoPassage) return passage;
    }
    if (!turns.FallsAtEnd()) level = -watch.tolerance;
  }
  return falls_below(step.to, level);
}

class Follower {
 public:
  Follower(double start, double end, std::span<const MotionWatch> watches,
           const MotionControl& control, const MotionObserver& observer)
      : start_(start), end_(end), watches_(watches), control_(control), observer_(observer) {
    if (control.sample_step > 0.0) {
      next_sample_ = std::floor(start / control.sample_step) + 1.0;
    }
  }

  /// @returns true if the motion ends within this step; result() is then complete
  bool ProcessStep(const Step& step) {
    CheckProgress(step.to);
    result_.t = step.to;
    for (std::size_t i = 0; i < watches_.size(); ++i) {
      const double passage = Passage(watches_[i], step);
      if (passage >= 0.0 && (result_.watch < 0 || passage < result_.t)) {
        result_.t = passage;
        result_.watch = static_cast<int>(i);
      }
    }
    step.state_at(result_.t, result_.y);
    for (const double value : result_.y) {
      if (!std::isfinite(value)) {
        throw SimulationError(Text("at t = ", step.from, " s the motion is no longer finite"));
      }
    }
    const bool ends = result_.watch >= 0 || result_.t >= end_;
    Observe(step, ends);
    return ends;
  }

  const MotionEnd& result() const { return result_; }

 private:
  void CheckProgress(double t) {
    if (++steps_ % kStepsBetweenChecks != 0) return;
    if (static_cast<double>(steps_) * (end_ - start_) > kMaxTotalSteps * (t - start_)) {
      throw SimulationError(Text(
          "at t = ", t, " s the motion needs steps of ", (t - start_) / static_cast<double>(steps_),
          " s: too short to ever reach the end; are damping or stiffness far too large?"));
    }
  }

  void Observe(const Step& step, bool ends) {
    if (!observer_) return;
    if (control_.sample_step == 0.0) {
      if (!ends) observer_(result_.t, result_.y);
      return;
    }
    // A sample time that differs from the end only by rounding counts as the end.
    const double last = ends ? result_.t - kSameTime * control_.sample_step : result_.t;
    MotionState y;
    for (double t = next_sample_ * control_.sample_step; ends ? t < last : t <= last;
         t = ++next_sample_ * control_.sample_step) {
      step.state_at(t, y);
      observer_(t, y);
    }
  }

  double start_, end_;
  std::span<const MotionWatch> watches_;
  const MotionControl& control_;
  const MotionObserver& observer_;
  double next_sample_ = 0.0;  // number of the next sample: its time divided by the sample step
  long steps_ = 0;
  MotionEnd result_;
};

MotionEnd FollowDense(const MotionLaw& law, double t, const MotionState& y, double end,
                      const MotionControl& control, Follower& follower) {
  auto stepper =
      odeint::make_dense_output(control.tolerance, control.tolerance, control.longest_step,
                                odeint::runge_kutta_dopri5<MotionState>());
  stepper.initialize(y, t, std::min(control.first_step, control.longest_step));
  for (;;) {
    const auto [from, to] = stepper.do_step(std::cref(law));
    const Step step{from, std::min(to, end),
                    [&](double inner_time, MotionState& state) {
                      state.resize(y.size());
                      stepper.calc_state(inner_time, state);
                    },
                    false};
    if (follower.ProcessStep(step)) return follower.result();
  }
}

MotionEnd FollowFixed(const MotionLaw& law, double t, MotionState y, double end,
                      const MotionControl& control, Follower& follower) {
  odeint::runge_kutta4<MotionState> stepper;
  MotionState y_before;
  for (;;) {
    y_before = y;
    const double length = std::min(control.fixed_step, end - t);
    const double to = length < control.fixed_step ? end : t + length;
    stepper.do_step(std::cref(law), y, t, length);
    const Step step{t, to,
                    [&](double inner_time, MotionState& state) {
                      const double part = inner_time == to ? 1.0 : (inner_time - t) / (to - t);
                      state.resize(y.size());
                      for (std::size_t i = 0; i < y.size(); ++i) {
                        state[i] = (1.0 - part) * y_before[i] + part * y[i];
                      }
                    },
                    true};
    if (follower.ProcessStep(step)) return follower.result();
    t = to;
  }
}

}  // namespace

MotionEnd FollowMotion(const MotionLaw& law, double t, MotionState y, double end,
                       std::span<const MotionWatch> watches, const MotionControl& control,
                       const MotionObserver& observer) {
  if (!(t < end)) return {t, std::move(y), -1};
  Follower follower(t, end, watches, control, observer);
  try {
    if (control.fixed_step > 0.0) {
      return FollowFixed(law, t, std::move(y), end, control, follower);
    }
    return FollowDense(law, t, y, end, control, follower);
  } catch (const odeint::odeint_error& error) {
    throw SimulationError(Text("after t = ", follower.result().t,
                               " s no step is short enough for the motion: ", error.what()));
  }
}

}  // namespace scree::impact
