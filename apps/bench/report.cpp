#include "apps/bench/report.hpp"

#include <algorithm>
#include <cstdio>

#include "io/files/build_info.hpp"

namespace scree {
namespace {

/// Writes lines key=value; numbers have six digits.
class KeyValueLines {
 public:
  void Add(const std::string& key, const std::string& value) { text_ += key + "=" + value + "\n"; }
  void Add(const std::string& key, std::int64_t value) { Add(key, std::to_string(value)); }
  void Add(const std::string& key, double value) {
    char number[32];
    std::snprintf(number, sizeof number, "%.6g", value);
    Add(key, std::string(number));
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

double Ratio(double part, double whole) { return whole > 0.0 ? part / whole : 0.0; }

void AddRunInfo(const BenchCase& bench, const BenchOptions& options, const BenchResult& result,
                KeyValueLines& lines) {
  const StepParameters& step = bench.config.step;
  lines.Add("source", bench.source);
  if (options.tile != std::array<int, 3>{1, 1, 1}) {
    lines.Add("tile", Text(options.tile[0], ",", options.tile[1], ",", options.tile[2]));
  }
  lines.Add("version", Text(ProgramVersion(), " ", GitHash()));
  lines.Add("ranks", static_cast<std::int64_t>(bench.subdomains.Count()));
  lines.Add("subdomains", DescribeCuts(bench.subdomains.Description()));
  lines.Add("particles", result.particles);
  lines.Add("contacts", result.contacts);
  lines.Add("contacts_per_sphere",
            Ratio(static_cast<double>(result.contacts), static_cast<double>(result.particles)));
  lines.Add("time_step", step.dt);
  lines.Add("sweeps", static_cast<std::int64_t>(step.solver.sweeps));
  if (!step.speculative) lines.Add("contact_threshold", step.contact_threshold);
  lines.Add("warm_up_steps", static_cast<std::int64_t>(options.warm_up));
  lines.Add("steps", static_cast<std::int64_t>(options.steps));
  lines.Add("measurements", static_cast<std::int64_t>(options.repeat));
  lines.Add("max_penetration", result.penetration);
}

/// The value of the median measurement, and its range if there are several.
template <class Rate>
void AddRate(const std::string& key, const BenchResult& result, Rate&& rate, KeyValueLines& lines) {
  lines.Add(key, rate(result.Median()));
  if (result.measurements.size() == 1) return;
  double min = rate(result.Median()), max = min;
  for (const Measurement& measurement : result.measurements) {
    min = std::min(min, rate(measurement));
    max = std::max(max, rate(measurement));
  }
  lines.Add(key + "_least", min);
  lines.Add(key + "_most", max);
}

void AddRates(const BenchResult& result, KeyValueLines& lines) {
  const Measurement& median = result.Median();
  AddRate(
      "contact_relaxations_per_second", result,
      [](const Measurement& measured) { return measured.RelaxationsPerSecond(); }, lines);
  AddRate(
      "particle_steps_per_second", result,
      [](const Measurement& measured) { return measured.ParticleStepsPerSecond(); }, lines);
  lines.Add("steps_per_second", static_cast<double>(median.steps) / median.seconds);
  lines.Add("rebuilds", median.rebuilds);
  lines.Add("triad_bytes_per_second", result.triad);
  lines.Add("sweep_bytes_per_second", median.SweepBytesPerSecond());
  lines.Add("sweep_share_of_triad", Ratio(median.SweepBytesPerSecond(), result.triad));
}

void AddSpread(const std::string& key, const RankSpread& spread, double divisor,
               KeyValueLines& lines) {
  lines.Add(key + "_mean", Ratio(spread.mean, divisor));
  lines.Add(key + "_most", Ratio(spread.max, divisor));
}

void AddMessages(int sweeps, const BenchResult& result, KeyValueLines& lines) {
  const Measurement& median = result.Median();
  const auto steps = static_cast<double>(median.steps);
  AddSpread("neighbors", result.neighbors, 1.0, lines);
  AddSpread("messages_per_step", median.step_traffic.messages, steps, lines);
  AddSpread("message_bytes_per_step", median.step_traffic.bytes, steps, lines);
  AddSpread("messages_per_sweep", median.sweep_traffic.messages, steps * sweeps, lines);
  AddSpread("message_bytes_per_sweep", median.sweep_traffic.bytes, steps * sweeps, lines);
  lines.Add("collectives_per_step", static_cast<double>(median.collectives) / steps);
}

void AddMemory(const BenchResult& result, KeyValueLines& lines) {
  lines.Add("memory_bytes", result.memory);
  lines.Add("memory_bytes_most_of_a_rank", result.max_memory);
  lines.Add("bytes_per_particle",
            Ratio(result.particle_bytes, static_cast<double>(result.particles)));
  lines.Add("bytes_per_contact", Ratio(result.contact_bytes, static_cast<double>(result.contacts)));
}

std::string TableRow(const std::string& name, const RankSpread& seconds, double steps,
                     double total) {
  char row[128];
  std::snprintf(row, sizeof row, "%-14s %10.4f %10.4f %10.4f %7.1f\n", name.c_str(),
                1e3 * seconds.min / steps, 1e3 * seconds.mean / steps, 1e3 * seconds.max / steps,
                100.0 * Ratio(seconds.mean, total));
  return row;
}

/// Time per phase. The share of a phase is its mean over the ranks divided by the sum of these
/// means.
std::string PhaseTable(const Measurement& median) {
  RankSpread sum;
  for (const RankSpread& phase : median.phases) sum.mean += phase.mean;
  // The phases of a rank add up to the measured time, which is nearly the same on all ranks, so the
  // sum has no spread.
  sum.min = sum.max = sum.mean;
  const auto steps = static_cast<double>(median.steps);
  std::string table = "phase           ms/step: least       mean       most   share %\n";
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    table += TableRow(kPhaseNames[phase], median.phases[phase], steps, sum.mean);
  }
  return table + TableRow("sum", sum, steps, sum.mean);
}

}  // namespace

std::string BenchReport(const BenchCase& bench, const BenchOptions& options,
                        const BenchResult& result) {
  KeyValueLines lines;
  AddRunInfo(bench, options, result, lines);
  AddRates(result, lines);
  AddMessages(bench.config.step.solver.sweeps, result, lines);
  AddMemory(result, lines);
  return lines.Take() + "\n" + PhaseTable(result.Median());
}

}  // namespace scree
