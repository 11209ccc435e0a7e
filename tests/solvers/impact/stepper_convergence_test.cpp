// Orders of convergence, in the smooth part of a contact and over all of it.
#include "solvers/impact/stepper_convergence.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "solvers/base/check.hpp"

namespace scree::impact::stepper_convergence_test {
namespace {

constexpr double kOrderTolerance = 0.06;  // of what is measured between 64 and 256 steps

double Order(const HuntCrossleyImpact& exact, const ContactPart& part, ImpactMethod method) {
  const auto error = [&](int steps) {
    return IntegratePart(exact, part, method, steps).compression_error;
  };
  return 0.5 * std::log2(error(64) / error(256));
}

HuntCrossleyImpact Impact(double mu) { return HuntCrossleyImpact({0.01, 1e9, mu, 1.5}, 1.0); }
constexpr ContactPart kSmooth{0.8, -0.4};

TEST(StepperConvergence, OrdersInTheSmoothPart) {
  const HuntCrossleyImpact exact = Impact(0.5);
  EXPECT_NEAR(Order(exact, kSmooth, ImpactMethod::kAdamsMoulton), 2.0, kOrderTolerance);
  EXPECT_NEAR(Order(exact, kSmooth, ImpactMethod::kVerlet), 1.0, kOrderTolerance);
  EXPECT_NEAR(Order(exact, kSmooth, ImpactMethod::kHeun), 2.0, kOrderTolerance);
  EXPECT_NEAR(Order(exact, kSmooth, ImpactMethod::kRungeKutta4), 4.0, kOrderTolerance);
}

TEST(StepperConvergence, VerletIsOfSecondOrderWithoutDamping) {
  EXPECT_NEAR(Order(Impact(0.0), kSmooth, ImpactMethod::kVerlet), 2.0, kOrderTolerance);
}

TEST(StepperConvergence, TouchAndReleaseLimitTheOrderToAlphaPlusOne) {
  const HuntCrossleyImpact exact = Impact(0.5);
  const ContactPart whole{1.0, exact.OutboundVelocity()};
  const auto error = [&](int steps) {
    return IntegratePart(exact, whole, ImpactMethod::kRungeKutta4, steps).compression_error;
  };
  EXPECT_NEAR(0.5 * std::log2(error(1024) / error(4096)), 2.5, kOrderTolerance);
}

TEST(StepperConvergence, VelocityConvergesToo) {
  const HuntCrossleyImpact exact = Impact(0.5);
  for (const ImpactMethod method : kImpactMethods) {
    EXPECT_LT(IntegratePart(exact, kSmooth, method, 4096).velocity_error, 1e-4) << Name(method);
  }
  EXPECT_LT(IntegratePart(exact, kSmooth, ImpactMethod::kRungeKutta4, 1024).velocity_error, 1e-12);
}

TEST(StepperConvergence, BadParts) {
  const HuntCrossleyImpact exact = Impact(0.5);
  for (const ContactPart part : {ContactPart{1.1, 0.0}, ContactPart{0.5, -0.8},
                                 ContactPart{0.0, 0.0}, ContactPart{std::nan(""), 0.0}}) {
    EXPECT_THROW(IntegratePart(exact, part, ImpactMethod::kVerlet, 10), InputError);
  }
  EXPECT_THROW(IntegratePart(exact, kSmooth, ImpactMethod::kVerlet, 0), InputError);
}

}  // namespace
}  // namespace scree::impact::stepper_convergence_test
