#include "apps/single/models/restitution_inverse.hpp"

#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>

#include "solvers/base/check.hpp"
#include "solvers/restitution/restitution_expansion.hpp"

namespace scree::impact {
namespace {

constexpr int kInverseBits = 48;
constexpr std::uintmax_t kMaxEvaluations = 200;
constexpr double kWiden = 2.0;
constexpr double kMinGamma = 1e-15, kMaxGamma = 1e3;
constexpr double kMinBeta = 1.0, kMaxBeta = 10.0;
constexpr int kBetaIntervals = 36;
constexpr double kSameDissipation = 1e-9;  // γ₀ that differ by less are equal: take the smallest β

void CheckRestitution(double e) {
  if (e > 0.0 && e < 1.0) return;
  throw InputError(
      Text("the measured restitution e = ", e, " is out of range: it must be above 0 and below 1"));
}

}  // namespace

double DissipationOf(const ContactModel& model, double restitution, double load) {
  CheckRestitution(restitution);
  const double goal = (1.0 - restitution) * (1.0 + restitution);
  // ln(loss/wanted loss), which rises nearly linearly with ln γ.
  const auto excess = [&](double log_gamma) {
    const ImpactResult result =
        IntegrateImpact({model.alpha, model.beta, std::exp(log_gamma), load});
    return std::log((result.detached ? result.loss : 1.0 + 1e-9) / goal);
  };
  const ExpansionCoefficients c = Expand(model);
  double low = std::log((1.0 - restitution) / (c.c0 + load * c.c1)), high = low;
  double at_low = excess(low), at_high = at_low;
  const double step = std::log(kWiden);
  for (; at_low > 0.0 && low > std::log(kMinGamma); low -= step, at_low = excess(low)) {
    high = low;
    at_high = at_low;
  }
  for (; at_high < 0.0 && high < std::log(kMaxGamma); high += step, at_high = excess(high)) {
    low = high;
    at_low = at_high;
  }
  if (at_low == 0.0) return std::exp(low);
  if (at_high == 0.0) return std::exp(high);
  if (at_low > 0.0 || at_high < 0.0) {
    throw InputError(Text("no dissipation between ", kMinGamma, " and ", kMaxGamma,
                          " gives the restitution e = ", restitution, " with alpha = ", model.alpha,
                          ", beta = ", model.beta, " under the load ", load));
  }
  std::uintmax_t evaluations = kMaxEvaluations;
  const auto bracket = boost::math::tools::toms748_solve(
      excess, low, high, at_low, at_high, boost::math::tools::eps_tolerance<double>(kInverseBits),
      evaluations);
  return std::exp(0.5 * (bracket.first + bracket.second));
}

double PhysicalDissipation(const ContactModel& model, const ContactConstants& constants,
                           double speed, double restitution) {
  ContactConstants unit = constants;
  unit.dissipation = 1.0;
  const ScaledImpact scaled = Scale(model, unit, speed);
  return DissipationOf(model, restitution, scaled.load) / scaled.gamma;
}

double DissipationExponent(double alpha, const ContactConstants& constants,
                           const MeasuredRestitution& first, const MeasuredRestitution& second) {
  if (first.speed == second.speed) {
    throw InputError(Text("two measurements at one speed, ", first.speed,
                          " m/s, determine no exponent: measure at different speeds"));
  }
  // With the correct β both measurements give the same γ₀.
  const auto difference = [&](double beta) {
    const ContactModel model{alpha, beta};
    return std::log(PhysicalDissipation(model, constants, first.speed, first.restitution) /
                    PhysicalDissipation(model, constants, second.speed, second.restitution));
  };
  double low = kMinBeta, at_low = difference(low);
  for (int i = 1; i <= kBetaIntervals; ++i) {
    const double high = kMinBeta + (kMaxBeta - kMinBeta) * i / kBetaIntervals;
    const double at_high = difference(high);
    if (std::abs(at_low) < kSameDissipation) return low;
    if (at_low * at_high <= 0.0) {
      std::uintmax_t evaluations = kMaxEvaluations;
      const auto bracket = boost::math::tools::toms748_solve(
          difference, low, high, at_low, at_high,
          boost::math::tools::eps_tolerance<double>(kInverseBits - 8), evaluations);
      return 0.5 * (bracket.first + bracket.second);
    }
    low = high;
    at_low = at_high;
  }
  throw InputError(Text("no exponent beta from ", kMinBeta, " to ", kMaxBeta,
                        " of the dissipation gives e = ", first.restitution, " at ", first.speed,
                        " m/s and e = ", second.restitution, " at ", second.speed, " m/s"));
}

}  // namespace scree::impact
