/// \file  Converts the text of a scene to a checked RunConfig, and a RunConfig to rows, one value
///        per key. Configurations are compared and changed as rows; text is only for users and
///        files.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/scene/ini_file.hpp"
#include "io/scene/run_config.hpp"
#include "io/scene/settings.hpp"

namespace scree {

/// Who provides particles.
enum class ParticlesFrom {
  kScene,    // a scene without particles is an error
  kProgram,  // the calling program may add particles
};

/// Whether a scene has no fills, no inflow and no file of particles.
bool HasNoParticles(const RunConfig& config);

/// Reads and checks the configuration in a scene's text.
/// @param overrides  entries of the command line, which replace those of the file
/// @param files      how to read files that the entries name. Collective if this has a
/// communicator.
/// @throws InputError with all errors, one per line: "scene.ini:12: [time] step: ..."
/// @throws FileError if a file that a key names is missing or damaged
RunConfig ReadRunConfig(std::string_view scene_text, const std::string& file_name,
                        const IniEntries& overrides, ParticlesFrom source = ParticlesFrom::kScene,
                        SceneFiles files = {});

/// The value of each key in the order of writing, without changes during the run.
IniEntries RowsOf(RunConfig config);

/// Contents of the files of large tables, by file name "tables/DIGEST.csv".
using TableFiles = std::map<std::string, std::string>;

/// A complete scene text in SI that ReadRunConfig turns into the same configuration, bit by bit.
/// @param[in,out] files  if not null, receives the tables of more than a thousand numbers; the text
///                       then has only their file names, so that all snapshots share one copy
std::string EffectiveIni(const RunConfig& config, TableFiles* files = nullptr);

/// Builds a configuration from settings in which each single value is valid. Missing keys and
/// unknown names go to `errors`.
RunConfig BuildRunConfig(const Settings& settings, ErrorList& errors);

/// Builds the configuration, and checks it if there are no errors.
RunConfig BuildCheckedConfig(const Settings& settings, ParticlesFrom source, ErrorList& errors);

/// The configuration with other values of some keys, checked as a whole, without changes during the
/// run.
/// @param name  source of the configuration, for messages
/// @throws as ReadRunConfig
RunConfig ChangedConfig(const RunConfig& config, const IniEntries& values, const std::string& name,
                        const SceneFiles& files = {});

/// Adds errors that concern several keys: a lattice spacing below the diameter, a piston that is
/// not a plane, positions outside the domain, times that are not whole steps. The position of an
/// inserted layer is checked only against the walls at time zero. A wall that moves there later
/// touches the particles as usual.
/// @pre the configuration was built from these settings without errors
void CheckRunConfig(const RunConfig& config, const Settings& settings, ParticlesFrom source,
                    ErrorList& errors);

}  // namespace scree
