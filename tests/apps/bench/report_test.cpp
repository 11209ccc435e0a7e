// The text of a result with known quantities.
#include "apps/bench/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scenes.hpp"

namespace scree::bench_report_test {
namespace {

using testing::HasSubstr;
using testing::Not;

Measurement TenSteps(double seconds) {
  Measurement measurement;
  measurement.steps = 10;
  measurement.seconds = seconds;
  measurement.relaxations = 6e6;
  measurement.particle_steps = 1e6;
  measurement.sweep_bytes = 3e9;
  measurement.rebuilds = 2;
  measurement.phases[static_cast<std::size_t>(Phase::kSweeps)] = {0.2 * seconds, 0.25 * seconds,
                                                                  0.3 * seconds};
  measurement.phases[static_cast<std::size_t>(Phase::kExchange)] = {0.7 * seconds, 0.75 * seconds,
                                                                    0.8 * seconds};
  measurement.step_traffic = {{200.0, 210.0, 220.0}, {1e5, 2e5, 3e5}};
  measurement.sweep_traffic = {{100.0, 110.0, 120.0}, {5e4, 6e4, 7e4}};
  measurement.collectives = 15;
  return measurement;
}

std::string Report(const BenchResult& result) {
  BenchCase bench{{}, Subdomains(Domain(), {2, 1, 1}), {}, "packing a.csv"};
  bench.config.step.speculative = false;
  bench.config.step.contact_threshold = 1e-8;
  bench.config.step.solver.sweeps = 4;
  BenchOptions options;
  options.repeat = static_cast<int>(result.measurements.size());
  return BenchReport(bench, options, result);
}

BenchResult Result(const std::vector<Measurement>& measurements) {
  BenchResult result;
  result.measurements = measurements;
  result.triad = 1e10;
  result.particles = 100;
  result.contacts = 250;
  result.particle_bytes = 30000.0;
  result.contact_bytes = 50000.0;
  result.memory = 2e6;
  result.max_memory = 1.5e6;
  result.neighbors = {1.0, 1.5, 2.0};
  return result;
}

TEST(BenchReport, PrintedQuantitiesFollowFromTheMeasurement) {
  const std::string report = Report(Result({TenSteps(2.0)}));
  for (const char* line :
       {"source=packing a.csv\n", "ranks=2\n", "subdomains=2x1x1\n", "contacts_per_sphere=2.5\n",
        "contact_threshold=1e-08\n", "contact_relaxations_per_second=1e+07\n",
        "particle_steps_per_second=500000\n", "steps_per_second=5\n", "rebuilds=2\n",
        "sweep_bytes_per_second=5e+09\n", "sweep_share_of_triad=0.5\n", "memory_bytes=2e+06\n",
        "memory_bytes_most_of_a_rank=1.5e+06\n", "bytes_per_particle=300\n",
        "bytes_per_contact=200\n"}) {
    EXPECT_THAT(report, HasSubstr(line));
  }
  EXPECT_THAT(report, Not(HasSubstr("_least=")));
  EXPECT_THAT(report, Not(HasSubstr("tile=")));
}

TEST(BenchReport, TableHasMillisecondsPerStepAndFractions) {
  const std::string report = Report(Result({TenSteps(2.0)}));
  EXPECT_THAT(report, testing::ContainsRegex("sweeps +40.0000 +50.0000 +60.0000 +25.0\n"));
  EXPECT_THAT(report, testing::ContainsRegex("exchange +140.0000 +150.0000 +160.0000 +75.0\n"));
  EXPECT_THAT(report, testing::ContainsRegex("sum +200.0000 +200.0000 +200.0000 +100.0\n"));
}

TEST(BenchReport, SeveralMeasurementsGiveTheMedianAndTheRange) {
  const std::string report = Report(Result({TenSteps(1.0), TenSteps(2.0), TenSteps(4.0)}));
  EXPECT_THAT(report, HasSubstr("particle_steps_per_second=500000\n"));
  EXPECT_THAT(report, HasSubstr("particle_steps_per_second_least=250000\n"));
  EXPECT_THAT(report, HasSubstr("particle_steps_per_second_most=1e+06\n"));
  EXPECT_THAT(report, HasSubstr("contact_relaxations_per_second_least=5e+06\n"));
}

TEST(BenchReport, MessagesAreCountedPerRankStepAndSweep) {
  const std::string report = Report(Result({TenSteps(2.0)}));
  for (const char* line :
       {"neighbors_mean=1.5\n", "neighbors_most=2\n", "messages_per_step_mean=21\n",
        "messages_per_step_most=22\n", "message_bytes_per_step_mean=20000\n",
        "message_bytes_per_step_most=30000\n", "messages_per_sweep_mean=2.75\n",
        "messages_per_sweep_most=3\n", "message_bytes_per_sweep_mean=1500\n",
        "message_bytes_per_sweep_most=1750\n", "collectives_per_step=1.5\n"}) {
    EXPECT_THAT(report, HasSubstr(line));
  }
}

TEST(BenchReport, ZeroCountsGiveNoRatio) {
  BenchResult result;
  result.measurements = {Measurement()};
  result.measurements[0].steps = 1;
  result.measurements[0].seconds = 1.0;
  const std::string report = Report(result);
  EXPECT_THAT(report, HasSubstr("contacts_per_sphere=0\n"));
  EXPECT_THAT(report, HasSubstr("contact_relaxations_per_second=0\n"));
  EXPECT_THAT(report, Not(testing::ContainsRegex("nan|inf")));
}

}  // namespace
}  // namespace scree::bench_report_test
