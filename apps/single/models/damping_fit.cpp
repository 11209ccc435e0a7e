#include "apps/single/models/damping_fit.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "solvers/base/check.hpp"

namespace scree::impact {
namespace {

// Search interval of the exponents β of (45) and b of (47).
constexpr double kMinBeta = -3.0, kMaxBeta = -1e-3;
constexpr double kMinPower = 0.01, kMaxPower = 2.0;
// The position of a minimum has half as many digits as its value.
constexpr int kBits = 26;

using Column = std::vector<double>;

double Dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// to −= factor · from.
void Subtract(double factor, const Column& from, Column& to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] -= factor * from[i];
}

template <class Function>
Column Map(std::span<const double> values, Function function) {
  Column mapped(values.size());
  std::transform(values.begin(), values.end(), mapped.begin(), function);
  return mapped;
}

/// Coefficients of the linear combination of columns that is nearest to y, and the residual. Uses
/// the modified Gram-Schmidt process, which is sufficient for at most five columns.
struct LeastSquares {
  LeastSquares(std::vector<Column> columns, std::span<const double> y)
      : coefficients(columns.size()), residuals(y.begin(), y.end()) {
    const std::size_t size = columns.size();
    std::vector<Column> factors(size, Column(size));
    for (std::size_t j = 0; j < size; ++j) {
      const double squared = Dot(columns[j], columns[j]);
      for (std::size_t k = j + 1; k < size; ++k) {
        factors[j][k] = Dot(columns[j], columns[k]) / squared;
        Subtract(factors[j][k], columns[j], columns[k]);
      }
      coefficients[j] = Dot(columns[j], residuals) / squared;
      Subtract(coefficients[j], columns[j], residuals);
    }
    for (std::size_t j = size; j-- > 0;) {
      for (std::size_t k = j + 1; k < size; ++k) coefficients[j] -= factors[j][k] * coefficients[k];
    }
  }

  Column coefficients, residuals;
};

/// The exponent with the smallest residual of its linear least-squares problem.
template <class Residual>
double BestExponent(Residual residual, double lowest, double highest) {
  return boost::math::tools::brent_find_minima(residual, lowest, highest, kBits).first;
}

}  // namespace

LineFit FitLine(std::span<const double> x, std::span<const double> y) {
  SCREE_DEMAND(x.size() == y.size() && x.size() > 1);
  const LeastSquares fit({Column(x.size(), 1.0), Column(x.begin(), x.end())}, y);
  return {fit.coefficients[0], fit.coefficients[1]};
}

DampingFit FitDampingPattern(std::span<const double> e, std::span<const double> c) {
  SCREE_DEMAND(e.size() == c.size() && e.size() > 1);
  const auto fit = [&](double beta) {
    return LeastSquares({Map(e, [=](double value) { return std::expm1(beta * std::log(value)); })},
                        c);
  };
  const auto residual = [&](double beta) {
    const Column residuals = fit(beta).residuals;
    return Dot(residuals, residuals);
  };
  const double beta = BestExponent(residual, kMinBeta, kMaxBeta);
  const LeastSquares best_fit = fit(beta);
  double max_residual = 0.0;
  for (const double value : best_fit.residuals)
    max_residual = std::max(max_residual, std::abs(value));
  return {best_fit.coefficients[0], beta, max_residual};
}

std::array<double, 5> FitAlpha(std::span<const double> n, std::span<const double> alpha) {
  SCREE_DEMAND(n.size() == alpha.size() && n.size() >= 5);
  std::vector<Column> powers;
  for (int power = 0; power < 5; ++power) {
    powers.push_back(Map(n, [=](double value) { return std::pow(value, power); }));
  }
  const LeastSquares fit(powers, alpha);
  std::array<double, 5> coefficients{};
  std::copy(fit.coefficients.rbegin(), fit.coefficients.rend(), coefficients.begin());
  return coefficients;
}

BetaFit FitBeta(std::span<const double> n, std::span<const double> beta) {
  SCREE_DEMAND(n.size() == beta.size() && n.size() >= 3);
  const auto fit = [&](double power) {
    return LeastSquares(
        {Column(n.size(), 1.0), Map(n, [=](double value) { return std::pow(value, power); })},
        beta);
  };
  const auto residual = [&](double power) {
    const Column residuals = fit(power).residuals;
    return Dot(residuals, residuals);
  };
  const double power = BestExponent(residual, kMinPower, kMaxPower);
  const Column best_fit = fit(power).coefficients;
  return {best_fit[1], power, best_fit[0]};
}

}  // namespace scree::impact
