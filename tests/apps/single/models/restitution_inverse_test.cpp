// Constants from measured restitutions: forwards and back, from one speed and from two.
#include "apps/single/models/restitution_inverse.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "solvers/base/check.hpp"

namespace scree::impact::restitution_inverse_test {
namespace {

constexpr double kRecovered = 1e-9;  // relative error of a recovered constant

TEST(RestitutionInverse, EveryLawGivesTheMeasuredValues) {
  for (const NamedModel& named : kContactModels) {
    for (const double load : {0.0, 0.05, 1.0}) {
      for (const double e : {0.1, 0.5, 0.9, 0.999}) {
        const double gamma = DissipationOf(named.model, e, load);
        const ImpactResult result =
            IntegrateImpact({named.model.alpha, named.model.beta, gamma, load});
        EXPECT_NEAR(result.restitution, e, 1e-11) << named.name << ", load " << load;
      }
    }
  }
}

TEST(RestitutionInverse, LinearDashpotHasItsClosedForm) {
  // e = exp(−πξ/√(1−ξ²)), ξ = γ/2.
  for (const double e : {0.2, 0.7, 0.95}) {
    const double log_e = -std::log(e), pi = std::acos(-1.0);
    const double xi = log_e / std::hypot(pi, log_e);
    EXPECT_NEAR(DissipationOf({1.0, 1.0}, e), 2.0 * xi, 1e-11);
  }
}

TEST(RestitutionInverse, ConstantsInUnitsAreRecovered) {
  const ContactConstants steel{0.154, 3.6138e10, 1.5237e-6, 9.8};
  const double e = IntegrateImpact(Scale({1.5, 1.5}, steel, 0.7)).restitution;
  EXPECT_NEAR(PhysicalDissipation({1.5, 1.5}, steel, 0.7, e), steel.dissipation,
              kRecovered * steel.dissipation);
}

TEST(RestitutionInverse, TwoSpeedsGiveTheExponent) {
  for (const double beta : {1.0, 1.25, 1.5, 2.5}) {
    const ContactConstants constants{0.01, 1e9, 2e-6, 9.81};
    const ContactModel model{1.5, beta};
    ContactConstants true_constants = constants;
    true_constants.dissipation =
        0.1 / Scale(model, {0.01, 1e9, 1.0, 0.0}, 1.0).gamma;  // γ = 0.1 at 1 m/s
    const auto measure = [&](double speed) {
      return MeasuredRestitution{speed,
                                 IntegrateImpact(Scale(model, true_constants, speed)).restitution};
    };
    EXPECT_NEAR(DissipationExponent(1.5, constants, measure(0.5), measure(2.0)), beta, 1e-8);
  }
}

TEST(RestitutionInverse, ImpossibleMeasurementsAreNamed) {
  for (const double e : {0.0, 1.0, -0.1, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(DissipationOf({1.5, 1.5}, e), InputError);
  }
  const ContactConstants constants{0.01, 1e9, 0.0, 0.0};
  EXPECT_THROW(DissipationExponent(1.5, constants, {1.0, 0.8}, {1.0, 0.7}), InputError);
  EXPECT_THROW(DissipationExponent(1.5, constants, {1.0, 0.2}, {1.01, 0.9}), InputError);
}

}  // namespace
}  // namespace scree::impact::restitution_inverse_test
