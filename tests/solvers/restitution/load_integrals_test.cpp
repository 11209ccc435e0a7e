// The integrals of the undamped impact: quadrature, closed form without load, sums of Beta
// functions.
#include "solvers/restitution/load_integrals.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/csv_rows.hpp"

namespace scree::impact::load_integrals_test {
namespace {

constexpr double kRounding = 4e-15;
// The recurrence of proposition 3 amplifies rounding by 1e11 for 21 nodes.
constexpr double kRecurrence = 2e-7;

TEST(LoadIntegrals, MatchReferenceQuadrature) {
  double worst_i = 0.0, worst_q = 0.0;
  for (const auto& row : test::ReadRows("load_integrals.csv")) {
    const double alpha = std::stod(row[0]), beta = std::stod(row[1]), load = std::stod(row[2]);
    const double i0 = std::stod(row[4]), q0 = std::stod(row[5]);
    EXPECT_NEAR(MaxDeformation(alpha, load), std::stod(row[3]), kRounding * std::stod(row[3]));
    const LoadIntegrals integrated = IntegrateLoad(alpha, beta, load);
    EXPECT_NEAR(integrated.i0, i0, kRounding * i0);
    EXPECT_NEAR(integrated.q0, q0, kRounding * q0);
    const LoadIntegrals summed = ApproximateLoadIntegrals(alpha, beta, load);
    EXPECT_NEAR(summed.i0, std::stod(row[6]), kRecurrence * i0);
    EXPECT_NEAR(summed.q0, std::stod(row[7]), kRecurrence * q0);
    worst_i = std::max(worst_i, std::abs(summed.i0 / i0 - 1.0));
    worst_q = std::max(worst_q, std::abs(summed.q0 / q0 - 1.0));
    if (load == 0.0) {
      EXPECT_NEAR(IntegralsWithoutLoad(alpha, beta).i0, i0, kRounding * i0);
      EXPECT_NEAR(IntegralsWithoutLoad(alpha, beta).q0, q0, kRounding * q0);
    }
  }
  // ApproximateLoadIntegrals interpolates, which causes these errors even in exact arithmetic.
  EXPECT_GT(worst_i, 1e-4);
  EXPECT_LT(worst_i, 1e-3);
  EXPECT_LT(worst_q, 7e-3);
}

TEST(LoadIntegrals, HeavyLoadIntegralsFollowTheAsymptote) {
  // The asymptote is (A11). The relative deviation from it falls like g̃^(−5/3) with the load g̃.
  const double alpha = 1.5, beta = 1.5;
  const double c = 4.4039857765502876705 / beta;
  double previous_error = 0.0;
  for (const double load : {1e2, 1e3, 1e4}) {
    const double asymptote = c * std::pow(load, (2.0 * beta + alpha + 1.0) / (2.0 * alpha));
    const double excess = IntegrateLoad(alpha, beta, load).i0 / asymptote - 1.0;
    if (previous_error > 0.0) {
      EXPECT_NEAR(previous_error / excess, std::pow(10.0, 5.0 / 3.0), 1.0);
    }
    previous_error = excess;
  }
  EXPECT_LT(previous_error, 2e-7);
}

TEST(LoadIntegrals, NonIntegerExponentsMatchTheClosedForm) {
  // At g̃ = 0 the closed form checks the quadrature for any exponents.
  for (const double alpha : {1.0, 1.13, 1.5, 2.7}) {
    for (const double beta : {1.0, 1.01, 1.3, 1.77, 3.1}) {
      const LoadIntegrals exact = IntegralsWithoutLoad(alpha, beta);
      const LoadIntegrals integrals = IntegrateLoad(alpha, beta, 0.0);
      EXPECT_NEAR(integrals.i0, exact.i0, 1e-12 * exact.i0) << alpha << " " << beta;
      EXPECT_NEAR(integrals.q0, exact.q0, 1e-12 * exact.q0) << alpha << " " << beta;
    }
  }
}

}  // namespace
}  // namespace scree::impact::load_integrals_test
