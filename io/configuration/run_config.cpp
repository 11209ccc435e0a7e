#include "io/configuration/run_config.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/base/check.hpp"

namespace scree {

std::int64_t Interval::InSteps(double dt, const char* key) const {
  if (steps > 0) return steps;
  if (time == 0.0) return 0;
  const double tolerance = dt == kBaseStep ? 0.5 : 1e-6;  // of a step
  constexpr double kMostSteps = 1e15;  // beyond, doubles do not resolve the tolerance
  const double exact = time / dt;
  const double whole = std::round(exact);
  if (whole < 1.0 || !(exact < kMostSteps) || std::abs(exact - whole) > tolerance) {
    throw InputError(Text(key, " = ", time, " s is ", exact, " steps of ", dt,
                          " s; expected a whole number of steps, at least 1"));
  }
  return static_cast<std::int64_t>(whole);
}

AverageSpec Schedule(const AverageConfig& average, const RunConfig& config) {
  const double dt = config.step.dt;
  AverageSpec spec{average.name, average.of};
  spec.first = Interval{0, average.from}.InSteps(dt, "from");
  spec.last = Interval{0, config.time.end}.InSteps(dt, "time.end");
  if (average.to) spec.last = std::min(spec.last, Interval{0, *average.to}.InSteps(dt, "to"));
  if (spec.IsFlow()) {
    spec.frames_per_row = average.interval.InSteps(dt, "interval");
    return spec;
  }
  spec.kinds = CountKinds(std::get<FieldGrid>(spec.of), config.scene);
  spec.every = average.every.InSteps(dt, "every");
  spec.frames_per_row = average.interval.InSteps(dt, "interval") / spec.every;
  return spec;
}

}  // namespace scree
