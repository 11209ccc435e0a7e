#include "apps/single/models/hysteresis_damping.hpp"

#include <boost/math/special_functions/lambert_w.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <cmath>

#include "solvers/base/check.hpp"
#include "solvers/restitution/range_checks.hpp"

namespace scree::impact {
namespace {

// The exact factor is h = d/e, where d solves (19). For e below this limit the unknown is
// L = −ln(1−d), because 1 − d loses digits: all of them at e = 0.03.
constexpr double kSmallRestitution = 0.4;
// For h below this Lambert's W is near its branch point and loses digits.
constexpr double kSmallFactor = 0.5;
constexpr int kMaxSteps = 60;
// Newton's error squares at each step, so the step after this one is below rounding.
constexpr double kLastStep = 1e-9;

/// (x − ln(1+x))/x², whose value at 0 is 1/2.
double LogRemainder(double x) {
  if (std::abs(x) < 1e-5) return 0.5 - x / 3.0 + 0.25 * x * x;
  return -boost::math::log1pmx(x) / (x * x);
}

/// The derivative of LogRemainder.
double LogRemainderSlope(double x) {
  if (std::abs(x) < 1e-5) return -1.0 / 3.0 + 0.5 * x;
  return (1.0 / (1.0 + x) - 2.0 * LogRemainder(x)) / x;
}

/// Newton's method; step(x) is value/slope.
template <class Step>
double Newton(Step step, double x) {
  for (int i = 0; i < kMaxSteps; ++i) {
    const double change = step(x);
    x -= change;
    if (std::abs(change) < kLastStep * std::abs(x)) break;
  }
  return x;
}

/// (19) with d = 1 − exp(−L): L = d (1 + 1/e) − ln(1 + d/e). The iteration starts from the right
/// side at d = 1. The root L = 0 is meaningless. The function is concave, so the steps decrease to
/// the other root.
double ExactFactorForSmallE(double e) {
  const double log = Newton(
      [e](double x) {
        const double one_minus_d = std::exp(-x), d = -std::expm1(-x);
        const double value = d * (1.0 + 1.0 / e) - std::log1p(d / e) - x;
        return value / (one_minus_d * (1.0 + 1.0 / e - 1.0 / (e + d)) - 1.0);
      },
      1.0 + 1.0 / e - std::log1p(1.0 / e));
  return -std::expm1(-log) / e;
}

/// The logarithm of (19) in h = d/e is −d − ln(1−d) = h − ln(1+h). Division by h² removes the
/// trivial root: e² LogRemainder(−e h) = LogRemainder(h).
double ExactFactorForLargeE(double e) {
  if (e == 1.0) return 0.0;
  const auto step = [e](double h) {
    const double value = e * e * LogRemainder(-e * h) - LogRemainder(h);
    return value / (-e * e * e * LogRemainderSlope(-e * h) - LogRemainderSlope(h));
  };
  // This start is the root to first order in 1 − e; elsewhere it is not far above the root.
  return Newton(step, 1.5 * (1.0 - e * e) / (1.0 + e * e * e));
}

}  // namespace

const char* Name(HysteresisFormula formula) {
  switch (formula) {
    case HysteresisFormula::kHuntCrossley:
      return "hunt-crossley";
    case HysteresisFormula::kLankaraniNikravesh:
      return "lankarani-nikravesh";
    case HysteresisFormula::kHuGuo:
      return "hu-guo";
    case HysteresisFormula::kFlores:
      return "flores";
    case HysteresisFormula::kExact:
      return "exact";
  }
  return "?";
}

double HysteresisFactor(HysteresisFormula formula, double e) {
  const bool is_finite_at_zero = formula == HysteresisFormula::kHuntCrossley ||
                                 formula == HysteresisFormula::kLankaraniNikravesh;
  if (!(e >= 0.0 && e <= 1.0) || (e == 0.0 && !is_finite_at_zero)) {
    throw InputError(Text("restitution e = ", e, " is out of range: it must be ",
                          is_finite_at_zero ? "at least" : "above", " 0 and at most 1"));
  }
  switch (formula) {
    case HysteresisFormula::kHuntCrossley:
      return 1.5 * (1.0 - e);
    case HysteresisFormula::kLankaraniNikravesh:
      return 0.75 * (1.0 - e) * (1.0 + e);
    case HysteresisFormula::kHuGuo:
      return 1.5 * (1.0 - e) / e;
    case HysteresisFormula::kFlores:
      return 1.6 * (1.0 - e) / e;
    case HysteresisFormula::kExact:
      return e < kSmallRestitution ? ExactFactorForSmallE(e) : ExactFactorForLargeE(e);
  }
  return 0.0;
}

double RestitutionOfHysteresis(double factor) {
  const double h = factor;
  RequireAtLeast("mu v/k", "", h, 0.0);
  if (h >= kSmallFactor) {
    return (1.0 + boost::math::lambert_w0(-(1.0 + h) * std::exp(-(1.0 + h)))) / h;
  }
  // The equation of ExactFactorForLargeE, solved for e; its slope is e/(1 − e h).
  const double goal = LogRemainder(h);
  return Newton([=](double e) { return (e * e * LogRemainder(-e * h) - goal) * (1.0 - e * h) / e; },
                1.0 / (1.0 + 2.0 / 3.0 * h));
}

}  // namespace scree::impact
