// Heavy-ball momentum is reduced if it prevents convergence.
#include "solvers/sweeps/momentum_schedule.hpp"

#include <gtest/gtest.h>

namespace scree::momentum_schedule_test {
namespace {

TEST(MomentumSchedule, IsZeroInTheFirstSweepAndReducedAfterAHundred) {
  const MomentumSchedule strong(0.85), weak(0.5);
  EXPECT_EQ(strong.MomentumOf(0), 0.0);
  EXPECT_EQ(strong.MomentumOf(99), 0.85);
  EXPECT_EQ(strong.MomentumOf(100), 0.7);
  EXPECT_EQ(weak.MomentumOf(100), 0.5);
}

TEST(MomentumSchedule, IsHalvedIfSweepsMakeNoProgress) {
  MomentumSchedule momentum(0.8);
  const auto record = [&](int sweeps, double change) {
    for (int k = 0; k < sweeps; ++k) momentum.Record(change);
  };
  record(1, 1.0);
  record(49, 0.6);
  EXPECT_EQ(momentum.MomentumOf(1), 0.8);
  record(1, 0.6);
  EXPECT_EQ(momentum.MomentumOf(1), 0.4);
  record(40, 0.6);
  record(1, 0.5);  // half of the first change, which counts as progress
  record(49, 0.4);
  EXPECT_EQ(momentum.MomentumOf(1), 0.4);
  EXPECT_FALSE(momentum.IsNegligible());
  record(100, 0.4);
  EXPECT_EQ(momentum.MomentumOf(1), 0.1);
  record(50, 0.4);
  EXPECT_TRUE(momentum.IsNegligible());
}

}  // namespace
}  // namespace scree::momentum_schedule_test
