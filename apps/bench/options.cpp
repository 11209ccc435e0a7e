#include "apps/bench/options.hpp"

#include <cmath>
#include <limits>
#include <sstream>

#include "io/command_line/app_options.hpp"
#include "io/scene/units.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// Options that apply to a packing or its box, not to a scene.
constexpr const char* kPackingOptions[] = {
    "tile",      "output",          "step", "friction", "density", "gravity", "sweeps",
    "threshold", "error-reduction", "skin", "open-top"};

/// Removes the keys of a scene from the arguments: "--section.key value" or "--section.key=value".
std::vector<std::string> TakeSceneKeys(std::vector<std::string>& arguments) {
  std::vector<std::string> keys, others;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const std::string& argument = arguments[k];
    const bool is_key = argument.starts_with("--") && argument.find('.') < argument.find('=');
    (is_key ? keys : others).push_back(argument);
    const bool has_value = argument.find('=') != argument.npos;
    if (is_key && !has_value && k + 1 < arguments.size()) keys.push_back(arguments[++k]);
  }
  arguments = others;
  return keys;
}

RelativeLength ReadThreshold(const std::string& text) {
  RelativeLength threshold;
  threshold.in_diameters = text.ends_with('d');
  try {
    threshold.value = threshold.in_diameters
                          ? ReadNumber("--threshold", text.substr(0, text.size() - 1))
                          : ReadQuantities(text, 1, kLength).front();
  } catch (const InputError& error) {
    throw InputError(Text("--threshold '", text, "': ", error.what(),
                          "; expected diameters such as 0.01d or a length such as \"5 um\""));
  }
  RequireRange("--threshold", threshold.value, 0.0, kUnbounded);
  return threshold;
}

void RequirePositive(const std::string& name, double value) {
  if (!(value > 0.0)) throw InputError(Text("--", name, " = ", value, " must be above 0"));
}

/// @returns a length, or a negative number for auto
double ReadSkin(const std::string& text) {
  if (text == "auto") return -1.0;
  const double skin = ReadNumber("--skin", text);
  RequirePositive("skin", skin);
  return skin;
}

std::array<int, 3> ReadTile(const std::string& text) {
  const std::vector<double> numbers = ReadNumbers("--tile", text, 3);
  std::array<int, 3> tile = {};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double number = numbers[axis];
    if (!(number >= 1.0 && number <= 10000.0) || number != std::floor(number)) {
      throw InputError(Text("--tile ", text, ": expected three whole numbers from 1 to 10000"));
    }
    tile[axis] = static_cast<int>(number);
  }
  return tile;
}

/// Reads the solver keys of a packing: "--solver.key value" or "--solver.key=value".
std::vector<IniEntry> ReadSolverKeys(const std::vector<std::string>& words) {
  constexpr std::string_view kSection = "--solver.";
  std::vector<IniEntry> keys;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::string& word = words[k];
    if (!word.starts_with(kSection)) {
      throw InputError(
          word + ": keys of a scene are for --scene; with a packing use only keys of [solver]");
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (equals == word.npos && k + 1 == words.size()) {
      throw InputError(name + ": has no value; expected " + name + " VALUE");
    }
    const std::string value = equals == word.npos ? words[++k] : word.substr(equals + 1);
    keys.push_back({"solver", name.substr(kSection.size()), value, name});
  }
  return keys;
}

std::vector<std::string> SplitWords(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, separator);) words.push_back(word);
  return words;
}

/// Reads one or more whole numbers of at least 1, separated by spaces.
/// @param noun  what the numbers count, for errors
std::vector<int> ReadCounts(const std::string& option, const std::string& text,
                            const std::string& noun, const std::string& example) {
  std::vector<int> numbers;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    const double number = ReadNumber(option, word);
    RequireRange(option, number, 1, 1e6);
    numbers.push_back(static_cast<int>(number));
    if (numbers.back() != number) {
      throw InputError(Text(option, ": '", word, "' is not a whole number of ", noun));
    }
  }
  if (numbers.empty()) {
    throw InputError(Text(option, ": is empty; expected numbers of ", noun, " such as ", example));
  }
  return numbers;
}

