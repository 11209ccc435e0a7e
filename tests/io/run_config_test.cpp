// Intervals as whole steps.
#include "io/run_config.hpp"

#include <gtest/gtest.h>

#include "solvers/check.hpp"

namespace scree {
namespace {

TEST(Interval, TimeBecomesWholeSteps) {
  EXPECT_EQ((Interval{0, 0.01}.InSteps(1e-5, "every")), 1000);
  EXPECT_EQ((Interval{0, 10.0}.InSteps(1e-5, "end")), 1'000'000);
  EXPECT_EQ((Interval{7, 0.0}.InSteps(1e-5, "every")), 7);
  EXPECT_EQ(Interval{}.InSteps(1e-5, "every"), 0);
}

TEST(Interval, FractionOfAStepIsRefused) {
  EXPECT_THROW((Interval{0, 1.5e-5}.InSteps(1e-5, "every")), InputError);
  EXPECT_THROW((Interval{0, 1e-7}.InSteps(1e-5, "every")), InputError);
}

}  // namespace
}  // namespace scree
