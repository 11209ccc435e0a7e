#include "engine/scene/size_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// Cumulative normal distribution.
double NormalCumulative(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// E[r³] of the untruncated log-normal distribution is exp(3 μ + 9/2 σ²). Radii below r contribute
/// the fraction F(r) of it, with the cumulative distribution F of a log-normal distribution that
/// has the same σ and a median that is exp(3 σ²) times as large.
double LogNormalMeanCube(const SizeDistribution& sizes) {
  const double mu = std::log(sizes.median), sigma = sizes.spread;
  const auto fraction = [&](double shift) {
    return NormalCumulative((std::log(sizes.largest) - mu) / sigma - shift) -
           NormalCumulative((std::log(sizes.smallest) - mu) / sigma - shift);
  };
  return std::exp(3.0 * mu + 4.5 * sigma * sigma) * fraction(3.0 * sigma) / fraction(0.0);
}

double LogNormalQuantile(const SizeDistribution& sizes, double fraction) {
  const auto cumulative = [&](double log_radius) {
    return 0.5 * std::erfc((std::log(sizes.median) - log_radius) / (sizes.spread * std::sqrt(2.0)));
  };
  double low = std::log(sizes.smallest), high = std::log(sizes.largest);
  const double target = cumulative(low) + fraction * (cumulative(high) - cumulative(low));
  for (double middle = 0.5 * (low + high); middle > low && middle < high;
       middle = 0.5 * (low + high)) {
    (cumulative(middle) < target ? low : high) = middle;
  }
  return std::clamp(std::exp(high), sizes.smallest, sizes.largest);
}

/// Number of spheres with radii from a to x, up to a common factor, if the mass is distributed
/// evenly over the radii: the integral of r^-3.
double NumberUpTo(double a, double x) { return 0.5 * (1.0 / (a * a) - 1.0 / (x * x)); }

/// Total mass divided by the number of spheres, in units of 4/3 π times the density.
double SievedMeanCube(const SizeDistribution& sizes) {
  const std::vector<double>& r = sizes.sieves;
  double number = 0.0;
  for (std::size_t k = 0; k + 1 < r.size(); ++k) {
    const double density = (sizes.passing[k + 1] - sizes.passing[k]) / (r[k + 1] - r[k]);
    number += density * NumberUpTo(r[k], r[k + 1]);
  }
  return 1.0 / number;
}

double SievedQuantile(const SizeDistribution& sizes, double fraction) {
  const std::vector<double>& r = sizes.sieves;
  // Mass fraction per unit of radius between two sieves.
  std::vector<double> density(r.size() - 1), cumulative = {0.0};
  for (std::size_t k = 0; k + 1 < r.size(); ++k) {
    density[k] = (sizes.passing[k + 1] - sizes.passing[k]) / (r[k + 1] - r[k]);
    cumulative.push_back(cumulative.back() + density[k] * NumberUpTo(r[k], r[k + 1]));
  }
  const double number = fraction * cumulative.back();
  const auto next = std::upper_bound(cumulative.begin() + 1, cumulative.end() - 1, number);
  const auto k = static_cast<std::size_t>(next - cumulative.begin()) - 1;
  const double inverse_square =
      1.0 / (r[k] * r[k]) - 2.0 * (number - cumulative[k]) / std::max(density[k], 1e-300);
  const double radius = inverse_square > 0.0 ? 1.0 / std::sqrt(inverse_square) : r[k + 1];
  return std::clamp(radius, r[k], r[k + 1]);
}

}  // namespace

SizeDistribution SizeDistribution::Uniform(double smallest, double largest) {
  SizeDistribution sizes;
  sizes.kind = Kind::kUniform;
  sizes.smallest = smallest;
  sizes.largest = largest;
  return sizes;
}

SizeDistribution SizeDistribution::LogNormal(double median, double spread, double smallest,
                                             double largest) {
  SizeDistribution sizes = Uniform(smallest, largest);
  sizes.kind = Kind::kLogNormal;
  sizes.median = median;
  sizes.spread = spread;
  return sizes;
}

SizeDistribution SizeDistribution::Sieved(std::vector<double> sieves, std::vector<double> passing) {
  SCREE_DEMAND(sieves.size() >= 2 && sieves.size() == passing.size());
  // Keeps the largest sieve that no sphere passes, the smallest sieve that all spheres pass, and
  // all sieves in between.
  const auto first_sieve =
      std::upper_bound(passing.begin(), passing.end(), 0.0) - passing.begin() - 1;
  const auto end_sieve =
      std::lower_bound(passing.begin(), passing.end(), 1.0) - passing.begin() + 1;
  sieves = {sieves.begin() + first_sieve, sieves.begin() + end_sieve};
  passing = {passing.begin() + first_sieve, passing.begin() + end_sieve};
  SizeDistribution sizes = Uniform(sieves.front(), sieves.back());
  sizes.kind = Kind::kSieved;
  sizes.sieves = std::move(sieves);
  sizes.passing = std::move(passing);
  return sizes;
}

double SizeDistribution::Quantile(double fraction) const {
  switch (kind) {
    case Kind::kSingleSize:
      return largest;
    case Kind::kUniform:
      return smallest + fraction * (largest - smallest);
    case Kind::kLogNormal:
      return LogNormalQuantile(*this, fraction);
    case Kind::kSieved:
      return SievedQuantile(*this, fraction);
  }
  return largest;
}

double SizeDistribution::MeanCube() const {
  const auto power = [](double x, int n) { return std::pow(x, n); };
  switch (kind) {
    case Kind::kSingleSize:
      return power(largest, 3);
    case Kind::kUniform:
      return (power(largest, 4) - power(smallest, 4)) / (4.0 * (largest - smallest));
    case Kind::kLogNormal:
      return LogNormalMeanCube(*this);
    case Kind::kSieved:
      return SievedMeanCube(*this);
  }
  return power(largest, 3);
}

}  // namespace scree