/// One variant: "key=value key=value".
SolverVariant ReadVariant(const std::string& text) {
  SolverVariant variant;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == 0 || equals == word.npos || equals + 1 == word.size()) {
      throw InputError(Text("--variants: '", word, "' is not KEY=VALUE with a key of [solver], ",
                            "such as \"warm_start=no; scheme=jacobi order=forward\""));
    }
    const std::string key = word.substr(0, equals);
    if (key == "sweeps") {
      throw InputError(Text("--variants: '", word, "': give sweeps by --convergence"));
    }
    variant.keys.push_back({"solver", key, word.substr(equals + 1), "--variants"});
    variant.name += (variant.name.empty() ? "" : " ") + word;
  }
  if (variant.name.empty()) variant.name = "as run";
  return variant;
}

void ReadConvergenceMode(const AppOptions& options, const std::string& convergence,
                         const std::string& variants, BenchOptions& bench) {
  if (!options.IsGiven("convergence")) {
    if (options.IsGiven("variants")) throw InputError("--variants: requires --convergence");
    return;
  }
  if (options.IsGiven("steps")) {
    throw InputError("--steps: cannot be used with --convergence, which does one step per row");
  }
  bench.convergence = ReadCounts("--convergence", convergence, "sweeps", "\"1 2 5 10\"");
  for (const std::string& text : SplitWords(variants, ';'))
    bench.variants.push_back(ReadVariant(text));
  if (bench.variants.empty()) bench.variants.push_back(ReadVariant(""));
}

void ReadImbalanceMode(const AppOptions& options, const std::string& imbalance,
                       BenchOptions& bench) {
  if (!options.IsGiven("imbalance")) return;
  for (const char* other : {"convergence", "repeat"}) {
    if (options.IsGiven(other)) {
      throw InputError(Text("--", other, ": cannot be used with --imbalance"));
    }
  }
  bench.imbalance = ReadCounts("--imbalance", imbalance, "ranks", "\"16 64\"");
}

void RequireOneSource(const AppOptions& options) {
  const int sources =
      options.IsGiven("packing") + options.IsGiven("scene") + options.IsGiven("generate");
  if (sources == 1) return;
  throw InputError(Text(sources == 0 ? "nothing to measure" : "more than one source of particles",
                        "; expected one of --packing FILE, --scene FILE, --generate N"));
}

void RejectPackingOptions(const AppOptions& options, const BenchOptions& bench) {
  if (bench.scene.empty()) {
    return;
  }
  for (const char* name : kPackingOptions) {
    if (options.IsGiven(name)) {
      throw InputError(Text("--", name, " is for packings; a --scene has keys for this, ",
                            "see scree-run --help"));
    }
  }
}

void RequireRanges(const AppOptions& options, const BenchOptions& bench) {
  if (options.IsGiven("generate")) RequireRange("--generate", bench.generate, 100, 10'000'000);
  RequireRange("--steps", bench.steps, 0, kUnbounded);
  RequireRange("--warm-up", bench.warm_up, 0, kUnbounded);
  RequireRange("--repeat", bench.repeat, 1, kUnbounded);
  RequirePositive("step", bench.box.dt);
  RequirePositive("density", bench.box.density);
  RequireRange("--friction", bench.box.friction, 0.0, kUnbounded);
  RequireRange("--gravity", bench.box.gravity, 0.0, kUnbounded);
  RequireRange("--error-reduction", bench.box.error_reduction, 0.0, 1.0);
  RequireRange("--sweeps", bench.box.sweeps, 1, 1e6);
  if (!bench.out.empty() && !bench.out.ends_with(".csv") && !bench.out.ends_with(".h5")) {
    throw InputError(Text("--output ", bench.out, " is of unknown kind; expected .h5 or .csv"));
  }
}

}  // namespace

