// The fits of section 4.2: they recover given parameters and the results of the paper.
#include "apps/single/models/damping_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "apps/single/models/linear_damping.hpp"

namespace scree::impact::damping_fit_test {
namespace {

std::vector<double> Range(double lower, double upper, int points) {
  std::vector<double> values;
  for (int i = 0; i < points; ++i) values.push_back(lower + (upper - lower) * i / (points - 1));
  return values;
}

TEST(DampingFit, FitRecoversGivenParameters) {
  const std::vector<double> x = Range(1.0, 2.0, 20), e = Range(0.45, 1.0, 50);
  std::vector<double> line, pattern, quartic, power;
  for (const double value : x) {
    line.push_back(3.0 - 2.0 * value);
    quartic.push_back((((0.3 * value - 1.5) * value + 3.0) * value - 2.0) * value + 1.8);
    power.push_back(1.3 * std::pow(value, 0.25) - 1.7);
  }
  for (const double value : e) pattern.push_back(1.6 * (std::pow(value, -0.38) - 1.0));
  EXPECT_NEAR(FitLine(x, line).slope, -2.0, 1e-13);
  EXPECT_NEAR(FitLine(x, line).intercept, 3.0, 1e-13);
  const DampingFit damping = FitDampingPattern(e, pattern);
  // A minimum is flat, so its position has half the number of digits.
  EXPECT_NEAR(damping.beta, -0.38, 1e-7);
  EXPECT_NEAR(damping.alpha, 1.6, 1e-6);
  EXPECT_LT(damping.max_residual, 1e-7);
  EXPECT_NEAR(FitAlpha(x, quartic)[0], 0.3, 1e-9);
  EXPECT_NEAR(FitAlpha(x, quartic)[4], 1.8, 1e-9);
  const BetaFit beta = FitBeta(x, power);
  EXPECT_NEAR(beta.b, 0.25, 1e-5);
  EXPECT_NEAR(beta.a, 1.3, 1e-4);
  EXPECT_NEAR(beta.c, -1.7, 1e-4);
}

TEST(DampingFit, FitEqualsThatOfThePaper) {
  // The paper states 0.45 ≤ e ≤ 1, which gives other constants (n = 2: 2.23 and −0.25 instead of
  // 2.98 and −0.19). The range from 0.05 on reproduces the constants of the paper.
  const std::vector<double> e = Range(0.05, 1.0, 96);
  for (const double n : {1.0, 1.2, 1.5, 1.8, 2.0}) {
    std::vector<double> c;
    for (const double value : e) c.push_back(OptimalDamping({n}, value));
    const DampingFit fit = FitDampingPattern(e, c);
    // (46) and (47) are fits to such values.
    EXPECT_NEAR(fit.alpha, DampingAlpha(n), 0.03 * fit.alpha) << n;
    EXPECT_NEAR(fit.beta, DampingBeta(n), 0.006) << n;
    EXPECT_LT(fit.max_residual, 0.03);
  }
}

}  // namespace
}  // namespace scree::impact::damping_fit_test
