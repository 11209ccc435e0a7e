#include "io/run_config.hpp"

#include <cmath>

#include "solvers/check.hpp"

namespace scree {

std::int64_t Interval::InSteps(double dt, const char* key) const {
  if (steps > 0) return steps;
  if (time == 0.0) return 0;
  constexpr double kTolerance = 1e-6;  // of a step
  constexpr double kMostSteps = 1e15;  // beyond, doubles do not resolve the tolerance
  const double exact = time / dt;
  const double whole = std::round(exact);
  if (whole < 1.0 || !(exact < kMostSteps) || std::abs(exact - whole) > kTolerance) {
    throw InputError(Text(key, " = ", time, " s is ", exact, " steps of ", dt,
                          " s; expected a whole number of steps, at least 1"));
  }
  return static_cast<std::int64_t>(whole);
}

}  // namespace scree
