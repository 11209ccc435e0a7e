#include "io/output/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

namespace scree {
namespace {

// The speed is smoothed over this fraction of the run so far, within limits [s]. A fill on a
// lattice has no contacts at first, and the speed at that time predicts little about the flow.
constexpr double kWindowFraction = 0.2;
constexpr double kMinWindow = 1.0;
constexpr double kMaxWindow = 60.0;

template <class... Values>
std::string Format(const char* format, Values... values) {
  char text[160];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

/// At most five characters.
std::string FormatCount(std::int64_t count) {
  return count < 100'000 ? std::to_string(count) : FormatScaled(static_cast<double>(count), 3);
}

}  // namespace

void SpeedEstimate::Add(const Work& work, double seconds) {
  elapsed_ += seconds;
  const double window = std::clamp(kWindowFraction * elapsed_, kMinWindow, kMaxWindow);
  const double weight = std::exp(-seconds / window);
  work_.particle_steps = weight * work_.particle_steps + work.particle_steps;
  work_.steps = weight * work_.steps + work.steps;
  work_.base_steps = weight * work_.base_steps + work.base_steps;
  seconds_ = weight * seconds_ + seconds;
}

double SpeedEstimate::SecondsLeft(std::int64_t base_steps, std::int64_t particles) const {
  const double steps = static_cast<double>(base_steps) * work_.steps / work_.base_steps;
  // Work is proportional to the number of particles, so the estimate is valid even while a channel
  // fills.
  return work_.particle_steps > 0.0
             ? steps * static_cast<double>(particles) / ParticleStepsPerSecond()
             : steps / StepsPerSecond();
}

std::string FormatScaled(double value, int digits) {
  constexpr const char* kPrefixes[] = {"n", "u", "m", "", "k", "M", "G", "T"};
  std::size_t prefix = 3;
  while (value >= 1e3 && prefix + 1 < std::size(kPrefixes)) value /= 1e3, ++prefix;
  while (value > 0.0 && value < 1.0 && prefix > 0) value *= 1e3, --prefix;
  // %g would print 120 as 1.2e+02.
  const bool is_whole = value >= std::pow(10.0, digits - 1);
  return (is_whole ? Format("%.0f", value) : Format("%.*g", digits, value)) + kPrefixes[prefix];
}

std::string FormatDuration(double seconds) {
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 60) return Format("%llds", whole);
  if (whole < 3600) return Format("%lldm%02llds", whole / 60, whole % 60);
  if (whole < 24 * 3600) return Format("%lldh%02lldm", whole / 3600, whole / 60 % 60);
  return Format("%lldd%02lldh", whole / 86400, whole / 3600 % 24);
}

std::string ProgressLine(const Observables& observed, const SolveReport& report,
                         std::int64_t last_step, const SpeedEstimate& speed) {
  const double done =
      last_step > 0 ? static_cast<double>(observed.step) / static_cast<double>(last_step) : 1.0;
  std::string line =
      Format("%5.1f%%", 100.0 * done) + " t " + FormatScaled(observed.time, 4) + "s n " +
      FormatCount(observed.particles) + " c " + FormatCount(observed.contacts) + " pen " +
      FormatScaled(observed.max_penetration, 2) + "m res " + Format("%.1g", report.residual_max);
  if (report.stalled) {
    line += " solve stalled";
  } else if (!report.converged.value_or(true)) {
    line += " not converged";
  }
  if (speed.StepsPerSecond() > 0.0) {
    line += " " + FormatScaled(speed.StepsPerSecond(), 2) + "st/s " +
            FormatScaled(speed.ParticleStepsPerSecond(), 2) + "p/s eta " +
            FormatDuration(speed.SecondsLeft(last_step - observed.step, observed.particles));
  }
  return line;
}

}  // namespace scree
