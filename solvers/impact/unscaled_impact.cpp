#include "solvers/impact/unscaled_impact.hpp"

#include <algorithm>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <cstdint>

#include "solvers/base/check.hpp"
#include "solvers/impact/range_checks.hpp"

namespace scree::impact {
namespace {

constexpr double kStepsPerImpact = 4000.0;
constexpr long kMostSteps = 10'000'000;

struct State {
  double x, v;  // δ [m], δ' [m/s]
};

struct Law {
  const LinearDampingImpact& impact;
  double damping;

  /// k δⁿ + c δ' [N]; the spring goes on below zero, so that a free rebound is seen to end.
  double Force(const State& y) const {
    const double spring = std::pow(std::abs(y.x), impact.n);
    return impact.stiffness * std::copysign(spring, y.x) + damping * y.v;
  }
  State Rate(const State& y) const { return {y.v, -Force(y) / impact.mass}; }
};

State Moved(const State& y, const State& rate, double h) {
  return {y.x + h * rate.x, y.v + h * rate.v};
}

State Step(const Law& law, const State& y, double h) {
  const State a = law.Rate(y), b = law.Rate(Moved(y, a, 0.5 * h)),
              c = law.Rate(Moved(y, b, 0.5 * h)), d = law.Rate(Moved(y, c, h));
  return {y.x + h / 6.0 * (a.x + 2.0 * (b.x + c.x) + d.x),
          y.v + h / 6.0 * (a.v + 2.0 * (b.v + c.v) + d.v)};
}

}  // namespace

double UnscaledRestitution(const LinearDampingImpact& impact, double damping) {
  CheckImpact(impact);
  DemandAtLeast("damping c", "N s/m", damping, 0.0);
  // About as long as an impact takes, without damping or, if that is shorter, to lose its speed.
  const double swing =
      3.0 * std::pow(impact.mass / (impact.stiffness * std::pow(impact.speed, impact.n - 1.0)),
                     1.0 / (impact.n + 1.0));
  const double loss = damping > 0.0 ? 100.0 * impact.mass / damping : swing;
  const double h = std::min(swing, loss) / kStepsPerImpact;
  const Law law{impact, damping};
  State y{0.0, impact.speed};
  for (long i = 0; i < kMostSteps; ++i) {
    const State next = Step(law, y, h);
    if (next.v < 0.0 && law.Force(next) <= 0.0) {
      // The force is smooth here but for a free rebound, whose speed no longer changes.
      const double before = law.Force(y), after = law.Force(next);
      return -Step(law, y, h * before / (before - after)).v / impact.speed;
    }
    y = next;
  }
  throw SimulationError(Text("the impact with c = ", damping, " kg/s has not ended after ",
                             static_cast<double>(kMostSteps) * h, " s"));
}

double UnscaledOptimalDamping(const LinearDampingImpact& impact, double restitution) {
  // The fit only says where to look; it is off by a percent or two.
  const double start = std::log(FittedDamping(impact, restitution));
  const auto excess = [&](double log_damping) {
    return UnscaledRestitution(impact, std::exp(log_damping)) - restitution;
  };
  std::uintmax_t evaluations = 100;
  const auto bracket = boost::math::tools::bracket_and_solve_root(
      [&](double factor) { return excess(start + std::log(factor)); }, 1.0, 1.1, false,
      boost::math::tools::eps_tolerance<double>(34), evaluations);
  return std::exp(start) * std::sqrt(bracket.first * bracket.second);
}

}  // namespace scree::impact
