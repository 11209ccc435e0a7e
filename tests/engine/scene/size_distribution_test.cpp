// Distributions of radii, compared with their definitions.
#include "engine/scene/size_distribution.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace scree::size_distribution_test {
namespace {

/// Mean of f(radius) over the spheres, from the midpoints of equal intervals of the quantile.
template <class Function>
double MeanOf(const SizeDistribution& sizes, Function&& f) {
  constexpr int kIntervals = 200000;
  double sum = 0.0;
  for (int k = 0; k < kIntervals; ++k) sum += f(sizes.Quantile((k + 0.5) / kIntervals));
  return sum / kIntervals;
}

TEST(SizeDistribution, SingleSizeHasNoSpread) {
  const SizeDistribution sizes = 0.47;
  EXPECT_EQ(sizes.smallest, 0.47);
  EXPECT_EQ(sizes.largest, 0.47);
  EXPECT_EQ(sizes.Quantile(0.3), 0.47);
}

TEST(SizeDistribution, UniformDistributionIsByNumber) {
  const auto sizes = SizeDistribution::Uniform(1.0, 3.0);
  EXPECT_DOUBLE_EQ(sizes.Quantile(0.0), 1.0);
  EXPECT_DOUBLE_EQ(sizes.Quantile(0.25), 1.5);
  EXPECT_DOUBLE_EQ(sizes.Quantile(1.0), 3.0);
}

TEST(SizeDistribution, LogNormalHasItsMomentsAndBounds) {
  const auto untruncated = SizeDistribution::LogNormal(2.0, 0.3, 1e-3, 1e3);
  EXPECT_NEAR(untruncated.Quantile(0.5), 2.0, 1e-12);
  EXPECT_NEAR(MeanOf(untruncated, [](double r) { return r; }), 2.0 * std::exp(0.045), 1e-4);
  EXPECT_NEAR(MeanOf(untruncated, [](double r) { return std::pow(std::log(r / 2.0), 2); }), 0.09,
              1e-4);
  const auto truncated = SizeDistribution::LogNormal(2.0, 0.3, 1.8, 2.5);
  EXPECT_NEAR(truncated.Quantile(0.0), 1.8, 1e-12);
  EXPECT_NEAR(truncated.Quantile(1.0), 2.5, 1e-12);
  // At the median of the truncated distribution, Phi is the mean of its values at the bounds.
  const auto phi = [](double r) {
    return 0.5 * std::erfc(-std::log(r / 2.0) / 0.3 / std::sqrt(2.0));
  };
  EXPECT_NEAR(phi(truncated.Quantile(0.5)), 0.5 * (phi(1.8) + phi(2.5)), 1e-12);
}

TEST(SizeDistribution, SievesThatPassAllOrNothingAreDropped) {
  const auto sizes = SizeDistribution::Sieved({0.1, 0.2, 0.5, 1.0, 2.0, 3.0}, {0, 0, 0, 0.4, 1, 1});
  EXPECT_EQ(sizes, SizeDistribution::Sieved({0.5, 1.0, 2.0}, {0.0, 0.4, 1.0}));
  EXPECT_EQ(sizes.smallest, 0.5);
  EXPECT_EQ(sizes.largest, 2.0);
}

TEST(SizeDistribution, SievedMassFractionsEqualThePassingFractions) {
  const std::vector<double> sieves = {0.5, 1.0, 1.5, 4.0}, passing = {0.0, 0.2, 0.2, 1.0};
  const auto sizes = SizeDistribution::Sieved(sieves, passing);
  EXPECT_EQ(sizes.smallest, 0.5);
  EXPECT_EQ(sizes.largest, 4.0);
  const double mass = MeanOf(sizes, [](double r) { return r * r * r; });
  for (const double sieve : {0.75, 1.0, 1.4, 1.5, 3.0}) {
    const double passed_mass =
        MeanOf(sizes, [=](double r) { return r <= sieve ? r * r * r : 0.0; });
    const double expected = sieve <= 1.0   ? 0.2 * (sieve - 0.5) / 0.5
                            : sieve <= 1.5 ? 0.2
                                           : 0.2 + 0.8 * (sieve - 1.5) / 2.5;
    EXPECT_NEAR(passed_mass / mass, expected, 1e-3) << sieve;
  }
  EXPECT_EQ(MeanOf(sizes, [](double r) { return r > 1.0 + 1e-9 && r < 1.5 - 1e-9 ? 1.0 : 0.0; }),
            0.0);
}

TEST(SizeDistribution, MeanCubeAgreesWithTheQuantiles) {
  for (const SizeDistribution& sizes :
       {SizeDistribution(0.3), SizeDistribution::Uniform(0.1, 0.4),
        SizeDistribution::LogNormal(0.2, 0.5, 0.1, 0.6),
        SizeDistribution::Sieved({0.1, 0.2, 0.5}, {0.0, 0.6, 1.0})}) {
    constexpr int kSamples = 20000;
    double mean = 0.0;
    for (int k = 0; k < kSamples; ++k) {
      mean += std::pow(sizes.Quantile((k + 0.5) / kSamples), 3) / kSamples;
    }
    EXPECT_NEAR(sizes.MeanCube() / mean, 1.0, 1e-4);
  }
}

}  // namespace
}  // namespace scree::size_distribution_test
