#include "apps/single/models/linear_damping.hpp"

#include <algorithm>
#include <array>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>

#include "solvers/base/check.hpp"
#include "solvers/restitution/impact_integration.hpp"
#include "solvers/restitution/range_checks.hpp"

namespace scree::impact {
namespace {

// Tolerances of the integrations in the steps of the search. The first ones are loose, because
// these steps end far from the root.
constexpr std::array kTolerances = {1e-8, 1e-11, 3e-14};
// The search ends when the estimated error is smaller than this.
constexpr double kRootFound = 1e-12;
constexpr std::size_t kMaxRootSteps = 60;
// Assumed relative error of the fit's slope, until a secant gives a better slope.
constexpr double kSlopeErrorOfFit = 0.1;
// Within this distance of ξ = 1, ArcOverRoot uses its series.
constexpr double kCritical = 1e-6;
constexpr int kRootBits = 51;  // all digits except the last, which is rounding
// The damping is not computed for e below these limits. For n > 1 the impact takes too long; for n
// = 1 a double cannot represent 1/e.
constexpr double kMinRestitution = 1e-12, kMinOfLinearSpring = 1e-300;

void CheckRestitution(double e) {
  if (e > 0.0 && e <= 1.0) return;
  throw InputError(Text("restitution e = ", e, " is out of range: it must be above 0 and at most 1",
                        e == 0.0 ? " (e = 0 needs infinite damping)" : ""));
}

void CheckComputable(double n, double e) {
  const double min = n == 1.0 ? kMinOfLinearSpring : kMinRestitution;
  if (e >= min) return;
  throw InputError(Text("restitution e = ", e, " is out of range: for n = ", n,
                        " the damping is computed for e of at least ", min));
}

/// acos ξ/√(1−ξ²); beyond ξ = 1 its continuation acosh ξ/√(ξ²−1).
double ArcOverRoot(double ratio) {
  const double below = 1.0 - ratio;
  if (std::abs(below) < kCritical) return 1.0 + below / 3.0 + 2.0 * below * below / 15.0;
  if (below > 0.0)
    return 2.0 * std::asin(std::sqrt(0.5 * below)) / std::sqrt(below * (1.0 + ratio));
  // The product of two roots, because one root of the product would overflow for ξ above 1e154.
  return 2.0 * std::asinh(std::sqrt(-0.5 * below)) / (std::sqrt(-below) * std::sqrt(1.0 + ratio));
}

/// ln((1 − e²)/e²). The search drives this quantity to its goal, because it is nearly linear in ln
/// c, grows with the damping, and keeps its digits for e near 0 and near 1.
double LogLoss(double loss, double e) { return std::log(loss / e) - std::log(e); }

/// LogLoss of the restitution that c̄ = exp(log_damping) gives.
double LogLossOfDamping(double n, double log_damping, double tolerance) {
  const double gamma = std::exp(log_damping);
  const ImpactResult result =
      IntegrateImpact({n, 1.0, gamma, 0.0, ImpactEnd::kForceZero}, tolerance);
  return LogLoss(result.loss, result.restitution);
}

/// α (e^β − 1), the fit of c̄.
double FittedScaledDamping(double n, double e) {
  return DampingAlpha(n) * std::expm1(DampingBeta(n) * std::log(e));
}

/// d(LogLoss)/d(ln c̄) along the fit.
double SlopeOfFit(double n, double e) {
  const double beta = DampingBeta(n);
  const double log_e = std::log(e);
  return 2.0 / ((1.0 - e) * (1.0 + e)) * std::expm1(beta * log_e) /
         -(beta * std::exp(beta * log_e));
}

/// ln c̄ for n > 1 by the secant method; the first step uses the slope of the fit. It typically
/// needs three integrations.
double LogOptimalDamping(double n, double e) {
  const double goal = LogLoss((1.0 - e) * (1.0 + e), e);
  double slope = SlopeOfFit(n, e), slope_change = kSlopeErrorOfFit;
  // Starts from the fit, corrected by its error at n = 1. Towards e = 0 the fit has an error of
  // about a third for any n.
  double x =
      std::log(FittedScaledDamping(n, e) * 2.0 * DampingRatioOf(e) / FittedScaledDamping(1.0, e));
  double last_x = 0.0, last_value = 0.0;
  for (std::size_t step = 0; step < kMaxRootSteps; ++step) {
    const bool is_tightest = step + 1 >= kTolerances.size();
    const double value =
        LogLossOfDamping(n, x, kTolerances[is_tightest ? kTolerances.size() - 1 : step]) - goal;
    const double secant = (value - last_value) / (x - last_x);
    // Near the goal the differences are rounding errors, which give no slope.
    if (step > 0 && secant > 0.5 * slope && secant < 2.0 * slope) {
      slope_change = std::abs(secant / slope - 1.0);
      slope = secant;
    }
    last_x = x;
    last_value = value;
    x -= value / slope;
    if (is_tightest && std::abs(value / slope) * slope_change < kRootFound) break;
  }
  return x;
}

}  // namespace

void CheckImpact(const LinearDampingImpact& impact) {
  if (!(impact.n >= 1.0 && impact.n <= 2.0)) {
    throw InputError(
        Text("n = ", impact.n, " is out of range: it must be at least 1 and at most 2"));
  }
  RequirePositive("mass", "kg", impact.mass);
  RequirePositive("stiffness", "N/m^n", impact.stiffness);
  RequirePositive("speed", "m/s", impact.speed);
}

double DampingScale(const LinearDampingImpact& impact) {
  const double n = impact.n;
  return std::pow(impact.stiffness, 1.0 / (n + 1.0)) *
         std::pow(impact.speed, (n - 1.0) / (n + 1.0)) * std::pow(impact.mass, n / (n + 1.0));
}

double RestitutionOfDamping(const LinearDampingImpact& impact, double damping) {
  CheckImpact(impact);
  RequireAtLeast("damping c", "N s/m", damping, 0.0);
  const double scaled_damping = damping / DampingScale(impact);
  if (impact.n == 1.0) return RestitutionOfDampingRatio(0.5 * scaled_damping);
  return IntegrateImpact({impact.n, 1.0, scaled_damping, 0.0, ImpactEnd::kForceZero}).restitution;
}

double OptimalDamping(const LinearDampingImpact& impact, double restitution) {
  CheckImpact(impact);
  CheckRestitution(restitution);
  if (restitution == 1.0) return 0.0;
  CheckComputable(impact.n, restitution);
  const double scaled_damping = impact.n == 1.0
                                    ? 2.0 * DampingRatioOf(restitution)
                                    : std::exp(LogOptimalDamping(impact.n, restitution));
  return scaled_damping * DampingScale(impact);
}

double FittedDamping(const LinearDampingImpact& impact, double restitution) {
  CheckImpact(impact);
  CheckRestitution(restitution);
  return FittedScaledDamping(impact.n, restitution) * DampingScale(impact);
}

double DampingAlpha(double n) {
  return (((0.3331 * n - 1.48) * n + 3.077) * n - 2.306) * n + 1.794;
}

double DampingBeta(double n) { return 1.285 * std::pow(n, 0.2553) - 1.725; }

double MaxPenetration(const LinearDampingImpact& impact) {
  CheckImpact(impact);
  const double n = impact.n;
  return std::pow(0.5 * (n + 1.0) * impact.mass / impact.stiffness * impact.speed * impact.speed,
                  1.0 / (n + 1.0));
}

double DampingBound(const LinearDampingImpact& impact, double restitution) {
  CheckImpact(impact);
  CheckRestitution(restitution);
  const double n = impact.n;
  return std::pow(0.5 * (n + 1.0), n / (n + 1.0)) * DampingScale(impact) / restitution;
}

double SeparationDeformation(const LinearDampingImpact& impact, double damping,
                             double restitution) {
  return std::pow(impact.speed * damping * restitution / impact.stiffness, 1.0 / impact.n);
}

double RestitutionOfDampingRatio(double ratio) {
  RequireAtLeast("damping ratio xi", "", ratio, 0.0);
  return std::exp(-2.0 * ratio * ArcOverRoot(ratio));
}

double DampingRatioOf(double restitution) {
  CheckRestitution(restitution);
  if (restitution == 1.0) return 0.0;
  CheckComputable(1.0, restitution);
  // 2 ξ ArcOverRoot(ξ) grows with ξ: as πξ for small ξ, as 2 ln(2ξ) for large ξ.
  const double goal = -std::log(restitution);
  const auto excess = [goal](double log_ratio) {
    const double ratio = std::exp(log_ratio);
    return std::log(2.0 * ratio * ArcOverRoot(ratio) / goal);
  };
  const double low = std::log(goal / 3.2), high = std::max(low + 1.0, 0.5 * goal + 1.0);
  std::uintmax_t evaluations = kMaxRootSteps;
  const auto bracket = boost::math::tools::toms748_solve(
      excess, low, high, boost::math::tools::eps_tolerance<double>(kRootBits), evaluations);
  return std::exp(0.5 * (bracket.first + bracket.second));
}

}  // namespace scree::impact
