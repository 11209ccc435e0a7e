// Range checks of the user's values: ends of ranges, NaN, and messages with value and unit.
#include "solvers/restitution/range_checks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/message_of.hpp"

namespace scree::impact::range_checks_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(RangeChecks, PositiveIsFiniteAndAboveZero) {
  for (const double good : {std::numeric_limits<double>::denorm_min(), 1.0, 1e308}) {
    EXPECT_NO_THROW(RequirePositive("mass", "kg", good));
  }
  for (const double bad : {0.0, -0.0, -1.0, kInfinity, -kInfinity, kNan}) {
    EXPECT_THROW(RequirePositive("mass", "kg", bad), InputError) << bad;
  }
}

TEST(RangeChecks, LowestValueIsInTheRange) {
  for (const double good : {1.0, 1.5}) EXPECT_NO_THROW(RequireAtLeast("alpha", "", good, 1.0));
  for (const double bad : {std::nextafter(1.0, 0.0), -2.0, kInfinity, kNan}) {
    EXPECT_THROW(RequireAtLeast("alpha", "", bad, 1.0), InputError) << bad;
  }
}

TEST(RangeChecks, MessagesHaveNameValueUnitAndRange) {
  EXPECT_EQ(MessageOf<InputError>([] { RequirePositive("mass", "kg", -2.5); }),
            "mass = -2.5 kg is out of range: it must be above 0 and finite");
  EXPECT_EQ(MessageOf<InputError>([] { RequireAtLeast("alpha", "", 0.5, 1.0); }),
            "alpha = 0.5 is out of range: it must be at least 1 and finite");
}

}  // namespace
}  // namespace scree::impact::range_checks_test
