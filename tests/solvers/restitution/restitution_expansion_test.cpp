// Closed forms of the restitution, compared with reference values and with integrated impacts.
#include "solvers/restitution/restitution_expansion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/csv_rows.hpp"

namespace scree::impact::restitution_expansion_test {
namespace {

constexpr double kRounding = 4e-15;
// The recurrence of proposition 3 amplifies rounding; so does the square root of (36) near e = 0.
constexpr double kRecurrence = 1e-6;

TEST(RestitutionExpansion, MatchesReferenceValues) {
  for (const auto& row : test::ReadRows("restitution.csv")) {
    const ContactModel model{std::stod(row[0]), std::stod(row[1])};
    const double gamma = std::stod(row[2]), load = std::stod(row[3]);
    const auto reference = [&](std::size_t column) {
      return std::max(0.0, std::stod(row[column]));
    };
    EXPECT_NEAR(FirstOrderRestitution(Expand(model), gamma, load), reference(7), kRounding);
    EXPECT_NEAR(SecondOrderRestitution(Expand(model), gamma, load), reference(8), kRounding);
    const LoadIntegrals integrals = IntegrateLoad(model.alpha, model.beta, load);
    const double e = PropositionRestitution(model.beta, gamma, integrals);
    EXPECT_NEAR(e, reference(9), 20.0 * kRounding);
    const LoadIntegrals sums = ApproximateLoadIntegrals(model.alpha, model.beta, load);
    EXPECT_NEAR(PropositionRestitution(model.beta, gamma, sums), reference(10), kRecurrence);
  }
}

TEST(RestitutionExpansion, ConstantsOfAllModelsMatch) {
  struct Constants {
    ContactModel model;
    double c0, c1, c2, large_load;
  };
  const Constants all[] = {
      {{1.5, 1.0},
       1.7878141442883572692,
       2.1989296529094966024,
       -1.2785117658070044579,
       3.1426968052735445529},
      {{1.5, 1.5}, 1.7301732871429331987, 3.0, -1.7960997621257896641, 4.4039857765502876705},
      {{1.5, 2.5},
       1.6666666666666666667,
       4.469535360720893173,
       -2.7777777777777777778,
       7.8567420131838613822},
      {{1.5, 1.25},
       1.7562036827601815983,
       2.6095643534466880971,
       -1.5421256876702122842,
       3.7512383243886958227},
      {{1.0, 1.0}, 1.5707963267948966192, 2.0, -1.2337005501361698274, 3.1415926535897932385},
  };
  for (const Constants& constants : all) {
    const ExpansionCoefficients c = Expand(constants.model);
    EXPECT_NEAR(c.c0, constants.c0, kRounding);
    EXPECT_NEAR(c.c1, constants.c1, 2.0 * kRounding);
    EXPECT_NEAR(c.c2, constants.c2, 2.0 * kRounding);
    EXPECT_NEAR(LargeLoadCoefficient(constants.model), constants.large_load, 4.0 * kRounding);
  }
  // Eight digits of Schwager and Pöschel's constants are correct.
  const ExpansionCoefficients exact = Expand({1.5, 1.5}), printed = SchwagerPoschel();
  EXPECT_NEAR(printed.c0, exact.c0, 1e-8);
  EXPECT_NEAR(printed.c2, exact.c2, 2e-8);
}

TEST(RestitutionExpansion, ErrorsHaveTheOrdersOfThePaper) {
  // The error of (36) is of third order in γ at any load, that of (46) only without load.
  for (const double load : {0.0, 0.05, 1.0}) {
    const LoadIntegrals integrals = IntegrateLoad(1.5, 1.5, load);
    const auto error = [&](double gamma) {
      return PropositionRestitution(1.5, gamma, integrals) -
             IntegrateImpact({1.5, 1.5, gamma, load}).restitution;
    };
    EXPECT_NEAR(error(2e-3) / error(1e-3), 8.0, 0.3) << load;
  }
  const double gamma = 1e-3;
  const ExpansionCoefficients c = Expand({1.5, 1.5});
  EXPECT_NEAR(SecondOrderRestitution(c, gamma, 0.0),
              IntegrateImpact({1.5, 1.5, gamma, 0.0}).restitution, 3e-9);
  EXPECT_GT(
      SecondOrderRestitution(c, gamma, 1.0) - IntegrateImpact({1.5, 1.5, gamma, 1.0}).restitution,
      1e-5);
}

TEST(RestitutionExpansion, PropositionLimitMinimisesTheSquareOfProposition1) {
  // β and the limit of γ without load, for the three models of the paper.
  const double limits[][2] = {{1.0, 0.31}, {1.5, 0.26}, {2.5, 0.20}};
  for (const auto& [beta, expected] : limits) {
    const LoadIntegrals integrals = IntegralsWithoutLoad(1.5, beta);
    const double limit = PropositionLimit(beta, integrals);
    EXPECT_NEAR(limit, expected, 0.01);
    const auto squared = [&, b = beta](double gamma) {
      const double x = b * gamma;
      return 1.0 - 2.0 * integrals.i0 * x + 2.0 * integrals.i0 * integrals.q0 * x * x;
    };
    EXPECT_LT(squared(limit), squared(0.9 * limit));
    EXPECT_LT(squared(limit), squared(1.1 * limit));
  }
}

TEST(RestitutionExpansion, LargeLoadFormulasMatchReferenceAndIntegration) {
  const ContactModel model{1.5, 1.5};
  EXPECT_NEAR(AsymptoticCriticalLoad(model, 1.0), 0.305220109369, 1e-12);
  const double gamma_c = AsymptoticCriticalDissipation(model, 10.0);
  EXPECT_NEAR(AsymptoticCriticalLoad(model, gamma_c), 10.0, 1e-12);
  EXPECT_EQ(LargeLoadRestitution(model, 1.001 * gamma_c, 10.0), 0.0);
  // Half of the critical γ at g̃ = 1000.
  const double half_critical = 0.5 * AsymptoticCriticalDissipation(model, 1e3);
  EXPECT_NEAR(LargeLoadRestitution(model, half_critical, 1e3),
              IntegrateImpact({1.5, 1.5, half_critical, 1e3}).restitution, 1e-4);
}

}  // namespace
}  // namespace scree::impact::restitution_expansion_test
