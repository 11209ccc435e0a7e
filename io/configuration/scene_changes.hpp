/// \file  What changes on the way: sections [at "TIME"] of a scene.
///
/// A run with changes is a run of one configuration after the other: the engine knows nothing of
/// changes, it goes on at the step of a change as after a restart (apps/run_loop). In the effective
/// configuration a change lists every value that differs from then on, also those that follow from
/// others, such as the friction of a pair from that of [contact]; so a restart that changes
/// something from now on is a change too, and config.ini is the history of its run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/configuration/config_reader.hpp"
#include "io/configuration/run_config.hpp"

namespace scree {

/// One [at "TIME"] as it is given.
struct ChangeSection {
  double time = 0.0;   // [s], > 0
  std::string where;   // scene.ini:12: [at "0.5 s"]
  IniEntries entries;  // split into section and key; `where` is with the section
};

/// Takes these sections out of a file, in the order of their times; what is wrong with their times
/// or is no "section.key" goes to `errors`.
std::vector<ChangeSection> TakeChangeSections(IniFile& file, ErrorList& errors);

/// The name of the section: at "0.5 s".
std::string ChangeSectionName(double time);
bool IsChangeSection(const std::string& name);

/// Adds an error if the key of an entry of [at "TIME"] cannot change on the way.
/// @returns whether it can, or is unknown
bool MayChangeOnTheWay(const IniEntry& entry, ErrorList& errors);

/// Steps done when a change is made: the first with a time that reaches its own.
std::int64_t StepOf(const SceneChange& change, double dt);

/// How many of the changes have been made before a step that begins after so many steps.
std::size_t ChangesBy(const RunConfig& config, std::int64_t steps);

/// The values of a change as entries, as those of the command line.
IniEntries EntriesOf(const SceneChange& change);

/// Makes one change after the other, each as if its values were given on the command line: the
/// whole scene is checked as it is from then on.
/// @param settings  of the scene at the start
/// @param first     what it is then
/// @returns  all that differs from each moment on; moments at which nothing does are left out
std::vector<SceneChange> ReadChanges(Settings settings, const std::vector<ChangeSection>& sections,
                                     const RunConfig& first, ParticlesFrom from, ErrorList& errors);

/// The configuration `before` with these of its changes made: one that has none left. Meshes stay
/// loaded.
RunConfig AfterChanges(const RunConfig& before, std::span<const SceneChange> made);
/// The same with the first `count` of its own.
inline RunConfig AfterChanges(const RunConfig& config, std::size_t count) {
  return AfterChanges(config, std::span(config.changes).first(count));
}

}  // namespace scree
