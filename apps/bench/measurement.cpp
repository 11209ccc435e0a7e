#include "apps/bench/measurement.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>

namespace scree {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Times of the phases on this rank so far [s].
std::array<double, kPhases> PhaseSeconds(const TimeStep& step) {
  std::array<double, kPhases> seconds;
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    seconds[phase] = step.Timer().Seconds(static_cast<Phase>(phase));
  }
  return seconds;
}

RankSpread SpreadOf(const Communicator& communicator, double own_value) {
  return {-communicator.Max(-own_value), communicator.Sum(own_value) / communicator.Size(),
          communicator.Max(own_value)};
}

TrafficSpread SpreadOf(const Communicator& communicator, const Traffic& own_traffic) {
  return {SpreadOf(communicator, static_cast<double>(own_traffic.messages)),
          SpreadOf(communicator, static_cast<double>(own_traffic.bytes))};
}

Measurement MeasureSteps(const Communicator& communicator, int steps, int sweeps, TimeStep& step,
                         State& state) {
  std::int64_t contacts = 0, particles = 0;
  const std::int64_t rebuilds = step.Rebuilds();
  communicator.Barrier();
  const Traffic sent_before = communicator.Sent(), in_sweeps_before = step.SweepTraffic();
  step.MarkOther();
  const std::array<double, kPhases> phases_before = PhaseSeconds(step);
  const Clock::time_point start = Clock::now();
  for (int k = 0; k < steps; ++k) {
    step.Advance(state);
    contacts += static_cast<std::int64_t>(step.Contacts().size());
    particles += static_cast<std::int64_t>(state.particles.owned);
  }
  step.MarkOther();
  const double seconds = SecondsSince(start);
  const Traffic sent = communicator.Sent() - sent_before;
  const std::array<double, kPhases> phases_after = PhaseSeconds(step);

  Measurement measured;
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    measured.phases[phase] = SpreadOf(communicator, phases_after[phase] - phases_before[phase]);
  }
  measured.steps = steps;
  measured.seconds = communicator.Max(seconds);
  measured.relaxations = static_cast<double>(communicator.Sum(contacts)) * sweeps;
  measured.particle_steps = static_cast<double>(communicator.Sum(particles));
  // Uses the contacts of the last step for all steps.
  measured.sweep_bytes = communicator.Sum(static_cast<double>(step.Memory(state).sweep)) * sweeps *
                         static_cast<double>(steps);
  measured.rebuilds = step.Rebuilds() - rebuilds;
  measured.step_traffic = SpreadOf(communicator, sent);
  measured.sweep_traffic = SpreadOf(communicator, step.SweepTraffic() - in_sweeps_before);
  measured.collectives = sent.collectives;
  return measured;
}

/// Peak memory of this process [byte].
double MaxResident() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

void MeasureMemory(const Communicator& communicator, const TimeStep& step, const State& state,
                   BenchResult& result) {
  const MemoryReport report = step.Memory(state);
  const double resident = MaxResident();
  result.memory = communicator.Sum(resident);
  result.max_memory = communicator.Max(resident);
  result.particle_bytes = communicator.Sum(static_cast<double>(report.ParticleBytes()));
  result.contact_bytes = communicator.Sum(static_cast<double>(report.ContactBytes()));
}

}  // namespace

BenchResult RunBench(const Communicator& communicator, BenchCase& bench,
                     const BenchOptions& options) {
  State& state = bench.state;
  TimeStep step(communicator, bench.config.scene, bench.config.step, bench.subdomains, state);
  for (int k = 0; k < options.warm_up; ++k) step.Advance(state);

  bench.subdomains = step.Partition();  // for the report

  BenchResult result;
  for (int k = 0; k < options.repeat; ++k) {
    result.measurements.push_back(
        MeasureSteps(communicator, options.steps, bench.config.step.solver.sweeps, step, state));
  }
  std::sort(result.measurements.begin(), result.measurements.end(),
            [](const Measurement& a, const Measurement& b) { return a.seconds < b.seconds; });
  // Measures memory before anything else allocates.
  MeasureMemory(communicator, step, state, result);
  const Observables observed = step.Observe(state);
  result.particles = observed.particles;
  result.contacts = observed.contacts;
  result.penetration = observed.max_penetration;
  result.neighbors = SpreadOf(communicator, step.Neighbors());
  result.triad = TriadBandwidth(communicator);
  return result;
}

double TriadBandwidth(const Communicator& communicator) {
  // 64 MiB for each array, because some caches have 32 MiB.
  constexpr std::size_t kElements = std::size_t{1} << 23;
  constexpr int kPasses = 7;
  constexpr double kFactor = 3.0;
  std::vector<double> a(kElements, 0.0), b(kElements, 1.0), c(kElements, 2.0);
  double best = 0.0;
  for (int pass = 0; pass < kPasses; ++pass) {
    communicator.Barrier();
    const Clock::time_point start = Clock::now();
    for (std::size_t i = 0; i < kElements; ++i) a[i] = b[i] + kFactor * c[i];
    const double seconds = SecondsSince(start);
    best = std::max(best, 3.0 * kElements * sizeof(double) / seconds);
    // The next pass reads the result of this pass, so that the compiler cannot omit a pass.
    a.swap(b);
  }
  SCREE_DEMAND(b[kElements / 2] > 0.0);
  return communicator.Sum(best);
}

}  // namespace scree
