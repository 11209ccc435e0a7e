#include "apps/single/models/hunt_crossley.hpp"

#include <boost/math/quadrature/tanh_sinh.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <cmath>
#include <limits>

#include "apps/single/models/outbound_velocity.hpp"
#include "solvers/base/check.hpp"
#include "solvers/restitution/range_checks.hpp"

namespace scree::impact {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Squares and quotients of numbers in this range stay finite and keep their digits.
constexpr double kMinNumber = 1e-150, kMaxNumber = 1e150;

/// log(1 + μv)/μ, → v for μ → 0.
double LogVelocity(double mu, double v) {
  const double y = mu * v;
  return std::abs(y) < kEpsilon ? v : v * (std::log1p(y) / y);
}

/// (eʸ − 1)/y
double ExpQuotient(double y) { return std::abs(y) < kEpsilon ? 1.0 : std::expm1(y) / y; }

/// (eʸ − 1 − y)/y²
double SecondExpQuotient(double y) {
  if (std::abs(y) > 1.0) return (std::expm1(y) - y) / (y * y);
  constexpr int kTerms = 18;  // 1/20! is below the rounding of 1/2!
  double sum = 0.0;
  for (int k = kTerms; k >= 0; --k) sum = (1.0 + y * sum) / (k + 2);
  return sum;
}

}  // namespace

double EnergyFunction(double mu, double v) {
  const double y = mu * v;
  if (y <= -1.0) return kInfinity;
  if (std::abs(y) < kEpsilon) return 0.5 * v * v;
  return v * v * (-boost::math::log1pmx(y) / (y * y));
}

double VelocityOfEnergy(double mu, double k) {
  SCREE_DEMAND(k >= 0.0);
  if (k == 0.0) return 0.0;
  // This start is not below the root, because e^z ≥ 1 + z + z²/2. K is convex, so the iteration
  // decreases to the root.
  double v = mu * k + std::sqrt(2.0 * k);
  for (;;) {
    const double next = v - (EnergyFunction(mu, v) - k) * (1.0 + mu * v) / v;
    if (!(next < v)) return v;
    v = next;
  }
}

void CheckModel(const HuntCrossley& model) {
  RequirePositive("the mass", "kg", model.mass);
  RequirePositive("the stiffness", "N/m^alpha", model.stiffness);
  RequireAtLeast("mu", "s/m", model.mu, 0.0);
  RequireAtLeast("alpha", "", model.alpha, 1.0);
}

double EquilibriumCompression(const HuntCrossley& model, double external_force) {
  RequireAtLeast("the external force", "N", external_force, 0.0);
  return std::pow(external_force / model.stiffness, 1.0 / model.alpha);
}

HuntCrossleyImpact::HuntCrossleyImpact(const HuntCrossley& model, double v_in)
    : model_(model), v_in_(v_in) {
  CheckModel(model);
  RequirePositive("the impact velocity", "m/s", v_in);
  v_out_ = -v_in * RestitutionCoefficient(model.mu * v_in);
  k_in_ = EnergyFunction(model.mu, v_in);
  const double max_compression = MaxCompression(), scale = model.mass / model.stiffness;
  for (const double value : {k_in_, InitialEnergy(), scale, max_compression, v_in / scale}) {
    if (value > kMinNumber && value < kMaxNumber) continue;
    throw InputError(Text("an impact at ", v_in, " m/s of ", model.mass, " kg on ", model.stiffness,
                          " N/m^alpha is out of range: the numbers of its closed form are too ",
                          value <= kMinNumber ? "small" : "large", " to compute with"));
  }
}

double HuntCrossleyImpact::CompressionAt(double v) const {
  const double difference = k_in_ - EnergyFunction(model_.mu, v);
  if (difference <= 0.0) return 0.0;
  const double power = model_.alpha + 1.0;
  return std::pow(model_.mass * power / model_.stiffness * difference, 1.0 / power);
}

double HuntCrossleyImpact::HamiltonianAt(double v) const {
  if (v == v_out_) return FinalEnergy();  // K is infinite if v_out rounds to −1/μ
  return model_.mass * (0.5 * v * v + (k_in_ - EnergyFunction(model_.mu, v)));
}

double HuntCrossleyImpact::TimeIntegral(double end, bool is_compression) const {
  const double mu = model_.mu, power = model_.alpha + 1.0;
  const double k_in = k_in_, speed = is_compression ? v_in_ : -v_out_;
  const double sign = is_compression ? -1.0 : 1.0;
  // `slope` is S/P, which is the speed at P = 0. For large p = μ P its first form would lose
  // digits. The second form is S μ² = p − (1 + μ v_out)(eᵖ − 1), where
  // log(1 + μ v_out) = μ v_out − μ² K(v_out).
  const double log_gap = mu * v_out_ - mu * mu * k_in;
  const auto slope = [=](double P) {
    const double p = mu * P;
    if (is_compression || p < 1.0) {
      return speed * ExpQuotient(sign * p) - P * SecondExpQuotient(sign * p);
    }
    return (p - (std::exp(p + log_gap) - std::exp(log_gap))) / (mu * p);
  };
  // S vanishes linearly at P = 0, so the substitution P = w^(α+1) makes the integrand finite and
  // smooth.
  const double exponent = -model_.alpha / power;
  const auto integrand = [=](double w) {
    return power * std::pow(slope(std::pow(w, power)), exponent);
  };
  if (end <= 0.0) return 0.0;
  boost::math::quadrature::tanh_sinh<double> quadrature;
  return quadrature.integrate(integrand, 0.0, std::pow(end, 1.0 / power));
}

double HuntCrossleyImpact::TimeAt(double v) const {
  SCREE_DEMAND(v >= v_out_ && v <= v_in_);
  const double mu = model_.mu, power = model_.alpha + 1.0;
  // dt = −m dv/(k x^α (1 + μv)) with x from (3), and dv/(1 + μv) = d(log(1 + μv)/μ).
  const double unit =
      std::pow(model_.mass / model_.stiffness, 1.0 / power) * std::pow(power, 1.0 / power - 1.0);
  const double log_in = LogVelocity(mu, v_in_);
  if (v >= 0.0) return unit * TimeIntegral(log_in - LogVelocity(mu, v), true);
  const double log_out = v_out_ - mu * k_in_;
  const double contact_time = TimeIntegral(log_in, true) + TimeIntegral(-log_out, false);
  if (v == v_out_) return unit * contact_time;
  return unit * (contact_time - TimeIntegral(LogVelocity(mu, v) - log_out, false));
}

}  // namespace scree::impact
