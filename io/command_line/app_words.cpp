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

struct RenamedOption {
  std::string_view old, current;
};

/// Old and current names. If an old name has several current ones, the first one that exists in the
/// command is used.
constexpr std::array kRenamedOptions = {
    RenamedOption{"I1", "inertia-1"},
    RenamedOption{"I2", "inertia-2"},
    RenamedOption{"D", "depth"},
    RenamedOption{"L1", "length-1"},
    RenamedOption{"L2", "length-2"},
    RenamedOption{"M01", "drive-torque-1"},
    RenamedOption{"M02", "drive-torque-2"},
    RenamedOption{"Omega1", "drive-frequency-1"},
    RenamedOption{"Omega2", "drive-frequency-2"},
    RenamedOption{"a", "distance"},
    RenamedOption{"alpha", "exponent"},
    RenamedOption{"alpha", "inverse-mass-tt"},
    RenamedOption{"arm-max", "arm-to"},
    RenamedOption{"beta", "damping-exponent"},
    RenamedOption{"c", "damping"},
    RenamedOption{"c", "closing-velocity"},
    RenamedOption{"c1", "joint-damping-1"},
    RenamedOption{"c2", "joint-damping-2"},
    RenamedOption{"damping", "damping-formula"},
    RenamedOption{"degrees", "angle-1"},
    RenamedOption{"dt", "interval"},
    RenamedOption{"dt", "step"},
    RenamedOption{"duration", "end"},
    RenamedOption{"e", "restitution"},
    RenamedOption{"e2", "restitution-2"},
    RenamedOption{"end", "until"},
    RenamedOption{"epsilon", "inverse-mass-tn"},
    RenamedOption{"external-force", "force"},
    RenamedOption{"force", "forces"},
    RenamedOption{"g", "gravity"},
    RenamedOption{"gamma", "inverse-mass-nn"},
    RenamedOption{"h", "step"},
    RenamedOption{"k", "stiffness"},
    RenamedOption{"k", "restitution"},
    RenamedOption{"l1", "length-1"},
    RenamedOption{"l2", "length-2"},
    RenamedOption{"lc", "centre"},
    RenamedOption{"least-e", "restitution-min"},
    RenamedOption{"longest", "wavelength-to"},
    RenamedOption{"m", "mass"},
    RenamedOption{"m1", "mass-1"},
    RenamedOption{"m2", "mass-2"},
    RenamedOption{"mu", "friction"},
    RenamedOption{"mu", "relative-damping"},
    RenamedOption{"mu-max", "friction-to"},
    RenamedOption{"n", "exponent"},
    RenamedOption{"n", "nodes"},
    RenamedOption{"n-points", "exponents"},
    RenamedOption{"omega", "angular-velocity"},
    RenamedOption{"omega1", "angular-velocity-1"},
    RenamedOption{"omega2", "angular-velocity-2"},
    RenamedOption{"out", "output"},
    RenamedOption{"psi1", "angle-1"},
    RenamedOption{"psi2", "angle-2"},
    RenamedOption{"r", "radius"},
    RenamedOption{"row", "interval"},
    RenamedOption{"s", "sliding-velocity"},
    RenamedOption{"shortest", "wavelength-from"},
    RenamedOption{"speed2", "speed-2"},
    RenamedOption{"theta", "angle"},
    RenamedOption{"theta1", "angle-1"},
    RenamedOption{"theta2", "angle-2"},
    RenamedOption{"v", "speed"},
    RenamedOption{"v-in", "speed"},
    RenamedOption{"vx", "velocity-x"},
    RenamedOption{"vy", "velocity-y"},
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
  for (const RenamedOption& renamed : kRenamedOptions) {
    if (renamed.old == old && has_option(renamed.current)) return std::string(renamed.current);
  }
  return "";
}

}  // namespace scree
