// Random numbers: uniform, and independent of their neighbours in id, draw and seed.
#include "engine/particles/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

namespace scree::random_test {
namespace {

constexpr int kDraws = 100000;
constexpr double kFiveSigma = 5.0;  // one failure in two million

TEST(Random, NumbersHaveTheUniformMeanAndVariance) {
  double sum = 0.0, squares = 0.0, lowest = 1.0, highest = -1.0;
  std::array<int, 20> histogram = {};
  for (ParticleId id = 0; id < kDraws; ++id) {
    const double x = UniformAroundZero(1, id, 0);
    ASSERT_GE(x, -1.0);
    ASSERT_LT(x, 1.0);
    sum += x;
    squares += x * x;
    lowest = std::min(lowest, x);
    highest = std::max(highest, x);
    ++histogram[static_cast<std::size_t>((x + 1.0) * 10.0)];
  }
  // Var x = 1/3, Var x² = 1/5 - 1/9 = 4/45.
  EXPECT_NEAR(sum / kDraws, 0.0, kFiveSigma * std::sqrt(1.0 / 3.0 / kDraws));
  EXPECT_NEAR(squares / kDraws, 1.0 / 3.0, kFiveSigma * std::sqrt(4.0 / 45.0 / kDraws));
  EXPECT_LT(lowest, -0.999);
  EXPECT_GT(highest, 0.999);
  for (const int count : histogram) {
    EXPECT_NEAR(count, kDraws / 20, kFiveSigma * std::sqrt(kDraws / 20.0));
  }
}

/// Correlation coefficient of two sequences: the mean product over the variance 1/3.
double Correlation(const std::function<double(ParticleId)>& x,
                   const std::function<double(ParticleId)>& y) {
  double sum = 0.0;
  for (ParticleId id = 0; id < kDraws; ++id) sum += x(id) * y(id);
  return 3.0 * sum / kDraws;
}

TEST(Random, NeighbouringIdsDrawsAndSeedsAreUncorrelated) {
  const double limit = kFiveSigma / std::sqrt(kDraws);
  const auto base = [](ParticleId id) { return UniformAroundZero(1, id, 0); };
  EXPECT_NEAR(Correlation(base, base), 1.0, 0.02);
  for (const ParticleId lag : {1, 2, 64, 150, 9750}) {
    EXPECT_NEAR(Correlation(base, [&](ParticleId id) { return base(id + lag); }), 0.0, limit);
  }
  for (const std::uint64_t draw : {1u, 2u}) {
    const auto number = [&](ParticleId id) { return UniformAroundZero(1, id, draw); };
    const auto shifted = [&](ParticleId id) { return UniformAroundZero(1, id + 1, draw - 1); };
    EXPECT_NEAR(Correlation(base, number), 0.0, limit);
    EXPECT_NEAR(Correlation(number, shifted), 0.0, limit);
  }
  for (const std::uint64_t seed : {0u, 2u, 3u}) {
    const auto number = [&](ParticleId id) { return UniformAroundZero(seed, id, 0); };
    EXPECT_NEAR(Correlation(base, number), 0.0, limit);
  }
}

TEST(Random, NumberIsAFunctionOfTheArguments) {
  const double first = UniformAroundZero(7, 123456789012LL, 2);
  for (ParticleId id = 0; id < 10; ++id) UniformAroundZero(7, id, 0);
  EXPECT_EQ(UniformAroundZero(7, 123456789012LL, 2), first);
  EXPECT_NE(UniformAroundZero(8, 123456789012LL, 2), first);
  EXPECT_NE(UniformAroundZero(7, 123456789013LL, 2), first);
  EXPECT_NE(UniformAroundZero(7, 123456789012LL, 1), first);
}

}  // namespace
}  // namespace scree::random_test
