// scree-integrators cost: time and operations of each method, and what they buy.
#include <algorithm>
#include <array>
#include <ctime>
#include <limits>
#include <span>
#include <vector>

#include "apps/integrators_commands.hpp"
#include "apps/small_app.hpp"
#include "solvers/base/check.hpp"
#include "solvers/impact/stepper_cost.hpp"

namespace scree::impact {
namespace {

// The last one tells what a step takes: there the closed forms of the impact hardly count.
constexpr std::array kOversampling = {1, 4, 16, 64};
constexpr int kRounds = 7;  // the fastest counts: whatever disturbs makes slower

constexpr int kRunsPerReading = 32;  // reading the clock takes as long as a short impact

/// One method at one rate.
struct Candidate {
  ImpactRunner runner;
  SteppedImpact run;
  double ns_per_impact = std::numeric_limits<double>::infinity();
};

/// Nanoseconds per impact, setting up its closed forms and storing its samples included. Processor
/// time, which does not run while others have the processor.
double TimeImpact(const ImpactRunner& runner, double batch_seconds) {
  const std::clock_t start = std::clock();
  double seconds = 0.0;
  volatile double result = 0.0;
  int runs = 0;
  do {
    for (int i = 0; i < kRunsPerReading; ++i) result = runner.Run().OutboundVelocity();
    runs += kRunsPerReading;
    seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  } while (seconds < batch_seconds);
  static_cast<void>(result);
  return seconds * 1e9 / runs;
}

/// All methods without and with corrections, each at all rates, in the order of the table.
std::vector<Candidate> Candidates(SteppedImpactSetup setup) {
  std::vector<Candidate> candidates;
  for (const ImpactMethod method : kImpactMethods) {
    for (const bool corrected : {false, true}) {
      for (const int oversampling : kOversampling) {
        setup.method = method;
        setup.hybrid = setup.constrain_outbound = corrected;
        setup.oversampling = oversampling;
        const ImpactRunner runner(setup);
        candidates.push_back({runner, runner.RunToRelease()});
      }
    }
  }
  return candidates;
}

/// Round after round over all of them, so that a slow while of the computer hits them all.
void Measure(std::vector<Candidate>& candidates, double batch_seconds) {
  for (int round = 0; round < kRounds; ++round) {
    for (Candidate& candidate : candidates) {
      const double ns = TimeImpact(candidate.runner, batch_seconds);
      candidate.ns_per_impact = std::min(candidate.ns_per_impact, ns);
    }
  }
}

const Candidate& Finest(const std::vector<Candidate>& candidates, ImpactMethod method,
                        bool corrected) {
  const auto is_meant = [&](const Candidate& one) {
    const SteppedImpactSetup& setup = one.runner.setup();
    return setup.method == method && setup.hybrid == corrected &&
           setup.oversampling == kOversampling.back();
  };
  return *std::find_if(candidates.begin(), candidates.end(), is_meant);
}

double IterationsPerStep(const SteppedImpact& run) {
  return static_cast<double>(run.iterations) / run.Steps();
}

/// Operations in contact by the counts of table IV, without reading and writing.
double Operations(const Candidate& candidate) {
  const StepCost cost = CountStep(candidate.runner.setup().method);
  const double correction =
      candidate.runner.setup().hybrid ? CountHybridCorrection().Arithmetic() : 0;
  return cost.step.Arithmetic() + IterationsPerStep(candidate.run) * cost.iteration.Arithmetic() +
         correction;
}

/// What the paper infers from its counts of operations (section IV-C), beside the time: the count
/// takes a power and an addition for the same.
void NoteClaims(CsvOutput& csv, const std::vector<Candidate>& candidates) {
  const Candidate& rk4 = Finest(candidates, ImpactMethod::kRungeKutta4, false);
  const auto note = [&](const char* name, const Candidate& other, const char* claim) {
    const double counted = Operations(rk4) / Operations(other);
    const double measured =
        (rk4.ns_per_impact / rk4.run.Steps()) / (other.ns_per_impact / other.run.Steps());
    const bool agrees = (counted > 1.0) == (measured > 1.0);
    csv.Note(name, Text("operations of rk4 over its own: ", counted, ", time: ", measured, "; ",
                        agrees ? "time agrees" : "time contradicts the count", " (", claim, ")"));
  };
  note("verlet with corrections", Finest(candidates, ImpactMethod::kVerlet, true),
       "the paper: almost twice as efficient as rk4 in contact");
  note("heun with corrections", Finest(candidates, ImpactMethod::kHeun, true),
       "the paper: almost twice as efficient as rk4 in contact");
  note("am1", Finest(candidates, ImpactMethod::kAdamsMoulton, false),
       "the paper: as dear as rk4 from two iterations on");
}

/// The rows of one method with or without corrections.
void WriteRows(CsvOutput& csv, std::span<const Candidate, kOversampling.size()> rates) {
  const Candidate& finest = rates.back();
  const double ns_per_step = finest.ns_per_impact / finest.run.Steps();
  for (const Candidate& candidate : rates) {
    const SteppedImpactSetup& setup = candidate.runner.setup();
    const StepCost cost = CountStep(setup.method);
    const HuntCrossleyImpact exact(setup.model, setup.v_in);
    const ClosedFormDeviations d = Deviations(exact, candidate.run);
    csv.Row({std::string(Name(setup.method)), std::string(setup.hybrid ? "both" : "none"),
             std::int64_t{setup.oversampling}, std::int64_t{candidate.run.Steps()}, ns_per_step,
             candidate.ns_per_impact, IterationsPerStep(candidate.run),
             std::int64_t{cost.step.Arithmetic()}, std::int64_t{cost.iteration.Arithmetic()},
             100.0 * d.compression, 100.0 * d.outbound,
             100.0 * std::max(d.energy, d.release_energy)});
  }
}

}  // namespace

void IntegratorsCost(const std::vector<std::string>& arguments, const std::string& command_line) {
  AppOptions options(
      "scree-integrators cost",
      "Time and accuracy of all methods, without and with both corrections. ns_per_impact is a\n"
      "whole impact with its closed forms set up and its samples stored, ns_per_step its part at\n"
      "the highest oversampling. Operations are those of a step in contact and of one Newton\n"
      "iteration, without corrections; what the paper infers from its counts stands beside the\n"
      "measured time above the table. Times depend on what else the computer does.");
  IntegratorOptions impact_options;
  double batch_seconds = 0.005;
  std::string out;
  impact_options.AddModel(options);
  options.Add("rate", impact_options.setup.rate, "samples per second [Hz]");
  options.Add("batch", batch_seconds, "time of one measurement [s], of which seven are taken");
  options.Add("out", out, "file for the table instead of standard output");
  if (!ParseOrHelp(arguments, options)) return;
  impact_options.ApplyBodies(options);
  DemandRange("--batch", batch_seconds, 1e-6, 10.0);
  CsvOutput csv(command_line);
  NoteModel(csv, impact_options.setup.model);
  csv.Note("v_in", impact_options.setup.v_in);
  csv.Note("rate", impact_options.setup.rate);
  std::vector<Candidate> candidates = Candidates(impact_options.setup);
  Measure(candidates, batch_seconds);
  NoteClaims(csv, candidates);
  csv.Columns({"method", "corrections", "oversampling", "steps", "ns_per_step", "ns_per_impact",
               "iterations_per_step", "operations_per_step", "operations_per_iteration",
               "max_deviation_x_percent", "error_v_out_percent", "max_deviation_H_percent"});
  for (auto first = candidates.begin(); first != candidates.end(); first += kOversampling.size()) {
    WriteRows(csv, std::span<const Candidate, kOversampling.size()>(first, kOversampling.size()));
  }
  csv.Write(out);
}

}  // namespace scree::impact
