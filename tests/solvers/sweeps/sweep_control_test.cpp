// Sweeps end after a fixed number, at the tolerance, or when they make no more progress.
#include "solvers/sweeps/sweep_control.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/no_sync.hpp"

namespace scree::sweep_control_test {
namespace {

using test::NoSync;

template <class Change>
SolveReport Sweep(const SolverParameters& parameters, Change&& change) {
  NoSync sync;
  SweepControl control(parameters, sync);
  for (int sweep = 1; control.NeedsSweep(); ++sweep) control.RecordSweep(change(sweep));
  return control.Report();
}

SolverParameters WithTolerance(double tolerance, int max_sweeps) {
  SolverParameters parameters;
  parameters.sweeps = 3;  // has no effect with a tolerance
  parameters.tolerance = tolerance;
  parameters.max_sweeps = max_sweeps;
  return parameters;
}

TEST(SweepControl, FixedNumberOfSweepsNeedsNoMaximum) {
  SolverParameters parameters;
  parameters.sweeps = 7;
  NoSync sync;
  EXPECT_FALSE(SweepControl(parameters, sync).Measures());
  const SolveReport report = Sweep(parameters, [](int) { return std::nan(""); });
  EXPECT_EQ(report.sweeps, 7);
  EXPECT_FALSE(report.converged.has_value());
  EXPECT_FALSE(report.stalled);
}

TEST(SweepControl, OneExtraSweepOverlapsWithTheReduction) {
  const auto halves = [](int sweep) { return std::ldexp(1.0, -sweep); };
  const SolveReport report = Sweep(WithTolerance(std::ldexp(1.0, -12), 1000), halves);
  EXPECT_EQ(report.sweeps, 13);
  EXPECT_EQ(report.converged, std::optional<bool>(true));
  EXPECT_FALSE(report.stalled);
}

TEST(SweepControl, LastSweepIsCheckedToo) {
  const auto halves = [](int sweep) { return std::ldexp(1.0, -sweep); };
  EXPECT_EQ(Sweep(WithTolerance(std::ldexp(1.0, -12), 12), halves).converged,
            std::optional<bool>(true));
  const SolveReport not_converged = Sweep(WithTolerance(std::ldexp(1.0, -12), 11), halves);
  EXPECT_EQ(not_converged.converged, std::optional<bool>(false));
  EXPECT_EQ(not_converged.sweeps, 11);
  EXPECT_FALSE(not_converged.stalled);
}

TEST(SweepControl, SlowProgressIsNotAStall) {
  const SolveReport report =
      Sweep(WithTolerance(1e-4, 3000), [](int sweep) { return 1.0 / sweep; });
  EXPECT_FALSE(report.stalled);
  EXPECT_EQ(report.sweeps, 3000);
}

TEST(SweepControl, StallEndsTheSolveWithoutConvergence) {
  for (const double floor : {1e-3, 1.0}) {
    const auto error_with_floor = [floor](int sweep) { return floor + std::exp(-sweep); };
    const SolveReport report = Sweep(WithTolerance(1e-6, 100000), error_with_floor);
    EXPECT_TRUE(report.stalled);
    EXPECT_LT(report.sweeps, 1000);
    EXPECT_EQ(report.converged, std::optional<bool>(false));
  }
  EXPECT_TRUE(Sweep(WithTolerance(1e-6, 100000), [](int) { return std::nan(""); }).stalled);
}

}  // namespace
}  // namespace scree::sweep_control_test
