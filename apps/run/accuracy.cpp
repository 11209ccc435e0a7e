#include "apps/run/accuracy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

constexpr std::array kScales = {kOverlap, kTravel, kTravelOfImpacts, kFall,
                                kStrain,  kMasses, kResidual};

std::string TwoDigits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

/// "; the longest step corresponds to time.accuracy = 0.003, ...". The run time grows only as the
/// number of steps to the power 0.75, because shorter steps need fewer sweeps and rebuild lists
/// less often (engine/time_steps.md).
std::string DescribeAccuracyOfStep(const AccuracyMeasures& measures) {
  if (!(measures.step_accuracy > 0.0)) return {};
  return Text(
      "; the longest step corresponds to time.accuracy = ", TwoDigits(measures.step_accuracy),
      "; its error is not measured: a run with half the step would show it, and would take "
      "some 1.7 times as long");
}

/// Lists the quantities above a limit: "overlap / r reached 0.14 (good: below 0.05), ...".
/// @param cures  remedies for these quantities, each once
std::string ListAboveLimit(const AccuracyMeasures& measures, double AccuracyScale::*limit,
                           std::vector<std::string>& cures) {
  std::string text;
  for (const AccuracyScale& scale : kScales) {
    const double value = measures.*scale.measure;
    if (value <= scale.*limit) continue;  // NaN counts as above the limit
    text += Text(text.empty() ? "" : ", ", scale.name, " reached ", TwoDigits(value),
                 " (good: below ", TwoDigits(scale.good), ")");
    if (scale.measure == kOverlap.measure && measures.overlap_time >= 0.0) {
      text += Text(" at ", measures.overlap_time, " s or shortly before");
    }
    if (std::ranges::find(cures, scale.cure) == cures.end()) cures.emplace_back(scale.cure);
  }
  return text;
}

/// The absolute value of a fraction in per cent with two digits, or "below 0.01 %".
std::string Percent(double fraction) {
  const double percent = 100.0 * std::abs(fraction);
  return percent < 0.01 ? "below 0.01 %" : TwoDigits(percent) + " %";
}
std::string DescribeDeviation(double fraction) {
  const bool is_too_small = fraction < 0.0 && 100.0 * fraction <= -0.01;
  return Percent(fraction) + (is_too_small ? " too small" : " too large");
}

}  // namespace

std::string AccuracyInWords(const AccuracyMeasures& measures) {
  std::vector<std::string> cures;
  const bool is_doubtful = !ListAboveLimit(measures, &AccuracyScale::doubtful, cures).empty();
  const std::string above = ListAboveLimit(measures, &AccuracyScale::good, cures);
  if (above.empty()) {
    return Text("accuracy: good; overlaps of up to ", TwoDigits(100.0 * measures.overlap),
                " % of the smallest radius, up to ",
                TwoDigits(std::max(measures.travel, measures.impacts)), " radii per step",
                DescribeAccuracyOfStep(measures));
  }
  std::string advice;
  for (const std::string& cure : cures) advice += (advice.empty() ? "" : "; ") + cure;
  return is_doubtful
             ? Text("accuracy: DOUBTFUL, results may be wrong: ", above, ". What helps: ", advice)
             : Text("accuracy: fair: ", above, DescribeAccuracyOfStep(measures),
                    ". What helps: ", advice);
}

std::string ErrorBarsInWords(const ErrorBars& bars) {
  const double flow = bars.step + bars.solve;
  if (!(flow < 1.0)) {
    return "error bars of means: not known, because the step or the error of single solves is too "
           "large, or nothing was dissipated in the measured solves; a run with half the step and "
           "twice the sweeps would show the error";
  }
  std::string text = Text("error bars of means: flow ", Percent(flow), " (", Percent(bars.step),
                          " for the step, not measured; ", Percent(bars.solve), " for the solve)");
  if (bars.stress > 0.0) text += Text(", stress ", Percent(bars.step + bars.stress));
  if (bars.energy > 0.0) {
    text += Text(", energies ", TwoDigits(flow * bars.energy), " J, the same share of ",
                 TwoDigits(bars.energy), " J");
  }
  text += Text("; loads of walls ", Percent(bars.step), " plus those of the solve");
  constexpr double kMaxSolvePart = 0.1;  // above it, bars may be too small (engine/time_steps.md)
  if (bars.solve <= kMaxSolvePart) return text;
  return text +
         "; these bars are a warning rather than an estimate: try [solver] sweeps = auto, "
         "with a force_accuracy if it is already used, or more sweeps";
}

std::string SolveErrorInWords(const Scene& scene, const SolveError& error) {
  std::string loads;
  for (std::size_t w = 0; w < error.squared_loads.size(); ++w) {
    if (!(error.squared_loads[w] > 0.0)) continue;
    loads += Text(loads.empty() ? "; loads of walls off by: " : ", ", scene.walls[w].name, " ",
                  Percent(error.LoadError(w)));
  }
  return Text("solve, against ", kSweepsOfMeasurement, " times the sweeps in ", error.steps,
              error.steps == 1 ? " step" : " steps",
              ": the force at a contact in one step is off by ", Percent(error.ImpulseError()),
              ", the RMS of normal forces is ", DescribeDeviation(error.NormalRmsError()),
              ", their mean ", DescribeDeviation(error.NormalMeanError()), loads,
              ". Means over time are more accurate than one step: see the error bars");
}

}  // namespace scree
