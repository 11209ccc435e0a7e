/// \file  Bodies that ring, described by modes.
///
/// This is modal synthesis, as in the physically based sound models for which the impact of
/// Papetti, Avanzini & Rocchesso (see hunt_crossley.hpp) was made. Each mode is a damped oscillator
/// of unit modal mass,
///
///     q'' + 2 d q' + (ω² + d²) q = g f(t).
#pragma once

#include <span>
#include <string_view>

namespace scree::impact {

struct ResonatorMode {
  double frequency = 1000.0;  // ω/2π [Hz]
  double decay = 0.5;         // time in which the mode falls by 60 dB, ln(1000)/d [s]
  double gain = 1.0;          // g [1/kg]
};

/// Modes of small objects, chosen by ear and from textbook ratios: a drinking "glass", a "wood"
/// block and a "metal" bar with free ends (frequencies 1 : 2.756 : 5.404 : 8.933 : 13.345).
/// @throws InputError listing the names
std::span<const ResonatorMode> FindResonator(std::string_view name);

}  // namespace scree::impact
