// Outbound velocity: 40-digit values, the printed coefficients and error ranges, any order.
#include "apps/single/models/outbound_velocity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "solvers/base/check.hpp"
#include "tests/support/csv_rows.hpp"

namespace scree::impact::outbound_velocity_test {
namespace {

constexpr double kClosedForm = 1e-13;  // required accuracy of the closed forms
constexpr double kReferenceError =
    5e-13;  // the reference errors have twelve digits, the first at 1e-2
// The relative error is a difference from one, so it has the rounding error of one.
constexpr double kRounding = 8.0 * std::numeric_limits<double>::epsilon();

TEST(OutboundVelocity, ExactAndApproximateMatchTheReference) {
  const OutboundApproximation approximation;
  int rows = 0;
  for (const auto& row : test::ReadRows("hunt_crossley_outbound.csv")) {
    SCOPED_TRACE("mu v_in = " + row[0]);
    const double u = std::stod(row[0]);
    const double exact = -std::stod(row[1]) / u, approximate = -std::stod(row[2]) / u;
    EXPECT_NEAR(RestitutionCoefficient(u), exact, kClosedForm * exact);
    EXPECT_NEAR(approximation.Restitution(u), approximate, kClosedForm * approximate);
    EXPECT_NEAR(approximation.RelativeError(u), std::stod(row[3]),
                kRounding + kReferenceError * exact);
    ++rows;
  }
  EXPECT_EQ(rows, 19);
}

TEST(OutboundVelocity, FormulasAreAccurateWhereTheyJoin) {
  // Compared with the equation itself, (6), in its form without cancellation. Series and Lambert's
  // function join at 1e-3; polishing ends at 1.
  for (double u = 1e-6; u < 30.0; u *= 1.07) {
    const long double y = -static_cast<long double>(u) * RestitutionCoefficient(u);
    const auto phi = [](long double z) {
      if (std::abs(z) > 0.05L) return z - std::log1p(z);
      long double sum = 0.0L, power = z;
      for (int n = 2; n < 40; ++n) sum += (n % 2 == 0 ? 1 : -1) * (power *= z) / n;
      return sum;
    };
    const long double slope = y / (1.0L + y);
    const long double correction = (phi(y) - phi(u)) / slope;
    EXPECT_LE(std::abs(static_cast<double>(correction / y)), kRounding) << "mu v_in = " << u;
  }
}

TEST(OutboundVelocity, LimitsAreElasticAndMinusOneOverMu) {
  EXPECT_EQ(RestitutionCoefficient(0.0), 1.0);
  EXPECT_EQ(RestitutionCoefficient(1e-300), 1.0);
  EXPECT_EQ(RestitutionCoefficient(1e3), 1e-3);
  const OutboundApproximation approximation;
  EXPECT_EQ(approximation.Restitution(0.0), 1.0);
  EXPECT_EQ(approximation.Restitution(1e5), 1e-5);
}

TEST(OutboundVelocity, CoefficientsAreThoseOfThePaper) {
  const std::vector<double> a = OutboundTaylorSeries(5);
  const double printed_a[] = {0.0, -1.0, 2.0 / 3.0, -4.0 / 9.0, 44.0 / 135.0, -104.0 / 405.0};
  ASSERT_EQ(a.size(), 6u);
  for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(a[j], printed_a[j], kRounding);
  const OutboundApproximation approximation(4);
  const std::vector<double>& b = approximation.coefficients();
  const double printed_b[] = {1.0, 1.0, 2.0 / 3.0, 2.0 / 9.0, 14.0 / 135.0};
  ASSERT_EQ(b.size(), 5u);
  for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(b[j], printed_b[j], kRounding);
}

TEST(OutboundVelocity, ErrorHasTheOrderOfThePaper) {
  for (int order = 1; order <= 8; ++order) {
    const OutboundApproximation approximation(order);
    // The relative error begins with uⁿ, because v_out itself is of first order.
    const double ratio = approximation.RelativeError(0.02) / approximation.RelativeError(0.01);
    if (std::abs(approximation.RelativeError(0.01)) < 1e3 * kRounding) continue;
    EXPECT_NEAR(std::log2(std::abs(ratio)), order, 0.15) << "order " << order;
  }
}

TEST(OutboundVelocity, MaxErrorIsThatOfThePaper) {
  const auto largest = OutboundApproximation().MaxError();
  EXPECT_NEAR(largest.u, 3.00075640016561, 1e-6) << "a maximum is found to half of the digits";
  EXPECT_NEAR(largest.error, 0.020449930801127812, kClosedForm);
}

TEST(OutboundVelocity, ErrorRangesAreThoseOfFigure3) {
  const OutboundApproximation approximation;
  const auto tenth_of_percent = approximation.RangeWithin(1e-3),
             percent = approximation.RangeWithin(1e-2);
  EXPECT_NEAR(tenth_of_percent.below, 0.798391731984, 1e-11);
  EXPECT_NEAR(tenth_of_percent.above, 8.05365752122, 1e-10);
  EXPECT_NEAR(percent.below, 1.65859068974, 1e-11);
  EXPECT_NEAR(percent.above, 5.00288429736, 1e-10);
  EXPECT_TRUE(percent.Contains(1.6) && percent.Contains(5.1));
  EXPECT_FALSE(percent.Contains(3.0));
  const auto whole_range = approximation.RangeWithin(0.0205);
  EXPECT_TRUE(whole_range.Contains(3.0007) && whole_range.Contains(0.0));
}

TEST(OutboundVelocity, ErrorOfTheApproximationChangesSign) {
  // At μ v_in = 0.2404455334555155, computed with 40 digits.
  const OutboundApproximation approximation;
  EXPECT_LT(approximation.RelativeError(0.240445), 0.0);
  EXPECT_GT(approximation.RelativeError(0.240446), 0.0);
}

TEST(OutboundVelocity, BadArgumentsAreErrors) {
  EXPECT_THROW(OutboundApproximation(0), InputError);
  EXPECT_THROW(OutboundApproximation(OutboundApproximation::kMaxOrder + 1), InputError);
  for (const double bad : {0.0, -1e-3, 1.5, std::nan("")}) {
    EXPECT_THROW(OutboundApproximation().RangeWithin(bad), InputError) << bad;
  }
}

}  // namespace
}  // namespace scree::impact::outbound_velocity_test
