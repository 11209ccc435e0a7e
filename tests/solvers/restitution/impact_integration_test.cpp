// Impacts integrated to their end: 128-bit reference results, conservation, grazing, creeping.
#include "solvers/restitution/impact_integration.hpp"

#include <gtest/gtest.h>

#include <array>
#include <boost/math/constants/constants.hpp>
#include <cmath>
#include <limits>

#include "solvers/base/check.hpp"
#include "solvers/restitution/viscoelastic.hpp"
#include "tests/support/csv_rows.hpp"

namespace scree::impact::impact_integration_test {
namespace {

using test::ReadRows;

// Rounding of several hundred steps. This is the error of e²; the error of e is 1/e times as
// large. With a heavy load, intermediate velocities are ten times the final ones, so e² is less
// accurate.
constexpr double kRounding = 5e-14;
constexpr double kHeavyLoad = 50.0 * kRounding;

TEST(ImpactIntegration, MatchesReferenceOfHigherPrecision) {
  int detached = 0, captured = 0;
  for (const auto& row : ReadRows("restitution.csv")) {
    const ScaledImpact impact{std::stod(row[0]), std::stod(row[1]), std::stod(row[2]),
                              std::stod(row[3])};
    const double e = std::stod(row[4]), duration = std::stod(row[5]);
    const ImpactResult result = IntegrateImpact(impact);
    ASSERT_EQ(result.detached, duration > 0.0) << row[1] << " " << row[2] << " " << row[3];
    if (!result.detached) {
      ++captured;
      EXPECT_EQ(result.restitution, 0.0);
      EXPECT_LT(result.energy, 0.0);
      continue;
    }
    ++detached;
    const double error = (impact.load > 1.0 ? kHeavyLoad : kRounding) / e;
    EXPECT_NEAR(result.restitution, e, error);
    EXPECT_NEAR(result.loss, 1.0 - e * e, 2.0 * error);
    EXPECT_NEAR(result.energy, e * e, 2.0 * error);
    EXPECT_NEAR(result.duration, duration, 1e-12 * duration);
    EXPECT_NEAR(result.max_deformation, std::stod(row[6]), 1e-13 * result.max_deformation);
    EXPECT_EQ(result.end_deformation, 0.0);
  }
  EXPECT_GT(detached, 200);
  EXPECT_GT(captured, 20);
}

TEST(ImpactIntegration, CoarseAndFineTolerancesAgree) {
  // Exponents without a closed form: coarse and fine tolerances must agree, and the integrated loss
  // must equal 1 − e².
  for (const double alpha : {1.1, 1.37, 1.9, 3.0}) {
    for (const double beta : {1.0, 1.05, 1.3, 2.2}) {
      const ScaledImpact impact{alpha, beta, 0.3, 0.1};
      const ImpactResult fine = IntegrateImpact(impact), coarse = IntegrateImpact(impact, 1e-12);
      EXPECT_NEAR(fine.restitution, coarse.restitution, 1e-11);
      EXPECT_NEAR(fine.loss, 1.0 - fine.restitution * fine.restitution, 1e-12);
    }
  }
}

TEST(ImpactIntegration, LinearOscillatorIsExact) {
  // u'' + γ u' + u = 0: half a period until u = 0, e = exp(−πξ/√(1−ξ²)), ξ = γ/2.
  const double pi = boost::math::constants::pi<double>();
  for (const double gamma : {0.01, 0.5, 1.5}) {
    const double xi = 0.5 * gamma, root = std::sqrt(1.0 - xi * xi);
    const ImpactResult result = IntegrateImpact({1.0, 1.0, gamma, 0.0});
    EXPECT_NEAR(result.restitution, std::exp(-pi * xi / root), kRounding);
    EXPECT_NEAR(result.duration, pi / root, 1e-12);
  }
  EXPECT_TRUE(IntegrateImpact({1.0, 1.0, 1.99, 0.0}).detached);
  EXPECT_FALSE(IntegrateImpact({1.0, 1.0, 2.0, 0.0}).detached);
}

TEST(ImpactIntegration, NoDissipationConservesEnergy) {
  for (const double load : {0.0, 1e-3, 1.0, 100.0}) {
    const ImpactResult result = IntegrateImpact({1.5, 1.5, 0.0, load, ImpactEnd::kForceZero});
    EXPECT_TRUE(result.detached);
    EXPECT_NEAR(result.restitution, 1.0, 1e-12 * (1.0 + load));
    EXPECT_EQ(result.loss, 0.0);
  }
}

TEST(ImpactIntegration, ContactEndsBeforeTheForcePulls) {
  for (const double beta : {1.0, 1.25, 1.5}) {
    const ScaledImpact impact{1.5, beta, 0.4, 0.0, ImpactEnd::kForceZero};
    const ImpactResult result = IntegrateImpact(impact);
    const double u = result.end_deformation, e = result.restitution;
    EXPECT_GT(u, 0.0);
    EXPECT_NEAR(std::pow(u, 1.5), 0.4 * beta * std::pow(u, beta - 1.0) * e, 1e-13);
    EXPECT_NEAR(result.loss, 1.0 - e * e, 1e-13);
    // If the contact could pull until the end, it would reduce the restitution.
    EXPECT_GT(e, IntegrateImpact({1.5, beta, 0.4, 0.0}).restitution);
    for (const ImpactSample& sample : SampleImpactPath(impact, 3)) EXPECT_GT(sample.force, -1e-13);
  }
  // For β = α + 1 the force becomes zero only at u = 0, so both ends are the same.
  EXPECT_EQ(IntegrateImpact({1.5, 2.5, 0.4, 0.0, ImpactEnd::kForceZero}).restitution,
            IntegrateImpact({1.5, 2.5, 0.4, 0.0}).restitution);
}

TEST(ImpactIntegration, EnergyIsLinearAroundTheCriticalDissipation) {
  // Just below γ_c, e² ∝ γ_c − γ. Just above it, the energy of the captured body continues on the
  // same line.
  const double critical = CriticalDissipation({1.5, 1.5}, 10.0);
  double slope = 0.0;
  for (const double step : {1e-4, 1e-6, 1e-8}) {
    const ImpactResult below_critical = IntegrateImpact({1.5, 1.5, critical * (1.0 - step), 10.0});
    const ImpactResult above_critical = IntegrateImpact({1.5, 1.5, critical * (1.0 + step), 10.0},
                                                        kImpactTolerance, OnCapture::kFollow);
    EXPECT_TRUE(below_critical.detached);
    EXPECT_FALSE(above_critical.detached);
    EXPECT_GT(below_critical.restitution, 0.0);
    EXPECT_NEAR(below_critical.energy, -above_critical.energy, 0.01 * below_critical.energy);
    if (slope > 0.0) {
      EXPECT_NEAR(below_critical.energy / step, slope, 0.01 * slope);
    }
    slope = below_critical.energy / step;
  }
}

TEST(ImpactIntegration, CreepingReturnIsRecognised) {
  // Without load and with 2β ≤ α + 1 the return may take infinitely long. With a load, the approach
  // to rest may take a million time constants of the damper.
  for (const double gamma : {3.0, 30.0, 1e3}) {
    EXPECT_FALSE(IntegrateImpact({1.5, 1.0, gamma, 0.0}).detached);
    EXPECT_FALSE(IntegrateImpact({1.5, 1.25, gamma, 0.0}).detached);
    for (const ImpactEnd end : {ImpactEnd::kDeformationZero, ImpactEnd::kForceZero}) {
      for (const double load : {1e-8, 1.0, 1e3}) {
        EXPECT_FALSE(IntegrateImpact({1.5, 1.0, gamma, load}).detached);
        const ImpactResult result = IntegrateImpact({1.5, 1.5, gamma, load, end});
        EXPECT_EQ(result.restitution > 0.0, result.detached);
      }
    }
  }
  // If 2β > α + 1, the damper vanishes before the spring, so that e > 0, however small.
  EXPECT_NEAR(IntegrateImpact({1.5, 1.5, 10.0, 0.0}).restitution, 6.8e-6, 0.1e-6);
}

TEST(ImpactIntegration, PathObeysTheEquation) {
  const ScaledImpact impact{1.5, 1.5, 0.06, 4.0};
  const std::vector<ImpactSample> path = SampleImpactPath(impact, 20);
  EXPECT_EQ(path.front().velocity, 1.0);
  for (std::size_t i = 1; i + 1 < path.size(); ++i) {
    const ImpactSample &a = path[i - 1], &b = path[i], &c = path[i + 1];
    if (c.time - a.time < 1e-4) continue;
    // Finite differences of second order over steps of unequal length.
    const double backward = (b.velocity - a.velocity) / (b.time - a.time);
    const double forward = (c.velocity - b.velocity) / (c.time - b.time);
    const double weight = (b.time - a.time) / (c.time - a.time);
    EXPECT_NEAR((1.0 - weight) * backward + weight * forward, impact.load - b.force, 1e-2);
  }
  // The body is captured: its path ends at the turning point, between u = 0 and the deformation at
  // rest.
  EXPECT_NEAR(path.back().velocity, 0.0, 1e-12);
  EXPECT_GT(path.back().deformation, 0.0);
  EXPECT_LT(path.back().deformation, std::pow(4.0, 2.0 / 3.0));
}

TEST(ImpactIntegration, ValuesOutOfRangeAreRejected) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = INFINITY;
  for (const ScaledImpact& impact :
       {ScaledImpact{0.9, 1.5, 0.1, 0.0}, ScaledImpact{1.5, 0.99, 0.1, 0.0},
        ScaledImpact{1.5, 1.5, -0.1, 0.0}, ScaledImpact{1.5, 1.5, 0.1, -1.0},
        ScaledImpact{nan, 1.5, 0.1, 0.0}, ScaledImpact{1.5, 1.5, nan, 0.0},
        ScaledImpact{1.5, 1.5, inf, 0.0}, ScaledImpact{1.5, 1.5, 0.1, inf}}) {
    EXPECT_THROW(IntegrateImpact(impact), InputError);
    EXPECT_THROW(SampleImpactPath(impact, 1), InputError);
  }
}

}  // namespace
}  // namespace scree::impact::impact_integration_test
