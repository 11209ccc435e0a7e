/// \file  The case that scree-bench measures: a packing in a closed box, or any scene.
#pragma once

#include <string>
#include <vector>

#include "apps/bench/options.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/ranks/subdomains.hpp"
#include "engine/step/time_step.hpp"
#include "io/scene/ini_file.hpp"
#include "io/scene/run_config.hpp"

namespace scree {

struct BenchCase {
  RunConfig config;
  Subdomains subdomains;
  State state;
  std::string source;  // name of the packing or scene, for the report
};

/// The configuration with new values of some keys of [solver].
/// @throws InputError naming the key
RunConfig WithSolverKeys(RunConfig config, const std::vector<IniEntry>& keys);

/// Reads or makes the particles that the options select. Collective.
/// @throws InputError, FileError, SimulationError on all ranks
BenchCase MakeBenchCase(const Communicator& communicator, const BenchOptions& options);

/// Writes the particles as a snapshot (.h5) or a table (.csv). Collective.
/// @pre the lower corner of the domain is the origin, as for every packing
/// @throws OutputError on all ranks
void WritePacking(const Communicator& communicator, const BenchCase& bench,
                  const std::string& path);

}  // namespace scree
