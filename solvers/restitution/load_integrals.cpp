#include "solvers/restitution/load_integrals.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <numbers>
#include <vector>

#include "solvers/base/check.hpp"

namespace scree::impact {
namespace {

constexpr int kPoints = 30;  // points of the Gauss rule on each panel
constexpr int kPanels = 4;
constexpr int kMaxSteps = 100;
// Each step of Newton's method squares the error, so the next step would be below rounding.
constexpr double kLastStep = 1e-9;

/// Integral of f over [0, 1].
template <class F>
double Integrate(F f) {
  double sum = 0.0;
  for (int panel = 0; panel < kPanels; ++panel) {
    const double low = static_cast<double>(panel) / kPanels;
    const double high = static_cast<double>(panel + 1) / kPanels;
    sum += boost::math::quadrature::gauss<double, kPoints>::integrate(f, low, high);
  }
  return sum;
}

double Beta(double z, double w) { return boost::math::beta(z, w); }

/// h of (56), which the interpolation approximates by a polynomial.
double InterpolatedFunction(double alpha, double theta, double x) {
  const double top = std::pow(x, alpha + 1.0);
  return std::sqrt((std::pow(x, 1.0 - theta) - top) / (theta + (1.0 - theta) * x - top));
}

/// c_j of (55) for even j, at index j/2.
std::vector<double> ChebyshevCoefficients(double alpha, double theta, int n) {
  const auto angle = [n](int k) { return std::numbers::pi * (2 * k + 1) / (2 * n + 2); };
  std::vector<double> coefficients(static_cast<std::size_t>((n + 1) / 2), 0.0);
  for (int k = (n + 1) / 2; k <= n; ++k) {
    const double h = InterpolatedFunction(alpha, theta, std::cos(angle(k)) + 1.0);
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
      coefficients[i] += 4.0 / (n + 1) * h * std::cos(2.0 * static_cast<double>(i) * angle(k));
    }
  }
  return coefficients;
}

/// M_{α,β}(θ) of (51) by (53) and (54). `above`, `row` and `next` are consecutive rows of the
/// paper's table 1. Each row follows from the two before.
double SumBetas(double alpha, double beta, double theta, const std::vector<double>& coefficients) {
  const std::size_t n = 2 * coefficients.size() - 1;
  std::vector<double> above(n), row(n - 1);
  for (std::size_t k = 0; k < n; ++k) {
    const double power = beta + static_cast<double>(k) - 0.5 + 0.5 * theta;
    above[k] = Beta(power / (alpha + theta), 0.5) / (alpha + theta);
  }
  for (std::size_t k = 0; k + 1 < n; ++k) row[k] = above[k + 1] - above[k];
  double sum = 0.5 * coefficients[0] * above[0];
  for (std::size_t j = 2; j < n; ++j) {
    std::vector<double> next(n - j);
    for (std::size_t k = 0; k < next.size(); ++k) next[k] = 2.0 * (row[k + 1] - row[k]) - above[k];
    if (j % 2 == 0) sum += coefficients[j / 2] * next[0];
    above = std::move(row);
    row = std::move(next);
  }
  return sum;
}

}  // namespace

double MaxDeformation(double alpha, double load) {
  // Newton's method from above. The left side of (13) is convex there, so u only decreases.
  double u = std::pow(0.5 * (alpha + 1.0), 1.0 / (alpha + 1.0)) +
             std::pow((alpha + 1.0) * load, 1.0 / alpha);
  for (int step = 0; step < kMaxSteps; ++step) {
    const double power = std::pow(u, alpha);
    const double move = (u * (power / (alpha + 1.0) - load) - 0.5) / (power - load);
    u -= move;
    if (std::abs(move) < kLastStep * u) break;
  }
  return u;
}

LoadIntegrals IntegrateLoad(double alpha, double beta, double load) {
  const double largest = MaxDeformation(alpha, load);
  const double spring_energy = std::pow(largest, alpha + 1.0) / (alpha + 1.0);
  // The substitution u = u_M (1 − s²) removes the square root at u_M, and s = 1 − t⁴ removes the
  // power of u at zero. With z = t⁴, 1 − s² is computed as z (2 − z), without a difference of
  // nearly equal numbers.
  LoadIntegrals result;
  const auto find_factors = [&](double t, double& root, double& weight) {
    const double z = t * t * t * t, s = 1.0 - z, relative_u = z * (2.0 - z);
    const double fall = relative_u < 0.5 ? 1.0 - std::pow(relative_u, alpha + 1.0)
                                         : -std::expm1((alpha + 1.0) * std::log1p(-s * s));
    root = std::sqrt(2.0 * (spring_energy * fall - load * largest * s * s));
    weight = 8.0 * t * t * t * s * std::pow(relative_u, beta - 1.0) * std::pow(largest, beta);
  };
  result.i0 = Integrate([&](double t) {
    double root, weight;
    find_factors(t, root, weight);
    return 2.0 * root * weight;
  });
  result.q0 = Integrate([&](double t) {
    double root, weight;
    find_factors(t, root, weight);
    return weight / root;
  });
  return result;
}

LoadIntegrals IntegralsWithoutLoad(double alpha, double beta) {
  const double ratio = beta / (alpha + 1.0);
  const double scale = std::pow(0.5 * (alpha + 1.0), ratio - 1.0);
  return {scale * Beta(ratio, 1.5), 0.5 * scale * Beta(ratio, 0.5)};
}

LoadIntegrals ApproximateLoadIntegrals(double alpha, double beta, double load, int n) {
  SCREE_DEMAND(n > 2 && n % 2 == 1);
  const double largest = MaxDeformation(alpha, load);
  // (47). θ is at most 1, which rounding may exceed at g̃ = 0.
  const double theta = std::min(1.0, 0.5 * (alpha + 1.0) / std::pow(largest, alpha + 1.0));
  const std::vector<double> coefficients = ChebyshevCoefficients(alpha, theta, n);
  const auto m = [&](double exponent) { return SumBetas(alpha, exponent, theta, coefficients); };
  // (52), (49), (50); u_M^β = ((α+1)/2θ)^(β/(α+1)).
  const double j =
      0.5 / beta * ((alpha + 1.0) * m(alpha + beta + 1.0) - (1.0 - theta) * m(beta + 1.0));
  const double scale = std::pow(largest, beta), root = std::sqrt(theta);
  return {2.0 / root * scale * j, root * scale * m(beta)};
}

}  // namespace scree::impact
