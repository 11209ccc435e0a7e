#include "engine/scene/size_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// Cumulative normal distribution.
double NormalUpTo(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// E[r³] of the untruncated log-normal distribution is exp(3 μ + 9/2 σ²). The part from radii below
/// r is the number fraction below r of a log-normal distribution with the same σ and a median exp(3
/// σ²) times as large.
double LogNormalMeanCube(const SizeDistribution& sizes) {
  const double mu = std::log(sizes.median), sigma = sizes.spread;
  const auto fraction = [&](double shift) {
    return NormalUpTo((std::log(sizes.largest) - mu) / sigma - shift) -
           NormalUpTo((std::log(sizes.smallest) - mu) / sigma - shift);
  };
  return std::exp(3.0 * mu + 4.5 * sigma * sigma) * fraction(3.0 * sigma) / fraction(0.0);
}

double LogNormalQuantile(const SizeDistribution& sizes, double fraction) {
  const auto up_to = [&](double log_radius) {
    return 0.5 * std::erfc((std::log(sizes.median) - log_radius) / (sizes.spread * std::sqrt(2.0)));
  };
  double low = std::log(sizes.smallest), high = std::log(sizes.largest);
  const double wanted = up_to(low) + fraction * (up_to(high) - up_to(low));
  for (double middle = 0.5 * (low + high); middle > low && middle < high;
       middle = 0.5 * (low + high)) {
    (up_to(middle) < wanted ? low : high) = middle;
  }
  return std::clamp(std::exp(high), sizes.smallest, sizes.largest);
}

/// Number of spheres, up to a common factor, with radii from a to x, if the mass is distributed
/// evenly over the radii: the integral of r^-3.
double NumberUpTo(double a, double x) { return 0.5 * (1.0 / (a * a) - 1.0 / (x * x)); }

/// Total mass over the number of spheres, in units of 4/3 π times the density.
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
  std::vector<double> density(r.size() - 1), up_to = {0.0};
  for (std::size_t k = 0; k + 1 < r.size(); ++k) {
    density[k] = (sizes.passing[k + 1] - sizes.passing[k]) / (r[k + 1] - r[k]);
    up_to.push_back(up_to.back() + density[k] * NumberUpTo(r[k], r[k + 1]));
  }
  const double number = fraction * up_to.back();
  const auto next = std::upper_bound(up_to.begin() + 1, up_to.end() - 1, number);
  const auto k = static_cast<std::size_t>(next - up_to.begin()) - 1;
  const double inverse_square =
      1.0 / (r[k] * r[k]) - 2.0 * (number - up_to[k]) / std::max(density[k], 1e-300);
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
  // Keeps the largest sieve that no sphere passes and the smallest that all spheres pass.
  const auto from = std::upper_bound(passing.begin(), passing.end(), 0.0) - passing.begin() - 1;
  const auto upto = std::lower_bound(passing.begin(), passing.end(), 1.0) - passing.begin() + 1;
  sieves = {sieves.begin() + from, sieves.begin() + upto};
  passing = {passing.begin() + from, passing.begin() + upto};
  SizeDistribution sizes = Uniform(sieves.front(), sieves.back());
  sizes.kind = Kind::kSieved;
  sizes.sieves = std::move(sieves);
  sizes.passing = std::move(passing);
  return sizes;
}

double SizeDistribution::Quantile(double fraction) const {
  switch (kind) {
    case Kind::kOne:
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
  const auto to_the = [](double x, int n) { return std::pow(x, n); };
  switch (kind) {
    case Kind::kOne:
      return to_the(largest, 3);
    case Kind::kUniform:
      return (to_the(largest, 4) - to_the(smallest, 4)) / (4.0 * (largest - smallest));
    case Kind::kLogNormal:
      return LogNormalMeanCube(*this);
    case Kind::kSieved:
      return SievedMeanCube(*this);
  }
  return to_the(largest, 3);
}

}  // namespace scree
