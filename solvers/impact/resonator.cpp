#include "solvers/impact/resonator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "solvers/base/check.hpp"

namespace scree::impact {
namespace {

constexpr std::array kGlass = {ResonatorMode{1830.0, 0.9, 1.0}, ResonatorMode{4180.0, 0.7, 0.7},
                               ResonatorMode{7240.0, 0.5, 0.5}, ResonatorMode{10860.0, 0.35, 0.35},
                               ResonatorMode{14960.0, 0.25, 0.2}};
constexpr std::array kWood = {ResonatorMode{410.0, 0.14, 1.0}, ResonatorMode{1130.0, 0.10, 0.7},
                              ResonatorMode{2215.0, 0.07, 0.4}, ResonatorMode{3660.0, 0.05, 0.25}};
constexpr double kBar = 620.0;  // its lowest frequency [Hz]
constexpr std::array kMetal = {ResonatorMode{kBar, 2.5, 1.0}, ResonatorMode{2.756 * kBar, 2.0, 0.8},
                               ResonatorMode{5.404 * kBar, 1.4, 0.6},
                               ResonatorMode{8.933 * kBar, 1.0, 0.4},
                               ResonatorMode{13.345 * kBar, 0.7, 0.3}};
constexpr std::array kResonators = {NamedResonator{"glass", kGlass}, NamedResonator{"wood", kWood},
                                    NamedResonator{"metal", kMetal}};

}  // namespace

std::span<const NamedResonator> Resonators() { return kResonators; }

std::span<const ResonatorMode> FindResonator(std::string_view name) {
  std::string names;
  for (const NamedResonator& one : kResonators) {
    if (one.name == name) return one.modes;
    names += (names.empty() ? "" : ", ") + std::string(one.name);
  }
  throw InputError(Text("resonator '", name, "' is unknown; choose one of ", names));
}

Resonator::Resonator(std::span<const ResonatorMode> modes, double rate) : rate_(rate) {
  if (!(rate > 0.0 && std::isfinite(rate))) {
    throw InputError(Text("the rate of the sound = ", rate, " must be above 0 and finite"));
  }
  for (const ResonatorMode& mode : modes) {
    if (!(mode.frequency > 0.0 && mode.frequency < 0.5 * rate)) {
      throw InputError(Text("a mode of ", mode.frequency, " Hz needs a rate of more than ",
                            2.0 * mode.frequency, " Hz, not ", rate));
    }
    if (!(mode.decay > 0.0)) {
      throw InputError(Text("the decay time of a mode = ", mode.decay, " s must be above 0"));
    }
    const std::complex<double> exponent(-std::log(1000.0) / mode.decay,
                                        2.0 * std::numbers::pi * mode.frequency);
    modes_.push_back({exponent, std::exp(exponent / rate), 0.0, mode.gain, mode.decay});
  }
}

void Resonator::Strike(double t, double impulse) {
  // The state is that of the last sample: the impulse is carried back to there, so that it is what
  // it should be at the next one.
  const double since = t - static_cast<double>(samples_ - 1) / rate_;
  for (Mode& mode : modes_) mode.state += mode.gain * impulse * std::exp(-mode.exponent * since);
}

double Resonator::NextSample() {
  ++samples_;
  double sum = 0.0;
  for (Mode& mode : modes_) {
    mode.state *= mode.per_sample;
    sum += mode.state.real();
  }
  return sum;
}

double Resonator::LongestDecay() const {
  double longest = 0.0;
  for (const Mode& mode : modes_) longest = std::max(longest, mode.decay);
  return longest;
}

}  // namespace scree::impact
