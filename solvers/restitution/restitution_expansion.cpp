#include "solvers/restitution/restitution_expansion.hpp"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <numbers>

namespace scree::impact {
namespace {

/// B(z, 1/2), computed in double precision. By default Boost uses long double, which is many times
/// slower and not needed here.
double BetaOfHalf(double z) {
  using Plain = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  return boost::math::beta(z, 0.5, Plain());
}

/// Exponent of g̃ in (21).
double LoadExponent(const ContactModel& model) { return (model.beta + 0.5) / model.alpha + 0.5; }

}  // namespace

ExpansionCoefficients Expand(const ContactModel& model) {
  const double alpha = model.alpha, beta = model.beta;
  const double half = 0.5 * (alpha + 1.0), ratio = beta / (alpha + 1.0);
  const double beta_of_ratio = BetaOfHalf(ratio);
  const double beta_of_next = BetaOfHalf((beta + 1.0) / (alpha + 1.0));
  const double scale = std::pow(half, ratio);
  ExpansionCoefficients c;
  // B(z, 3/2) = B(z, 1/2)/(2z + 1).
  c.c0 = beta * scale / half * beta_of_ratio / (2.0 * ratio + 1.0);
  c.c1 = beta * scale * std::pow(half, -alpha / (alpha + 1.0)) * beta_of_next;
  const double q = scale * beta_of_ratio / (alpha + 2.0 * beta + 1.0);
  c.c2 = -4.0 * beta * beta * beta / (alpha + 1.0) * q * q;
  return c;
}

ExpansionCoefficients SchwagerPoschel() {
  constexpr double kA = -1.153448854, kB = 0.7982665553;
  return {-1.5 * kA, 3.0, -2.25 * kB};
}

double FirstOrderRestitution(const ExpansionCoefficients& c, double gamma, double load) {
  return std::max(0.0, 1.0 - gamma * (c.c0 + load * c.c1));
}

double SecondOrderRestitution(const ExpansionCoefficients& c, double gamma, double load) {
  return std::max(0.0, 1.0 - gamma * (c.c0 + load * c.c1 + gamma * c.c2));
}

double LargeLoadCoefficient(const ContactModel& model) {
  const double alpha = model.alpha, power = (model.beta + 0.5) / alpha;
  return 2.0 * std::numbers::sqrt2 * model.beta / alpha * std::pow(alpha + 1.0, power) *
         boost::math::beta(power, 1.5);
}

double LargeLoadRestitution(const ContactModel& model, double gamma, double load) {
  const double loss =
      2.0 * gamma * LargeLoadCoefficient(model) * std::pow(load, LoadExponent(model));
  return std::sqrt(std::max(0.0, 1.0 - loss));
}

double AsymptoticCriticalLoad(const ContactModel& model, double gamma) {
  return std::pow(2.0 * gamma * LargeLoadCoefficient(model), -1.0 / LoadExponent(model));
}

double AsymptoticCriticalDissipation(const ContactModel& model, double load) {
  return 0.5 / LargeLoadCoefficient(model) * std::pow(load, -LoadExponent(model));
}

double PropositionRestitution(double beta, double gamma, const LoadIntegrals& integrals) {
  const double x = beta * gamma, i0 = integrals.i0, q0 = integrals.q0;
  const double squared = 1.0 - 2.0 * i0 * x * (1.0 - q0 * x);
  const double simple = 1.0 - i0 * x * (1.0 - (q0 - 0.5 * i0) * x);
  return std::min(std::sqrt(std::max(squared, 0.0)), std::max(simple, 0.0));
}

double PropositionLimit(double beta, const LoadIntegrals& integrals) {
  return 0.5 / (beta * integrals.q0);
}

}  // namespace scree::impact
