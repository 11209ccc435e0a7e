#include "io/configuration/run_config.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/base/check.hpp"

namespace scree {

std::int64_t Interval::InSteps(const StepParameters& step, const char* key) const {
  if (steps > 0) return steps;
  if (time == 0.0) return 0;
  const bool is_automatic = step.accuracy > 0.0;
  const double tolerance = is_automatic ? 0.5 : 1e-6;  // of a step
  constexpr double kMostSteps = 1e15;                  // beyond, doubles do not resolve that
  const double exact = time / step.dt;
  const double whole = std::round(exact);
  if (whole >= 1.0 && exact < kMostSteps && std::abs(exact - whole) <= tolerance) {
    return static_cast<std::int64_t>(whole);
  }
  std::string wanted = "a whole number of steps, at least 1";
  if (!(exact < kMostSteps)) wanted = Text("fewer than ", kMostSteps, " steps");
  if (!(exact < kMostSteps) && is_automatic) wanted += ", of a longer time.base_step";
  if (is_automatic && whole < 1.0) wanted = "at least one, or a smaller time.base_step";
  throw InputError(Text(key, " = ", time, " s is ", exact, is_automatic ? " base" : "",
                        " steps of ", step.dt, " s; expected ", wanted));
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
  AverageSpec spec{average.name, average.of};
  spec.first = Interval{0, average.from}.InSteps(step, "from");
  spec.last = Interval{0, config.time.end}.InSteps(step, "time.end");
  if (average.to) spec.last = std::min(spec.last, Interval{0, *average.to}.InSteps(step, "to"));
  if (spec.IsFlow()) {
    spec.frames_per_row = average.interval.InSteps(step, "interval");
    return spec;
  }
  spec.kinds = CountKinds(std::get<FieldGrid>(spec.of), config.scene);
  spec.every = average.every.InSteps(step, "every");
  spec.frames_per_row = average.interval.InSteps(step, "interval") / spec.every;
  return spec;
}

}  // namespace scree
