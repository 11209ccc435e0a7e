// The damping of a linear damper for a given restitution: exact, fitted, in any units.
#include "apps/single/models/linear_damping.hpp"

#include <gtest/gtest.h>

#include <array>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <random>

#include "solvers/base/check.hpp"
#include "tests/support/csv_rows.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/seed.hpp"

namespace scree::impact::linear_damping_test {
namespace {

using test::ReadRows;

// The stated accuracy of c_opt, and the rounding error of a closed form.
constexpr double kExact = 1e-10, kClosedForm = 1e-14;

TEST(LinearDamping, ExactOptimumMatchesReference) {
  for (const auto& row : ReadRows("damping_optimal.csv")) {
    const LinearDampingImpact impact{std::stod(row[0])};
    const double e = std::stod(row[1]), reference = std::stod(row[2]);
    const double c = OptimalDamping(impact, e);
    EXPECT_NEAR(c, reference, kExact * reference) << "n = " << row[0] << ", e = " << row[1];
    EXPECT_NEAR(FittedDamping(impact, e), std::stod(row[3]), 20 * kClosedForm * std::stod(row[3]));
    EXPECT_NEAR(SeparationDeformation(impact, c, e), std::stod(row[4]), kExact);
    EXPECT_NEAR(RestitutionOfDamping(impact, c), e, 3.0 * kExact * e);  // e falls like c^−2
    EXPECT_LE(c, DampingBound(impact, e));
  }
}

TEST(LinearDamping, RestitutionOfTheFitMatchesReference) {
  double max_error = 0.0;
  for (const auto& row : ReadRows("damping_fit_error.csv")) {
    const double e = std::stod(row[1]), reference = std::stod(row[3]);
    const double e_out = RestitutionOfDamping({std::stod(row[0])}, std::stod(row[2]));
    EXPECT_NEAR(e_out, reference, 1e-11);  // twelve digits are given
    max_error = std::max(max_error, std::abs(e_out - e));
  }
  EXPECT_LT(max_error, 3.4e-3);
  EXPECT_GT(max_error, 2.5e-3);
}

/// e_out by integration of (53) in the units of the impact, with an integrator and an event search
/// that use no scales or smooth coordinates.
double RestitutionInUnits(const LinearDampingImpact& impact, double c) {
  namespace odeint = boost::numeric::odeint;
  using State = std::array<double, 2>;
  const auto force = [&](const State& x) {
    return c * x[1] + impact.stiffness * std::pow(std::max(x[0], 0.0), impact.n);
  };
  const auto rate = [&](const State& x, State& dx, double) {
    dx = {x[1], -force(x) / impact.mass};
  };
  const double length = std::pow(impact.mass * impact.speed * impact.speed / impact.stiffness,
                                 1.0 / (impact.n + 1.0));
  const double step = 2e-4 * length / impact.speed;
  odeint::runge_kutta4<State> stepper;
  State x{0.0, impact.speed}, previous = x;
  while (x[1] > 0.0 || force(x) > 0.0) {
    previous = x;
    stepper.do_step(rate, x, 0.0, step);
  }
  // The velocity is stationary where the force vanishes.
  const double weight = force(previous) / (force(previous) - force(x));
  State end = previous;
  stepper.do_step(rate, end, 0.0, weight * step);
  return -end[1] / impact.speed;
}

TEST(LinearDamping, OptimumScalesWithTheUnits) {
  // The ranges in section 5.1.
  std::mt19937_64 engine(test::SeedOf(51));
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const auto log_uniform = [&](double low, double high) {
    return low * std::pow(high / low, uniform(engine));
  };
  for (int i = 0; i < 30; ++i) {
    const LinearDampingImpact impact{1.0 + uniform(engine), log_uniform(1e-5, 1e2),
                                     log_uniform(1e5, 1e10), log_uniform(1e-3, 1e2)};
    const double e = 0.05 + 0.9 * uniform(engine);
    // The error of the simple integrator with its fixed step.
    EXPECT_NEAR(RestitutionInUnits(impact, OptimalDamping(impact, e)), e, 1e-7);
  }
}

TEST(LinearDamping, NearlyElasticAndNearlyPlasticImpactsAreExact) {
  for (const double n : {1.0, 1.3, 1.5, 2.0}) {
    // c ∝ 1 − e with a relative correction of c^(1/n). Cancellation must not lose the digits of
    // 1 − e.
    const double small = OptimalDamping({n}, 1.0 - 0x1p-36),
                 large = OptimalDamping({n}, 1.0 - 0x1p-20);
    EXPECT_NEAR(large / small, 0x1p16, std::pow(0x1p-20, 1.0 / n) * 0x1p16);
    EXPECT_EQ(OptimalDamping({n}, 1.0), 0.0);
    EXPECT_NEAR(RestitutionOfDamping({n}, OptimalDamping({n}, 1e-6)), 1e-6, 1e-13);
    EXPECT_NEAR(RestitutionOfDamping({n}, 0.0), 1.0, 1e-13);
  }
}

TEST(DampingRatio, DampingRatioMatchesReferenceOnBothSidesOfCritical) {
  for (const auto& row : ReadRows("damping_ratio.csv")) {
    const double xi = std::stod(row[0]), e = std::stod(row[1]);
    EXPECT_NEAR(RestitutionOfDampingRatio(xi), e, 20 * kClosedForm * e) << xi;
    EXPECT_NEAR(DampingRatioOf(e), xi, 40 * kClosedForm * xi) << xi;
  }
  EXPECT_NEAR(RestitutionOfDampingRatio(1.0), std::exp(-2.0), 1e-16);
}

TEST(DampingRatio, PrintedExponentIsWrongAboveCritical) {
  // (55) as printed for ξ > 1; the integrated impact shows which form is correct.
  const double xi = 1.5, root = std::sqrt(xi * xi - 1.0), base = (xi - root) / (xi + root);
  const double printed = std::pow(base, 2.0 * xi * root / (2.0 * xi * xi - 1.0));
  const double corrected = std::pow(base, xi / root);
  const double integrated = RestitutionInUnits({1.0}, 2.0 * xi);
  EXPECT_NEAR(RestitutionOfDampingRatio(xi), corrected, 1e-15);
  EXPECT_NEAR(integrated, corrected, 1e-7);
  EXPECT_GT(std::abs(printed - integrated), 0.05);
}

TEST(LinearDamping, MaxPenetrationIsWhereTheSpringHasAllTheEnergy) {
  for (const double n : {1.0, 1.5, 2.0}) {
    const LinearDampingImpact impact{n, 0.3, 5e6, 0.7};
    const double depth = MaxPenetration(impact);
    const double energy = 0.5 * impact.mass * impact.speed * impact.speed;
    EXPECT_NEAR(impact.stiffness * std::pow(depth, n + 1.0) / (n + 1.0), energy, 1e-14 * energy);
    // (31) with (27) is (33).
    const double bound = impact.stiffness * std::pow(depth, n) / (0.4 * impact.speed);
    EXPECT_NEAR(DampingBound(impact, 0.4), bound, 1e-14 * bound);
  }
  EXPECT_THROW(MaxPenetration({1.5, 0.0, 1.0, 1.0}), InputError);
}

TEST(LinearDamping, ErrorsNameTheBadValue) {
  for (const double e : {-0.1, 0.0, 1.0 + 1e-9, std::nan("")}) {
    EXPECT_THROW(OptimalDamping({1.5}, e), InputError);
    EXPECT_THROW(FittedDamping({1.5}, e), InputError);
    EXPECT_THROW(DampingRatioOf(e), InputError);
  }
  for (const LinearDampingImpact& impact :
       {LinearDampingImpact{0.99}, LinearDampingImpact{2.01}, LinearDampingImpact{std::nan("")},
        LinearDampingImpact{1.5, 0.0}, LinearDampingImpact{1.5, 1.0, -1.0},
        LinearDampingImpact{1.5, 1.0, 1.0, 0.0}, LinearDampingImpact{1.5, INFINITY}}) {
    EXPECT_THROW(OptimalDamping(impact, 0.5), InputError);
    EXPECT_THROW(FittedDamping(impact, 0.5), InputError);
    EXPECT_THROW(RestitutionOfDamping(impact, 0.5), InputError);
  }
  EXPECT_THROW(RestitutionOfDamping({1.5}, -1.0), InputError);
  EXPECT_THROW(RestitutionOfDampingRatio(-1.0), InputError);
  const std::string message = MessageOf<InputError>([] { OptimalDamping({1.5}, 0.0); });
  EXPECT_NE(message.find("infinite damping"), std::string::npos);
}

}  // namespace
}  // namespace scree::impact::linear_damping_test
