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
                TwoDigits(std::max(figures.travel, figures.impacts)), " radii per step");
  }
  std::string advice;
  for (const std::string& cure : cures) advice += (advice.empty() ? "" : "; ") + cure;
  return is_doubtful ? Text("accuracy: DOUBTFUL, results need not be those of the scene: ", above,
                            ". What helps: ", advice)
                     : Text("accuracy: fair: ", above, ". What helps: ", advice);
}

}  // namespace scree
