// The progress line fits a terminal, and the time left is computed from the work left.
#include "io/output/progress.hpp"

#include <gtest/gtest.h>

namespace scree::progress_test {
namespace {

TEST(FormatScaled, HasAPrefixAndTheGivenDigits) {
  EXPECT_EQ(FormatScaled(0.0, 2), "0");
  EXPECT_EQ(FormatScaled(3.46e-6, 2), "3.5u");
  EXPECT_EQ(FormatScaled(123.4e-6, 2), "123u");
  EXPECT_EQ(FormatScaled(1.0, 3), "1");
  EXPECT_EQ(FormatScaled(2585085.3, 3), "2.59M");
  EXPECT_EQ(FormatScaled(1e-9, 2), "1n");
  EXPECT_EQ(FormatScaled(2.5e15, 2), "2500T");
}

TEST(FormatDuration, HasOneOrTwoUnits) {
  EXPECT_EQ(FormatDuration(0.4), "0s");
  EXPECT_EQ(FormatDuration(59.4), "59s");
  EXPECT_EQ(FormatDuration(59.6), "1m00s");
  EXPECT_EQ(FormatDuration(754.0), "12m34s");
  EXPECT_EQ(FormatDuration(3600.0 * 3 + 300), "3h05m");
  EXPECT_EQ(FormatDuration(86400.0 * 2 + 3600.0 * 4 + 1800), "2d04h");
}

TEST(SpeedEstimate, EstimateOfASteadyRunIsExact) {
  SpeedEstimate speed;
  for (int second = 0; second < 300; ++second) speed.Add({1000.0 * 50, 50, 50}, 1.0);
  EXPECT_NEAR(speed.StepsPerSecond(), 50.0, 1e-9);
  EXPECT_NEAR(speed.ParticleStepsPerSecond(), 50e3, 1e-6);
  EXPECT_NEAR(speed.SecondsLeft(500, 1000), 10.0, 1e-9);
}

TEST(SpeedEstimate, EstimateIsZeroWithoutData) {
  EXPECT_EQ(SpeedEstimate().StepsPerSecond(), 0.0);
  EXPECT_EQ(SpeedEstimate().ParticleStepsPerSecond(), 0.0);
}

TEST(SpeedEstimate, MoreParticlesGiveLongerEstimates) {
  SpeedEstimate speed;
  speed.Add({1000.0 * 50, 50, 50}, 1.0);
  EXPECT_NEAR(speed.SecondsLeft(500, 3000), 30.0, 1e-9);
}

TEST(SpeedEstimate, EstimateForgetsOldSpeeds) {
  SpeedEstimate speed;
  for (int second = 0; second < 600; ++second) speed.Add({1000.0 * 50, 50, 50}, 1.0);
  for (int second = 0; second < 300; ++second) speed.Add({1000.0 * 10, 10, 10}, 1.0);
  EXPECT_NEAR(speed.StepsPerSecond(), 10.0, 0.5);
  // A single slow second changes little, however.
  speed.Add({1000.0, 1, 1}, 1.0);
  EXPECT_NEAR(speed.StepsPerSecond(), 10.0, 0.5);
}

TEST(SpeedEstimate, EstimateForgetsAFastStart) {
  SpeedEstimate speed;
  // After a tenth of the run, contacts have formed and made steps four times slower.
  for (int k = 0; k < 8; ++k) speed.Add({1000.0 * 100, 100, 100}, 0.25);
  for (int k = 0; k < 24; ++k) speed.Add({1000.0 * 25, 25, 25}, 0.25);
  EXPECT_NEAR(speed.SecondsLeft(7200, 1000), 72.0, 0.2 * 72.0);
}

TEST(ProgressLine, FitsATerminalWithTheLongestNumbers) {
  Observables observed;
  observed.step = 99'999'999;
  observed.time = 0.09999;
  observed.particles = 99'999;
  observed.contacts = 123'456'789;
  observed.max_penetration = 1.234567e-4;
  SolveReport report;
  report.residual_max = 1.234e-10;
  SpeedEstimate speed;
  speed.Add({1.2345e12, 1e5, 1e5}, 1e3);
  const std::string line = ProgressLine(observed, report, 100'000'000, speed);
  EXPECT_LE(line.size(), 79u) << line;
  for (const char* part : {"100.0%", "t 99.99ms", "n 99999", "c 123M", "pen 123um", "res 1e-10"}) {
    EXPECT_NE(line.find(part), line.npos) << part << " in " << line;
  }
}

TEST(ProgressLine, LongestLineOfAConvergedSolveHas79Columns) {
  Observables observed;
  observed.step = 100;
  observed.time = 0.09999;
  observed.particles = observed.contacts = 99'999;
  observed.max_penetration = 3.5e-6;
  SolveReport report;
  report.residual_max = 1e-10;
  SpeedEstimate speed;
  speed.Add({99'999 * 12'300.0, 12'300.0, 12'300.0}, 1.0);
  const std::string line = ProgressLine(observed, report, 100 + 12'300 * 754, speed);
  EXPECT_EQ(line,
            "  0.0% t 99.99ms n 99999 c 99999 pen 3.5um res 1e-10 12kst/s 1.2Gp/s eta 12m34s");
  EXPECT_EQ(line.size(), 79u);
}

TEST(ProgressLine, TimeLeftIsNotShownBeforeAMeasurement) {
  const std::string line = ProgressLine({}, {}, 100, {});
  EXPECT_EQ(line.substr(0, 6), "  0.0%");
  EXPECT_EQ(line.find("eta"), line.npos);
  EXPECT_EQ(ProgressLine({}, {}, 0, {}).substr(0, 6), "100.0%") << "a run of no steps is done";
}

}  // namespace
}  // namespace scree::progress_test
