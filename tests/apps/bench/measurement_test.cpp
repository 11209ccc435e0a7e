// Counts of the measured steps, on any number of ranks.
#include "apps/bench/measurement.hpp"

#include <gtest/gtest.h>

#include "tests/support/scenes.hpp"

namespace scree::bench_measurement_test {
namespace {

constexpr int kPairs = 6;
constexpr int kSweeps = 3;

/// Pairs of touching spheres at rest along x, far from other pairs: always one contact per pair.
BenchCase TouchingPairs(const Communicator& world) {
  RunConfig config;
  config.scene = test::EmptyScene(Vec3::Zero(), Vec3(2.0 * kPairs, 1.0, 1.0), 0.4);
  config.step.dt = 1e-3;
  config.step.speculative = false;
  config.step.solver.sweeps = kSweeps;
  BenchCase bench{std::move(config), Subdomains(Domain(), {1, 1, 1}), {}, "pairs"};
  bench.subdomains = Subdomains(bench.config.scene.domain, {world.Size(), 1, 1});
  for (int k = 0; world.IsRoot() && k < 2 * kPairs; ++k) {
    const Vec3 position(k / 2 * 2.0 + (k % 2 == 0 ? 0.75 : 0.95), 0.5, 0.5);
    test::AddSphere(bench.state.particles, k, position, 0.1);
  }
  return bench;
}

TEST(BenchMeasurement, CountsOnlyTheMeasuredSteps) {
  const Communicator world = Communicator::World();
  BenchCase bench = TouchingPairs(world);
  BenchOptions options;
  options.steps = 5;
  options.warm_up = 2;
  options.repeat = 3;
  const BenchResult result = RunBench(world, bench, options);
  EXPECT_EQ(bench.state.step, 2 + 3 * 5);
  EXPECT_EQ(result.particles, 2 * kPairs);
  EXPECT_EQ(result.contacts, kPairs);
  ASSERT_EQ(result.measurements.size(), 3u);
  for (const Measurement& measurement : result.measurements) {
    EXPECT_EQ(measurement.steps, 5);
    EXPECT_EQ(measurement.relaxations, 5.0 * kSweeps * kPairs);
    EXPECT_EQ(measurement.particle_steps, 5.0 * 2 * kPairs);
    EXPECT_EQ(measurement.rebuilds, 0);
    double phases = 0.0;
    for (const RankSpread& phase : measurement.phases) {
      EXPECT_LE(phase.min, phase.mean * (1.0 + 1e-12));
      EXPECT_LE(phase.mean, phase.max * (1.0 + 1e-12));
      phases += phase.mean;
    }
    // The phases cover the measured time, except for waits at its start and end.
    EXPECT_GT(phases, 0.0);
    EXPECT_LE(phases, measurement.seconds * (1.0 + 1e-3) + 1e-4);
  }
  EXPECT_LE(result.measurements[0].seconds, result.measurements[1].seconds);
  EXPECT_LE(result.measurements[1].seconds, result.measurements[2].seconds);
  EXPECT_EQ(&result.Median(), &result.measurements[1]);
}

/// Spheres at rest in a row along x, each touching the next, so that a contact crosses every border
/// between subdomains.
BenchCase TouchingRow(const Communicator& world, bool warm_start) {
  constexpr int kSpheres = 40;
  constexpr double kRadius = 0.1;
  RunConfig config;
  config.scene = test::EmptyScene(Vec3::Zero(), Vec3(2.0 * kRadius * kSpheres, 1.0, 1.0), 0.4);
  config.step.solver.sweeps = kSweeps;
  config.step.warm_start = warm_start;
  BenchCase bench{std::move(config), Subdomains(Domain(), {1, 1, 1}), {}, "row"};
  bench.subdomains = Subdomains(bench.config.scene.domain, {world.Size(), 1, 1});
  for (int k = 0; world.IsRoot() && k < kSpheres; ++k) {
    test::AddSphere(bench.state.particles, k, Vec3((2 * k + 1) * kRadius, 0.5, 0.5), kRadius);
  }
  return bench;
}

TEST(BenchMeasurement, CountsMessagesAndReductionsPerSweep) {
  const Communicator world = Communicator::World();
  const int last_rank = world.Size() - 1;
  for (const bool warm_start : {false, true}) {
    BenchCase bench = TouchingRow(world, warm_start);
    BenchOptions options;
    options.steps = 5;
    const BenchResult result = RunBench(world, bench, options);
    EXPECT_EQ(result.neighbors.max, std::min(2, last_rank));
    EXPECT_DOUBLE_EQ(result.neighbors.mean, 2.0 * last_rank / world.Size());
    const Measurement& median = result.Median();
    ASSERT_EQ(median.rebuilds, 0);
    // The starting impulses need one more exchange.
    const int exchanges = 5 * (kSweeps + (warm_start ? 1 : 0));
    EXPECT_EQ(median.sweep_traffic.messages.max, exchanges * result.neighbors.max);
    EXPECT_DOUBLE_EQ(median.sweep_traffic.messages.mean, exchanges * result.neighbors.mean);
    // Outside the sweeps: the counts of the contacts of shared spheres.
    EXPECT_EQ(median.step_traffic.messages.max,
              median.sweep_traffic.messages.max + 5 * result.neighbors.max);
    // Reductions of the flags and of the largest overlap. With stored impulses a third one finds
    // whether contacts have added energy.
    EXPECT_EQ(median.collectives, (warm_start ? 3 : 2) * 5);
    if (last_rank > 0) {
      EXPECT_GE(median.sweep_traffic.bytes.max, exchanges * double{sizeof(SphereVelocity)});
      EXPECT_GT(median.step_traffic.bytes.max, median.sweep_traffic.bytes.max);
    } else {
      EXPECT_EQ(median.step_traffic.bytes.max, 0.0);
    }
  }
}

TEST(BenchMeasurement, MemoryOfAllRanksIsAtLeastThatOfOneRank) {
  const Communicator world = Communicator::World();
  BenchCase bench = TouchingPairs(world);
  const BenchResult result = RunBench(world, bench, {});
  EXPECT_GE(result.memory, result.max_memory);
  EXPECT_LE(result.memory, result.max_memory * world.Size());
  EXPECT_GE(result.particle_bytes, 2.0 * kPairs * sizeof(SphereBody));
  EXPECT_GE(result.contact_bytes, kPairs * sizeof(DetectedContact));
  EXPECT_LT(result.particle_bytes + result.contact_bytes, result.memory);
}

TEST(BenchMeasurement, TriadRateIsPlausible) {
  // A tenth of the rate of one core of the last decade, and more than any core reaches.
  constexpr double kMin = 1e8, kMax = 1e13;
  const double triad = TriadBandwidth(Communicator::World());
  EXPECT_GT(triad, kMin);
  EXPECT_LT(triad, kMax);
}

}  // namespace
}  // namespace scree::bench_measurement_test
