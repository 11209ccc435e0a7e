// Hunt-Crossley damping factors: the formulas, the exact factor, and the restitution that each
// gives.
#include "apps/single/models/hysteresis_damping.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "solvers/base/check.hpp"
#include "solvers/restitution/impact_integration.hpp"
#include "tests/support/csv_rows.hpp"

namespace scree::impact::hysteresis_damping_test {
namespace {

// Closed forms and their inverses: several rounding errors.
constexpr double kRounding = 1e-14;

HysteresisFormula FormulaOf(const std::string& name) {
  for (const HysteresisFormula formula : kHysteresisFormulas) {
    if (name == Name(formula)) return formula;
  }
  throw std::runtime_error("no formula " + name);
}

TEST(HysteresisDamping, FactorsMatchTheReference) {
  for (const auto& row : test::ReadRows("hysteresis_damping.csv")) {
    const double e = std::stod(row[0]), factor = std::stod(row[2]);
    EXPECT_NEAR(HysteresisFactor(FormulaOf(row[1]), e), factor, kRounding * factor / (1.0 - e));
    EXPECT_NEAR(RestitutionOfHysteresis(factor), std::stod(row[3]), kRounding * std::stod(row[3]))
        << row[1] << " " << row[0];
  }
}

TEST(HysteresisDamping, ExactFactorIsInvertedEverywhere) {
  for (double log_e = -13.8; log_e < 0.0; log_e += 0.01) {
    const double e = std::exp(log_e);
    const double factor = HysteresisFactor(HysteresisFormula::kExact, e);
    EXPECT_NEAR(RestitutionOfHysteresis(factor), e, kRounding * e);
  }
  EXPECT_EQ(HysteresisFactor(HysteresisFormula::kExact, 1.0), 0.0);
  EXPECT_EQ(RestitutionOfHysteresis(0.0), 1.0);
}

TEST(HysteresisDamping, WeakDampingFollowsTheSeries) {
  // e = 1 − 2/3 h + 4/9 h² − 44/135 h³ + ...; the next coefficient is 0.257.
  for (const double h : {1e-8, 1e-5, 1e-3}) {
    const double series = 1.0 - h * (2.0 / 3.0 - h * (4.0 / 9.0 - h * 44.0 / 135.0));
    EXPECT_NEAR(RestitutionOfHysteresis(h), series, 0.3 * h * h * h * h + 4e-16);
  }
}

TEST(HysteresisDamping, RestitutionIsThatOfTheIntegratedImpact) {
  // f = uⁿ (1 + h u') is the force of ScaledImpact with β = n + 1 and γ = h/β, for any n.
  for (const double n : {1.0, 1.5, 2.0}) {
    for (const double h : {0.01, 0.5, 5.0, 100.0}) {
      EXPECT_NEAR(IntegrateImpact({n, n + 1.0, h / (n + 1.0), 0.0}).restitution,
                  RestitutionOfHysteresis(h), 1e-13);
    }
  }
}

TEST(HysteresisDamping, ErrorsNameTheBadValue) {
  for (const HysteresisFormula formula : kHysteresisFormulas) {
    EXPECT_THROW(HysteresisFactor(formula, -0.1), InputError);
    EXPECT_THROW(HysteresisFactor(formula, 1.1), InputError);
    EXPECT_THROW(HysteresisFactor(formula, std::nan("")), InputError);
  }
  EXPECT_THROW(HysteresisFactor(HysteresisFormula::kExact, 0.0), InputError);
  EXPECT_THROW(HysteresisFactor(HysteresisFormula::kFlores, 0.0), InputError);
  EXPECT_EQ(HysteresisFactor(HysteresisFormula::kHuntCrossley, 0.0), 1.5);
  EXPECT_THROW(RestitutionOfHysteresis(-1.0), InputError);
  EXPECT_THROW(RestitutionOfHysteresis(std::nan("")), InputError);
}

}  // namespace
}  // namespace scree::impact::hysteresis_damping_test
