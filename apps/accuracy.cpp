#include "apps/accuracy.hpp"

#include <algorithm>
#include <array>
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

/// "; velocities are good to about 0.3 %, forces to 2 %; ...". Time goes with the power 0.75 of the
/// number of steps: longer ones need more sweeps and new lists more often (engine/time_steps.md).
std::string Worth(const AccuracyFigures& figures) {
  if (!(figures.of_step > 0.0)) return {};
  const auto percent = [](double share) { return TwoDigits(100.0 * std::max(share, 1e-3)); };
  return Text("; velocities are good to about ", percent(figures.of_step), " %, forces to ",
              percent(std::max(figures.of_step, figures.residual)),
              " %; half the step would take some 1.7 times as long");
}

/// "overlap / r 0.14 (good: 0.01), ..." of those figures that are more than a limit.
/// @param cures  what helps against these, each once
std::string Above(const AccuracyFigures& figures, double AccuracyScale::*limit,
                  std::vector<std::string>& cures) {
  std::string text;
  for (const AccuracyScale& scale : kScales) {
    const double value = figures.*scale.figure;
    if (value <= scale.*limit) continue;  // NaN is above
    text += Text(text.empty() ? "" : ", ", scale.name, " came to ", TwoDigits(value),
                 " (good: below ", TwoDigits(scale.good), ")");
    if (std::ranges::find(cures, scale.cure) == cures.end()) cures.emplace_back(scale.cure);
  }
  return text;
}

}  // namespace

std::string AccuracyInWords(const AccuracyFigures& figures) {
  std::vector<std::string> cures;
  const bool is_doubtful = !Above(figures, &AccuracyScale::doubtful, cures).empty();
  const std::string above = Above(figures, &AccuracyScale::good, cures);
  if (above.empty()) {
    return Text("accuracy: good; overlaps of up to ", TwoDigits(100.0 * figures.overlap),
                " % of the smallest radius, up to ",
                TwoDigits(std::max(figures.travel, figures.impacts)), " radii per step",
                Worth(figures));
  }
  std::string advice;
  for (const std::string& cure : cures) advice += (advice.empty() ? "" : "; ") + cure;
  return is_doubtful ? Text("accuracy: DOUBTFUL, results need not be those of the scene: ", above,
                            ". What helps: ", advice)
                     : Text("accuracy: fair: ", above, Worth(figures), ". What helps: ", advice);
}

}  // namespace scree
