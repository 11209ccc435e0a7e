#include "io/scene/run_config.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

constexpr double kRoundingOfDoubles = 1e-6;  // of a step
constexpr double kRoundingOfTimes = 1e-4;    // of a time, if the base step is a power of ten

/// Rounding error, in steps, up to which a number of steps counts as whole. An automatic base step
/// is a power of ten seconds and far shorter than the times of a scene, so times such as a third of
/// a second are rounded to it. Any other base step was chosen by the user and requires whole
/// multiples, like a given step.
double RoundingOf(const StepParameters& step, double steps) {
  const double power = std::log10(step.dt);
  const bool is_decimal = std::abs(power - std::round(power)) < 1e-9;
  if (!(step.accuracy > 0.0 && is_decimal)) return kRoundingOfDoubles;
  return std::clamp(kRoundingOfTimes * steps, kRoundingOfDoubles, 0.5);
}

}  // namespace

std::int64_t Interval::InSteps(const StepParameters& step, const char* key) const {
  if (steps > 0) return steps;
  if (time == 0.0) return 0;
  const bool is_automatic = step.accuracy > 0.0;
  constexpr double kMaxSteps = 1e15;  // with more steps a double does not resolve one step
  const double exact = time / step.dt;
  const double whole = std::round(exact);
  if (whole >= 1.0 && exact < kMaxSteps && std::abs(exact - whole) <= RoundingOf(step, exact)) {
    return static_cast<std::int64_t>(whole);
  }
  std::string expected = "a whole number of steps, at least 1";
  if (is_automatic) {
    expected = Text("a whole number of them, such as ", std::max(whole, 1.0) * step.dt,
                    " s, or a time.base_step that divides the time");
  }
  if (!(exact < kMaxSteps)) expected = Text("fewer than ", kMaxSteps, " steps");
  if (!(exact < kMaxSteps) && is_automatic) expected += ", of a longer time.base_step";
  if (is_automatic && whole < 1.0) expected = "at least one, or a smaller time.base_step";
  throw InputError(Text(key, " = ", time, " s is ", exact, is_automatic ? " base" : "",
                        " steps of ", step.dt, " s; expected ", expected));
}

std::vector<std::int64_t> ProblemSteps(const RunConfig& config) {
  std::vector<std::int64_t> steps;
  for (const double time : config.output.problems) {
    steps.push_back(Interval{0, time}.InSteps(config.step, "output.problems"));
  }
  std::ranges::sort(steps);
  return steps;
}

AverageSpec Schedule(const AverageConfig& average, const RunConfig& config) {
  const StepParameters& step = config.step;
  AverageSpec spec{average.name, average.geometry};
  spec.first = Interval{0, average.from}.InSteps(step, "from");
  spec.last = Interval{0, config.time.end}.InSteps(step, "time.end");
  if (average.to) spec.last = std::min(spec.last, Interval{0, *average.to}.InSteps(step, "to"));
  if (spec.IsFlow()) {
    spec.frames_per_row = average.interval.InSteps(step, "interval");
    return spec;
  }
  spec.kinds = CountKinds(std::get<FieldGrid>(spec.geometry), config.scene);
  spec.frame_interval = average.frame_interval.InSteps(step, "every");
  spec.frames_per_row = average.interval.InSteps(step, "interval") / spec.frame_interval;
  return spec;
}

}  // namespace scree
