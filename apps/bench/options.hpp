/// \file  The command line of scree-bench.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "io/scene/ini_file.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// A length from the command line, in metres or in diameters of the largest sphere.
struct RelativeLength {
  double value = 0.0;
  bool in_diameters = false;

  double InMetres(double diameter) const { return in_diameters ? value * diameter : value; }
};

/// New values of keys of [solver], for one step.
struct SolverVariant {
  std::string name;
  std::vector<IniEntry> keys;  // empty: the case is unchanged
};

/// The scene around a packing: a closed box. The defaults are those of the published comparisons.
struct PackingOptions {
  double dt = 1e-5;              // [s]
  double friction = 0.4;         // of all contacts [-]
  double density = 2650.0;       // [kg/m^3]
  double gravity = 9.81;         // along -z [m/s^2]
  double error_reduction = 0.8;  // [-]
  int sweeps = 10;
  bool open_top = false;                    // no ceiling, and a higher domain
  RelativeLength threshold = {0.01, true};  // contacts up to this gap are active
  double skin = -1.0;                       // of the neighbour list [m]; < 0: automatic
};

struct BenchOptions {
  // The source of the particles: exactly one of these is given.
  std::string packing;  // file
  std::string scene;    // file
  int generate = 0;     // number of spheres

  PackingOptions box;                   // with packing or generate
  std::array<int, 3> tile = {1, 1, 1};  // copies of the packing along each axis
  std::string out;                      // file for the packing; empty: not written
  std::vector<std::string> scene_keys;  // "--section.key", "value" or "--section.key=value"
  std::vector<IniEntry> solver_keys;    // with packing or generate

  int steps = 100;   // measured; 0: none
  int warm_up = 20;  // steps before the measured ones
  int repeat = 1;    // measurements

  // Instead of measured steps: one step for each number of sweeps and each variant.
  std::vector<int> convergence;         // empty: steps are measured
  std::vector<SolverVariant> variants;  // with convergence: at least one

  // Instead of times: the load balance on these numbers of ranks.
  std::vector<int> imbalance;  // empty: steps are measured
};

/// @param arguments  the arguments after the program's name
/// @returns nothing if the user asked for help; `help` is then the text
/// @throws InputError naming the option, its value and the valid values
std::optional<BenchOptions> ParseBenchOptions(const std::vector<std::string>& arguments,
                                              std::string& help);

}  // namespace scree
