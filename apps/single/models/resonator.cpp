#include "apps/single/models/resonator.hpp"

#include <array>
#include <string>

#include "solvers/base/check.hpp"

namespace scree::impact {
namespace {

constexpr std::array kGlass = {ResonatorMode{1830.0, 0.9, 1.0}, ResonatorMode{4180.0, 0.7, 0.7},
                               ResonatorMode{7240.0, 0.5, 0.5}, ResonatorMode{10860.0, 0.35, 0.35},
                               ResonatorMode{14960.0, 0.25, 0.2}};
constexpr std::array kWood = {ResonatorMode{410.0, 0.14, 1.0}, ResonatorMode{1130.0, 0.10, 0.7},
                              ResonatorMode{2215.0, 0.07, 0.4}, ResonatorMode{3660.0, 0.05, 0.25}};
constexpr double kBarFrequency = 620.0;  // lowest frequency of the metal bar [Hz]
constexpr std::array kMetal = {
    ResonatorMode{kBarFrequency, 2.5, 1.0}, ResonatorMode{2.756 * kBarFrequency, 2.0, 0.8},
    ResonatorMode{5.404 * kBarFrequency, 1.4, 0.6}, ResonatorMode{8.933 * kBarFrequency, 1.0, 0.4},
    ResonatorMode{13.345 * kBarFrequency, 0.7, 0.3}};
struct NamedResonator {
  std::string_view name;
  std::span<const ResonatorMode> modes;
};
constexpr std::array kResonators = {NamedResonator{"glass", kGlass}, NamedResonator{"wood", kWood},
                                    NamedResonator{"metal", kMetal}};

}  // namespace

std::span<const ResonatorMode> FindResonator(std::string_view name) {
  std::string names;
  for (const NamedResonator& resonator : kResonators) {
    if (resonator.name == name) return resonator.modes;
    names += (names.empty() ? "" : ", ") + std::string(resonator.name);
  }
  throw InputError(Text("resonator '", name, "' is unknown; choose one of ", names));
}

}  // namespace scree::impact
