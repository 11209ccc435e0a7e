// Intervals and windows of averages as whole steps.
#include "io/scene/run_config.hpp"

#include <gtest/gtest.h>

#include "solvers/base/check.hpp"

namespace scree::run_config_test {
namespace {

TEST(Interval, TimeBecomesWholeSteps) {
  EXPECT_EQ((Interval{0, 0.01}.InSteps({.dt = 1e-5}, "every")), 1000);
  EXPECT_EQ((Interval{0, 10.0}.InSteps({.dt = 1e-5}, "end")), 1'000'000);
  EXPECT_EQ((Interval{7, 0.0}.InSteps({.dt = 1e-5}, "every")), 7);
  EXPECT_EQ(Interval{}.InSteps({.dt = 1e-5}, "every"), 0);
  // A base step that is a power of ten counts as chosen automatically: times are rounded to it.
  EXPECT_EQ((Interval{0, 1.04e-3}.InSteps({.dt = 1e-5, .accuracy = 0.01}, "every")), 104);
  EXPECT_EQ((Interval{0, 1.0 / 3.0}.InSteps({.dt = 1e-5, .accuracy = 0.01}, "every")), 33333);
}

/// Any other base step was given by the user and must divide times exactly. Rounding to a power of
/// ten must not change a time by more than 0.01 %.
TEST(Interval, FractionOfABaseStepIsAnError) {
  const auto message = [](double time, double base) -> std::string {
    try {
      Interval{0, time}.InSteps({.dt = base, .accuracy = 0.01}, "removed_at");
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(message(0.03, 3e-6), "");
  EXPECT_EQ(message(0.01, 3e-6),
            "removed_at = 0.01 s is 3333.33333333 base steps of 3e-06 s; expected a whole "
            "number of them, such as 0.009999 s, or a time.base_step that divides the time");
  EXPECT_NE(message(1.0, 3e-6), "");
  EXPECT_NE(message(1.0, 1.5e-9), "");
  EXPECT_NE(message(1.044e-3, 1e-5), "");
}

TEST(Interval, FractionOfAStepIsAnError) {
  EXPECT_THROW((Interval{0, 1.5e-5}.InSteps({.dt = 1e-5}, "every")), InputError);
  EXPECT_THROW((Interval{0, 1e-7}.InSteps({.dt = 1e-5}, "every")), InputError);
}

RunConfig HundredSteps() {
  RunConfig config;
  config.step.dt = 1e-5;
  config.time.end = 1e-3;
  return config;
}

TEST(Schedule, WindowOfAnAverageIsInSteps) {
  const AverageSpec spec =
      Schedule({"a", FieldGrid(), 2e-4, 8e-4, Interval{0, 1e-4}}, HundredSteps());
  EXPECT_EQ(spec.name, "a");
  EXPECT_EQ(spec.first, 20);
  EXPECT_EQ(spec.last, 80);
  EXPECT_EQ(spec.frame_interval, 10);
}

TEST(Schedule, AverageEndsWithTheRun) {
  const RunConfig config = HundredSteps();
  EXPECT_EQ(Schedule({"a", FieldGrid(), 0.0, std::nullopt, Interval{1}}, config).last, 100);
  EXPECT_EQ(Schedule({"a", FieldGrid(), 0.0, 1.0, Interval{1}}, config).last, 100);
  const AverageSpec after_the_end = Schedule({"a", FieldGrid(), 0.5, 1.0, Interval{1}}, config);
  EXPECT_LT(after_the_end.last, after_the_end.first);
}

TEST(Schedule, AverageOfAFlowNeedsNoInterval) {
  EXPECT_EQ(
      Schedule({"a", FlowPlane(), 0.0, std::nullopt, Interval{}}, HundredSteps()).frame_interval,
      1);
}

}  // namespace
}  // namespace scree::run_config_test
