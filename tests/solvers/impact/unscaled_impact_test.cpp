// The impact integrated in SI units against the scaled one, whose only parameters are n and c̄.
#include "solvers/impact/unscaled_impact.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "solvers/base/check.hpp"
#include "tests/support/draw.hpp"

namespace scree::impact::unscaled_impact_test {
namespace {

constexpr double kIntegrated = 1e-7;  // of Runge-Kutta's steps over the root of the spring

LinearDampingImpact RandomImpact(test::Draw& draw) {
  return {draw.Uniform(1.0, 2.0), std::pow(10.0, draw.Uniform(-5.0, 2.0)),
          std::pow(10.0, draw.Uniform(5.0, 10.0)), std::pow(10.0, draw.Uniform(-3.0, 2.0))};
}

TEST(UnscaledImpact, RestitutionIsThatOfTheScaledImpact) {
  test::Draw draw(1);
  for (int i = 0; i < 60; ++i) {
    const LinearDampingImpact impact = RandomImpact(draw);
    const double damping = std::pow(10.0, draw.Uniform(-2.0, 1.0)) * DampingScale(impact);
    EXPECT_NEAR(UnscaledRestitution(impact, damping), RestitutionOfDamping(impact, damping),
                kIntegrated)
        << "n = " << impact.n << ", m = " << impact.mass << ", k = " << impact.stiffness
        << ", v = " << impact.speed << ", c = " << damping;
  }
}

TEST(UnscaledImpact, WithoutDampingNothingIsLost) {
  for (const double n : {1.0, 1.5, 2.0}) {
    EXPECT_NEAR(UnscaledRestitution({n, 2.0, 1e6, 0.3}, 0.0), 1.0, kIntegrated);
  }
}

TEST(UnscaledImpact, OptimalDampingIsThatOfTheScaledImpact) {
  test::Draw draw(2);
  for (int i = 0; i < 20; ++i) {
    const LinearDampingImpact impact = RandomImpact(draw);
    const double e = draw.Uniform(0.02, 0.98);
    const double exact = OptimalDamping(impact, e);
    // A restitution near 1 says little about the damping.
    EXPECT_NEAR(UnscaledOptimalDamping(impact, e) / exact, 1.0, 1e-5) << "e = " << e;
  }
}

TEST(UnscaledImpact, RefusesWhatIsOutOfRange) {
  EXPECT_THROW(UnscaledRestitution({3.0, 1.0, 1.0, 1.0}, 0.1), InputError);
  EXPECT_THROW(UnscaledRestitution({1.5, 1.0, 1.0, 1.0}, -0.1), InputError);
  EXPECT_THROW(UnscaledOptimalDamping({1.5, 1.0, 1.0, 1.0}, 0.0), InputError);
}

}  // namespace
}  // namespace scree::impact::unscaled_impact_test