std::optional<BenchOptions> ParseBenchOptions(const std::vector<std::string>& arguments,
                                              std::string& help) {
  AppOptions options(
      "scree-bench",
      "Measures how fast the engine is, on as many ranks as mpirun starts: contact relaxations\n"
      "and particle-steps per second, time per phase, memory, and the memory bandwidth of the\n"
      "machine. A packing is put into a closed box with gravity along -z. Only contacts with\n"
      "gaps up to a threshold are active, unless --solver.speculative yes is given.\n"
      "Values have units as in scenes; without a unit they are in SI.");
  BenchOptions bench;
  std::string threshold = "0.01d", tile = "1,1,1", skin = "auto", convergence, variants, imbalance;
  options.Add("packing", bench.packing,
              "file of spheres in a closed box: a snapshot, or a table .csv or .csv.gz with the\n"
              "      columns x,y,z,radius and a line \"# box lx ly lz\"");
  options.Add("scene", bench.scene,
              "scene file of scree-run; output and averages are left out; change its keys by\n"
              "      --section.key value");
  options.Add("generate", bench.generate,
              "make a dense packing of N spheres by simulation, N >= 100; none if not given");
  options.Add("tile", tile, "number of copies of the packing along x, y and z");
  options.Add("output", bench.out, "write the packing to this file, .h5 or .csv");
  options.Add("steps", bench.steps, "steps to measure; 0: none");
  options.Add("warm-up", bench.warm_up, "steps before the measured steps");
  options.Add("repeat", bench.repeat, "number of measurements; the report has the median time");
  options.Add(
      "convergence", convergence,
      "numbers of sweeps, such as \"1 2 5 10\": prints a table of the residual, the time in\n"
      "      sweeps and the largest penetration of one step after the warm-up; all rows start\n"
      "      from the same particles and impulses");
  options.Add("variants", variants,
              "with --convergence: adds rows with other values of keys of [solver]; semicolons\n"
              "      separate variants; an empty variant changes nothing: \"; warm_start=no; "
              "scheme=jacobi\"");
  options.Add(
      "imbalance", imbalance,
      "numbers of ranks, such as \"16 64\": prints a table of the load imbalance (max/mean)\n"
      "      that the steps would have on them, instead of times");
  options.Add("threshold", threshold,
              "contacts up to this gap are active: a length, or 0.01d for 0.01 diameters of the "
              "largest sphere");
  options.Add("sweeps", bench.box.sweeps, "relaxations of each contact per step");
  options.Add("step", bench.box.dt, "time step");
  options.Add("friction", bench.box.friction, "friction coefficient of all contacts");
  options.Add("density", bench.box.density, "density");
  options.Add("gravity", bench.box.gravity, "gravity along -z");
  options.Add("error-reduction", bench.box.error_reduction,
              "fraction of an overlap removed in one step");
  options.Add("open-top", bench.box.open_top,
              "remove the ceiling, because overlaps in a closed box may be impossible to resolve");
  options.Add("skin", skin, "extra reach of the neighbour list [m], or auto");
  std::vector<std::string> other_arguments = arguments;
  bench.scene_keys = TakeSceneKeys(other_arguments);
  if (!options.Parse(other_arguments)) {
    help = options.Help();
    return std::nullopt;
  }
  RequireOneSource(options);
  RejectPackingOptions(options, bench);
  RequireRanges(options, bench);
  bench.box.threshold = ReadThreshold(threshold);
  bench.box.skin = ReadSkin(skin);
  bench.tile = ReadTile(tile);
  if (bench.scene.empty()) bench.solver_keys = ReadSolverKeys(bench.scene_keys);
  ReadConvergenceMode(options, convergence, variants, bench);
  ReadImbalanceMode(options, imbalance, bench);
  return bench;
}

}  // namespace scree
