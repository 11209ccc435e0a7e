/// \file  From a scene's text to a checked RunConfig, and from that to its rows: a value for each
///        key. All that compares or changes configurations goes through the rows; they become text
///        for people and for files alone.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/scene/ini_file.hpp"
#include "io/scene/run_config.hpp"
#include "io/scene/settings.hpp"

namespace scree {

/// Who tells of the particles at time zero or of later ones.
enum class ParticlesFrom {
  kScene,    // which is refused if it has none
  kProgram,  // that may bring its own
};

/// Whether a scene has neither fills nor an inflow nor a file.
bool HasNoParticles(const RunConfig& config);

/// The whole way from text to a checked configuration.
/// @param overrides  entries of the command line, which win over the file's
/// @param files      who reads what these name; alone if not given. Else collective.
/// @throws InputError with everything found wrong, one per line: "scene.ini:12: [time] step: ..."
/// @throws FileError if a file that a key names is missing or damaged
RunConfig ReadRunConfig(std::string_view scene_text, const std::string& file_name,
                        const IniEntries& overrides, ParticlesFrom from = ParticlesFrom::kScene,
                        SceneFiles files = {});

/// The value of each key as it is without changes on the way, in the order in which they are
/// written.
IniEntries RowsOf(RunConfig config);

/// Files of large tables by their names, "tables/DIGEST.csv", which tell their content.
using TableFiles = std::map<std::string, std::string>;

/// A complete scene text in SI that ReadRunConfig turns into the same configuration, bit by bit.
/// @param[in,out] files  if given, gets the tables of more than a thousand numbers, which the text
///                       then only names: each is stored once, however many snapshots have the text
std::string EffectiveIni(const RunConfig& config, TableFiles* files = nullptr);

/// Fills a configuration from settings that are right one by one; what is missing or does not exist
/// goes to `errors`.
RunConfig BuildRunConfig(const Settings& settings, ErrorList& errors);

/// The same, and checks it if there are no errors.
RunConfig BuildCheckedConfig(const Settings& settings, ParticlesFrom from, ErrorList& errors);

/// A configuration with other values of some keys, checked as a whole; without changes on the way.
/// @param name  of where the configuration is from, for messages
/// @throws as ReadRunConfig
RunConfig ChangedConfig(const RunConfig& config, const IniEntries& values, const std::string& name,
                        const SceneFiles& files = {});

/// Adds what is wrong between keys: overlapping fills, a piston that is none, places outside the
/// domain, times that are no whole steps. The place where a layer appears is checked against the
/// walls at time zero only: one that moves there later meets the particles like any other.
/// @pre the configuration was built from these settings without errors
void CheckRunConfig(const RunConfig& config, const Settings& settings, ParticlesFrom from,
                    ErrorList& errors);

}  // namespace scree
