#include "io/progress.hpp"

#include <cmath>
#include <cstdio>

namespace scree {
namespace {

constexpr double kMemory = 60.0;  // how far back the smoothing looks [s]

template <class... Values>
std::string Format(const char* format, Values... values) {
  char text[160];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

}  // namespace

void SpeedEstimate::Add(double particle_steps, double steps, double seconds) {
  const double kept = std::exp(-seconds / kMemory);
  particle_steps_ = kept * particle_steps_ + particle_steps;
  steps_ = kept * steps_ + steps;
  seconds_ = kept * seconds_ + seconds;
}

double SpeedEstimate::SecondsLeft(std::int64_t steps, std::int64_t particles) const {
  // Work goes with the particles, so a channel that still fills does not fool the estimate.
  const double by_particles = static_cast<double>(steps) * static_cast<double>(particles);
  return particle_steps_ > 0.0 ? by_particles / ParticleStepsPerSecond()
                               : static_cast<double>(steps) / StepsPerSecond();
}

std::string FormatDuration(double seconds) {
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 60) return Format("%lld s", whole);
  if (whole < 3600) return Format("%lld:%02lld min", whole / 60, whole % 60);
  if (whole < 24 * 3600) return Format("%lld:%02lld h", whole / 3600, whole / 60 % 60);
  return Format("%lld d %lld h", whole / 86400, whole / 3600 % 24);
}

std::string ProgressLine(const Observables& observed, const SolveReport& report,
                         std::int64_t last_step, const SpeedEstimate& speed) {
  const double done =
      last_step > 0 ? static_cast<double>(observed.step) / static_cast<double>(last_step) : 1.0;
  std::string line =
      Format("%5.1f%% t %.4gs n %lld c %lld pen %.2gum res %.1g", 100.0 * done, observed.time,
             static_cast<long long>(observed.particles), static_cast<long long>(observed.contacts),
             1e6 * observed.max_penetration, report.residual_max);
  if (speed.StepsPerSecond() > 0.0) {
    line +=
        Format(" %.3gst/s %.2gp/s left ", speed.StepsPerSecond(), speed.ParticleStepsPerSecond());
    line += FormatDuration(speed.SecondsLeft(last_step - observed.step, observed.particles));
  }
  return line;
}

}  // namespace scree
