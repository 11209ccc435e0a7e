// The formulas as printed agree with the closed forms that simulations use.
#include "solvers/impact/printed_forms.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "solvers/impact/outbound_velocity.hpp"

namespace scree::impact::printed_forms_test {
namespace {

// Differences of logarithms of order 0.5 leave 1e-15; the root of order 1/(α + 1) helps.
constexpr double kTolerance = 1e-13;
constexpr double kAlways = std::numeric_limits<double>::infinity();

TEST(PrintedForms, CompressionIsEquation3) {
  const HuntCrossley model{0.01, 1e7, 0.5, 1.5};
  const HuntCrossleyImpact exact(model, 4.0);
  for (const double v : {3.0, 1.0, 0.0, -1.0, -1.5}) {
    const double x = exact.CompressionAt(v);
    EXPECT_NEAR(PrintedCompression(model, 4.0, v), x, kTolerance * x);
  }
}

TEST(PrintedForms, ConstraintIsEquation7) {
  const OutboundApproximation approximation;
  for (const double v_in : {0.5, 1.0, 4.0, 20.0}) {
    const double v = -v_in * approximation.Restitution(0.5 * v_in);
    EXPECT_NEAR(PrintedConstraint(0.5, v_in, kAlways, -0.1), v, -kTolerance * v);
  }
  EXPECT_EQ(PrintedConstraint(0.5, 1.0, 0.49, -0.1), -0.1) << "beyond the range: as it was";
}

TEST(PrintedForms, RootStepConvergesToTheExactVelocity) {
  const double mu = 0.5, v_in = 1.0, right = mu * v_in - std::log(1.0 + mu * v_in);
  double v = -0.9;
  for (int i = 0; i < 6; ++i) v = PrintedRootStep(mu, right, v);
  EXPECT_NEAR(v, -v_in * RestitutionCoefficient(mu * v_in), kTolerance);
}

}  // namespace
}  // namespace scree::impact::printed_forms_test
