#include "apps/single/models/outbound_velocity.hpp"

#include <boost/math/special_functions/lambert_w.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "solvers/base/check.hpp"

namespace scree::impact {
namespace {

constexpr double kSeriesBelow = 1e-3;  // for smaller u W₀ has fewer than ten correct digits
constexpr double kPolishBelow = 1.0;  // below this W₀ has a relative error of ε/u² (branch point)
constexpr double kLinearBelow = 1e-9;  // u² is below rounding

// Points per decade, and range, of the grid in u that is searched. This grid finds all lobes of the
// error curves, which are few and wide.
constexpr int kPointsPerDecade = 200;
constexpr double kFirstDecade = -4.0, kLastDecade = 3.0;

double GridPoint(int i) {
  return std::pow(10.0, kFirstDecade + static_cast<double>(i) / kPointsPerDecade);
}
constexpr int kGridPoints = static_cast<int>((kLastDecade - kFirstDecade) * kPointsPerDecade);

/// One Newton step on φ(y) = φ(u), φ(y) = y − log(1 + y), φ' = y/(1 + y).
double PolishRoot(double y, double u) {
  const double residual = boost::math::log1pmx(u) - boost::math::log1pmx(y);
  return y - residual * (1.0 + y) / y;
}

}  // namespace

double RestitutionCoefficient(double u) {
  SCREE_DEMAND(u >= 0.0);
  if (u < kLinearBelow) return 1.0 - u * (2.0 / 3.0);
  if (u < kSeriesBelow) {
    const double y = -u * (1.0 - u * (2.0 / 3.0 - u * (4.0 / 9.0 - u * (44.0 / 135.0))));
    return -PolishRoot(y, u) / u;
  }
  const double y = -1.0 - boost::math::lambert_w0(-(1.0 + u) * std::exp(-(1.0 + u)));
  return -(u < kPolishBelow ? PolishRoot(y, u) : y) / u;
}

std::vector<double> OutboundTaylorSeries(int order) {
  // Differentiating (6) gives y y'(1 + u) = u (1 + y); p holds the coefficients of y y'.
  const auto n_coefficients = static_cast<std::size_t>(order) + 1;
  std::vector<double> a(n_coefficients, 0.0), p(n_coefficients, 0.0);
  for (std::size_t n = 1; n < n_coefficients; ++n) {
    const double half = 0.5 * static_cast<double>(n + 1);
    double inner = 0.0;
    for (std::size_t i = 2; i < n; ++i) inner += a[i] * a[n + 1 - i];
    const double right_side = (n == 1 ? 1.0 : a[n - 1]) - p[n - 1];
    // y = −u + …, so that p_n = half·(inner − 2 a_n) for n > 1.
    a[n] = n == 1 ? -1.0 : (half * inner - right_side) / (2.0 * half);
    p[n] = right_side;
  }
  return a;
}

OutboundApproximation::OutboundApproximation(int order) {
  if (order < 1 || order > kMaxOrder) {
    throw InputError(Text("the order ", order, " of the approximation of the outbound velocity ",
                          "is out of range: it must be at least 1 and at most ", kMaxOrder));
  }
  const auto last = static_cast<std::size_t>(order);
  const std::vector<double> a = OutboundTaylorSeries(order);
  std::vector<double> c(last + 1, 1.0);  // of e^(−2u), (37)
  for (std::size_t j = 1; j <= last; ++j) c[j] = c[j - 1] * -2.0 / static_cast<double>(j);
  b_.assign(last + 1, 1.0);
  for (std::size_t j = 1; j <= last; ++j) {
    b_[j] = a[j];
    for (std::size_t l = 0; l < j; ++l) b_[j] -= b_[l] * c[j - l];
  }
}

double OutboundApproximation::Restitution(double u) const {
  // (1 − Σ bⱼ uʲ e^(−2u))/u, without the cancellation for small u: b₀ = 1.
  double sum = 0.0;
  for (std::size_t j = b_.size() - 1; j >= 1; --j) sum = sum * u + b_[j];
  const double first = u < kLinearBelow ? 2.0 * (1.0 - u) : -std::expm1(-2.0 * u) / u;
  const double decay = std::exp(-2.0 * u);
  return decay == 0.0 ? first : first - sum * decay;
}

double OutboundApproximation::RelativeError(double u) const {
  return Restitution(u) / RestitutionCoefficient(u) - 1.0;
}

OutboundApproximation::Extremum OutboundApproximation::MaxError() const {
  int largest = 1;
  for (int i = 1; i < kGridPoints; ++i) {
    if (std::abs(RelativeError(GridPoint(i))) > std::abs(RelativeError(GridPoint(largest)))) {
      largest = i;
    }
  }
  const auto negative = [this](double u) { return -std::abs(RelativeError(u)); };
  const double u = boost::math::tools::brent_find_minima(negative, GridPoint(largest - 1),
                                                         GridPoint(largest + 1),
                                                         std::numeric_limits<double>::digits / 2)
                       .first;
  return {u, RelativeError(u)};
}

OutboundApproximation::Range OutboundApproximation::RangeWithin(double threshold) const {
  if (!(threshold > 0.0 && threshold <= 1.0)) {
    throw InputError(Text("the error threshold ", threshold,
                          " of the outbound velocity is out of range: it must be above 0 and at "
                          "most 1"));
  }
  const auto excess = [&](double u) { return std::abs(RelativeError(u)) - threshold; };
  int first = -1, last = -1;
  for (int i = 0; i <= kGridPoints; ++i) {
    if (excess(GridPoint(i)) <= 0.0) continue;
    if (first < 0) first = i;
    last = i;
  }
  if (first < 0) return {std::numeric_limits<double>::infinity(), 0.0};
  const auto crossing = [&](double low, double high) {
    std::uintmax_t iterations = 100;
    const auto bracket = boost::math::tools::toms748_solve(
        excess, low, high, boost::math::tools::eps_tolerance<double>(), iterations);
    return 0.5 * (bracket.first + bracket.second);
  };
  Range range;
  if (first > 0) range.below = crossing(GridPoint(first - 1), GridPoint(first));
  range.above = last < kGridPoints ? crossing(GridPoint(last), GridPoint(last + 1))
                                   : std::numeric_limits<double>::infinity();
  return range;
}

}  // namespace scree::impact
