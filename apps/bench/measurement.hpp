/// \file  Runs a case for several steps and measures times; also measures the memory bandwidth.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "apps/bench/case.hpp"
#include "engine/ranks/phase_timer.hpp"

namespace scree {

/// Smallest, mean and largest value of a quantity over the ranks.
struct RankSpread {
  double min = 0.0, mean = 0.0, max = 0.0;
};

/// Messages and bytes that a rank sends to others.
struct TrafficSpread {
  RankSpread messages, bytes;
};

struct Measurement {
  std::int64_t steps = 0;
  double seconds = 0.0;         // from the first step until the last rank has finished
  double relaxations = 0.0;     // contacts times sweeps, summed over the steps
  double particle_steps = 0.0;  // particles summed over the steps
  double sweep_bytes = 0.0;     // moved in all sweeps, see engine/observation/memory_report
  std::int64_t rebuilds = 0;    // of the neighbour lists
  std::array<RankSpread, kPhases> phases;  // [s]
  TrafficSpread step_traffic;              // of whole steps, with rebuilds and sweeps
  TrafficSpread sweep_traffic;             // of sweeps and of applying starting impulses
  std::int64_t collectives = 0;            // reductions and barriers, counted once for all ranks

  double SweepSeconds() const { return phases[static_cast<std::size_t>(Phase::kSweeps)].max; }
  double RelaxationsPerSecond() const { return PerSecond(relaxations, SweepSeconds()); }
  double SweepBytesPerSecond() const { return PerSecond(sweep_bytes, SweepSeconds()); }
  double ParticleStepsPerSecond() const { return PerSecond(particle_steps, seconds); }

 private:
  static double PerSecond(double work, double seconds) { return work > 0.0 ? work / seconds : 0.0; }
};

/// Everything that scree-bench reports.
struct BenchResult {
  std::vector<Measurement> measurements;     // sorted by their times; at least one
  double triad = 0.0;                        // memory bandwidth of all ranks together [byte/s]
  std::int64_t particles = 0, contacts = 0;  // at the last step
  double memory = 0.0,
         max_memory = 0.0;  // peak resident memory: sum over the ranks, largest of a rank [byte]
  double particle_bytes = 0.0, contact_bytes = 0.0;  // accounted by MemoryReport, all ranks
  double penetration = 0.0;                          // largest at the last step [m]
  RankSpread neighbors;  // number of ranks with which a rank shares particles

  const Measurement& Median() const { return measurements[(measurements.size() - 1) / 2]; }
};

/// Runs warm-up and measurements. Collective.
/// @throws InputError, SimulationError on all ranks
BenchResult RunBench(const Communicator& communicator, BenchCase& bench,
                     const BenchOptions& options);

/// Bandwidth of a[i] = b[i] + s c[i] on arrays larger than the caches, on all ranks at once. As in
/// STREAM (J. D. McCalpin, "Memory bandwidth and machine balance in current high performance
/// computers", IEEE TCCA Newsletter, 1995) an element counts as 24 bytes, and the best of several
/// passes is taken. Collective.
/// @returns the sum over the ranks [byte/s]
double TriadBandwidth(const Communicator& communicator);

}  // namespace scree
