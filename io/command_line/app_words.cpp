#include "io/command_line/app_words.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

constexpr std::array kWords = {
    AppWord{"angle", "rad"},
    AppWord{"angular-velocity", "rad/s"},
    AppWord{"arm", ""},
    AppWord{"body-mass", "kg"},
    AppWord{"centre", "m"},
    AppWord{"closing-velocity", "m/s"},
    AppWord{"damping", "kg/s"},
    AppWord{"damping-exponent", ""},
    AppWord{"damping-times-speed", ""},
    AppWord{"deceleration", "m/s^2"},
    AppWord{"density", "kg/m^3"},
    AppWord{"depth", "m"},
    AppWord{"dissipation", "s m^(exponent - damping exponent)"},
    AppWord{"distance", "m"},
    AppWord{"drive-frequency", "rad/s"},
    AppWord{"drive-torque", "N m"},
    AppWord{"end", "s"},
    AppWord{"error-reduction", ""},
    AppWord{"exponent", ""},
    AppWord{"extent", "N s"},
    AppWord{"force", "N"},
    AppWord{"friction", ""},
    AppWord{"from", ""},
    AppWord{"gamma", ""},
    AppWord{"gravity", "m/s^2"},
    AppWord{"height", "m"},
    AppWord{"inertia", "kg m^2"},
    AppWord{"interval", "s"},
    AppWord{"inverse-mass", "1/kg"},
    AppWord{"joint-damping", "N m s/rad"},
    AppWord{"length", "m"},
    AppWord{"load", ""},
    AppWord{"mass", "kg"},
    AppWord{"momentum", ""},
    AppWord{"poisson", ""},
    AppWord{"radius", "m"},
    AppWord{"rate", "Hz"},
    AppWord{"relative-damping", "s/m"},
    AppWord{"rest-speed", "m/s"},
    AppWord{"restitution", ""},
    AppWord{"roughness", "m"},
    AppWord{"sliding-velocity", "m/s"},
    AppWord{"speed", "m/s"},
    AppWord{"step", "s"},
    AppWord{"stiffness", "N/m^exponent"},
    AppWord{"threshold", ""},
    AppWord{"to", ""},
    AppWord{"tolerance", ""},
    AppWord{"velocity", "m/s"},
    AppWord{"wavelength", "m"},
    AppWord{"young", "Pa"},
};

/// Suffixes for a second quantity, a component, or an end of a range.
constexpr std::array<std::string_view, 11> kSuffixes = {"-1",  "-2",    "-b",  "-x",  "-y",  "-to",
                                                        "-tt", "-from", "-tn", "-nn", "-min"};

struct Renamed {
  std::string_view old, current;
};

/// Old and new names. If an old name has several new ones, the first one that exists in the command
/// is used.
constexpr std::array kRenamed = {
    Renamed{"I1", "inertia-1"},
    Renamed{"I2", "inertia-2"},
    Renamed{"D", "depth"},
    Renamed{"L1", "length-1"},
    Renamed{"L2", "length-2"},
    Renamed{"M01", "drive-torque-1"},
    Renamed{"M02", "drive-torque-2"},
    Renamed{"Omega1", "drive-frequency-1"},
    Renamed{"Omega2", "drive-frequency-2"},
    Renamed{"a", "distance"},
    Renamed{"alpha", "exponent"},
    Renamed{"alpha", "inverse-mass-tt"},
    Renamed{"arm-max", "arm-to"},
    Renamed{"beta", "damping-exponent"},
    Renamed{"c", "damping"},
    Renamed{"c", "closing-velocity"},
    Renamed{"c1", "joint-damping-1"},
    Renamed{"c2", "joint-damping-2"},
    Renamed{"damping", "damping-formula"},
    Renamed{"degrees", "angle-1"},
    Renamed{"dt", "interval"},
    Renamed{"dt", "step"},
    Renamed{"duration", "end"},
    Renamed{"e", "restitution"},
    Renamed{"e2", "restitution-2"},
    Renamed{"end", "until"},
    Renamed{"epsilon", "inverse-mass-tn"},
    Renamed{"external-force", "force"},
    Renamed{"force", "forces"},
    Renamed{"g", "gravity"},
    Renamed{"gamma", "inverse-mass-nn"},
    Renamed{"h", "step"},
    Renamed{"k", "stiffness"},
    Renamed{"k", "restitution"},
    Renamed{"l1", "length-1"},
    Renamed{"l2", "length-2"},
    Renamed{"lc", "centre"},
    Renamed{"least-e", "restitution-min"},
    Renamed{"longest", "wavelength-to"},
    Renamed{"m", "mass"},
    Renamed{"m1", "mass-1"},
    Renamed{"m2", "mass-2"},
    Renamed{"mu", "friction"},
    Renamed{"mu", "relative-damping"},
    Renamed{"mu-max", "friction-to"},
    Renamed{"n", "exponent"},
    Renamed{"n", "nodes"},
    Renamed{"n-points", "exponents"},
    Renamed{"omega", "angular-velocity"},
    Renamed{"omega1", "angular-velocity-1"},
    Renamed{"omega2", "angular-velocity-2"},
    Renamed{"out", "output"},
    Renamed{"psi1", "angle-1"},
    Renamed{"psi2", "angle-2"},
    Renamed{"r", "radius"},
    Renamed{"row", "interval"},
    Renamed{"s", "sliding-velocity"},
    Renamed{"shortest", "wavelength-from"},
    Renamed{"speed2", "speed-2"},
    Renamed{"theta", "angle"},
    Renamed{"theta1", "angle-1"},
    Renamed{"theta2", "angle-2"},
    Renamed{"v", "speed"},
    Renamed{"v-in", "speed"},
    Renamed{"vx", "velocity-x"},
    Renamed{"vy", "velocity-y"},
};

const AppWord* FindWord(std::string_view name) {
  const auto found = std::find_if(kWords.begin(), kWords.end(),
                                  [&](const AppWord& word) { return word.name == name; });
  return found == kWords.end() ? nullptr : &*found;
}

}  // namespace

std::optional<Dimension> AppWord::UnitDimension() const {
  return unit.find("exponent") == unit.npos ? std::optional(DimensionOf(unit)) : std::nullopt;
}

const AppWord& WordOf(std::string_view option) {
  const AppWord* word = FindWord(option);
  for (const std::string_view suffix : kSuffixes) {
    if (word == nullptr && option.ends_with(suffix)) {
      word = FindWord(option.substr(0, option.size() - suffix.size()));
    }
  }
  SCREE_DEMAND(word != nullptr);
  return *word;
}

double ReadQuantity(const std::string& name, const AppWord& word, std::string_view text) {
  constexpr double kUnlimited =
      std::numeric_limits<double>::max();  // models check their own bounds
  const std::optional<Dimension> dimension = word.UnitDimension();
  try {
    return ReadQuantities(text, 1, dimension.value_or(kPlain), kUnlimited).front();
  } catch (const InputError& error) {
    const std::string in_si =
        dimension ? "" : Text("; its unit depends on an exponent, so it is in SI: ", word.unit);
    throw InputError(Text(name, " \"", text, "\": ", error.what(), in_si));
  }
}

std::string NewName(std::string_view old, const std::function<bool(std::string_view)>& has_option) {
  for (const Renamed& renamed : kRenamed) {
    if (renamed.old == old && has_option(renamed.current)) return std::string(renamed.current);
  }
  return "";
}

}  // namespace scree
