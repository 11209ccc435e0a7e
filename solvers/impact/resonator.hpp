/// \file  A body that rings: a few modes, struck by a force over time.
///
/// Modal synthesis as in the physically based sound models for which the impact of Papetti,
/// Avanzini & Rocchesso (see hunt_crossley.hpp) was made. Each mode is a damped oscillator in unit
/// modal mass,
///
///     q'' + 2 d q' + (ω² + d²) q = g f(t),
///
/// whose velocity after an impulse f h at the time s is g f h Re e^((−d + iω)(t − s)) but for a
/// part of the order d/ω. That is added up exactly, however long samples are compared with the
/// contact.
#pragma once

#include <complex>
#include <span>
#include <string_view>
#include <vector>

namespace scree::impact {

struct ResonatorMode {
  double frequency = 1000.0;  // ω/2π [Hz]
  double decay = 0.5;         // time in which it falls by 60 dB, ln(1000)/d [s]
  double gain = 1.0;          // g [1/kg]
};

/// Modes of small objects, by ear and textbook ratios: a drinking glass, a wooden block and a metal
/// bar with free ends (1 : 2.756 : 5.404 : 8.933).
struct NamedResonator {
  std::string_view name;
  std::span<const ResonatorMode> modes;
};
std::span<const NamedResonator> Resonators();

/// @throws InputError listing the names
std::span<const ResonatorMode> FindResonator(std::string_view name);

/// The ringing over time. Impulses come in the order of time.
class Resonator {
 public:
  /// @throws InputError if a mode lies at or above half the rate, which could not be heard as it is
  Resonator(std::span<const ResonatorMode> modes, double rate);

  /// Strikes at the time `t`, not before the last sample [s, N s].
  void Strike(double t, double impulse);

  /// The velocity at the next sample, number × 1/rate from the start [m/s].
  double NextSample();

  /// Of the next sample [s].
  double NextTime() const { return static_cast<double>(samples_) / rate_; }

  /// Until all modes have fallen by 60 dB [s].
  double LongestDecay() const;

 private:
  struct Mode {
    std::complex<double> exponent;    // −d + iω [1/s]
    std::complex<double> per_sample;  // e^(exponent/rate)
    std::complex<double> state;       // whose real part is the velocity at the last sample
    double gain = 0.0, decay = 0.0;
  };
  std::vector<Mode> modes_;
  double rate_;
  long samples_ = 0;
};

}  // namespace scree::impact
