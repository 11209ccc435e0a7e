/// \file  Applies changes of a configuration, by sections [at "TIME"] of a scene or by a restart,
///        and checks whether they are allowed.
///
/// A run with changes uses one configuration after the other. The engine does not know about
/// changes: at the step of a change it continues as after a restart (apps/run/run_loop). In the
/// effective configuration a change lists every value that differs from then on, including derived
/// values, such as the friction of a pair that is taken from [contact]. A restart with new
/// values is also stored as a change, so config.ini is the history of the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/scene/config_reader.hpp"
#include "io/scene/run_config.hpp"

namespace scree {

/// One section [at "TIME"] as given.
struct ChangeSection {
  double time = 0.0;     // [s], > 0
  std::string location;  // scene.ini:12: [at "0.5 s"]
  IniEntries entries;    // with separate section and key, not "section.key"
};

/// Removes the sections [at "TIME"] from a file and returns them in the order of their times. Bad
/// times, and keys that are not "section.key", go to `errors`.
std::vector<ChangeSection> ExtractChangeSections(IniFile& file, ErrorList& errors);

/// The name of the section: at "0.5 s".
std::string ChangeSectionName(double time);
bool IsChangeSection(const std::string& name);

/// Adds an error if the key of an entry of [at "TIME"] cannot change during the run.
/// @returns true if the key can change or is unknown
bool CanChangeDuringRun(const IniEntry& entry, ErrorList& errors);

/// The number of completed steps at which a change is made: the smallest whose time is at or after
/// the time of the change.
std::int64_t StepOf(const SceneChange& change, double dt);

/// Number of changes that apply to the next step once `steps` steps are completed.
std::size_t ChangeCount(const RunConfig& config, std::int64_t steps);

/// The values of a change as entries, like those of the command line.
IniEntries EntriesOf(const SceneChange& change);

/// Applies one change after the other as if its values were given on the command line, and checks
/// the whole scene after each.
/// @param settings  of the scene at the start
/// @param first     the configuration at the start
/// @returns  the values that differ from each time on; times at which nothing differs are omitted
std::vector<SceneChange> ReadChanges(Settings settings, const std::vector<ChangeSection>& sections,
                                     const RunConfig& first, ParticlesFrom source,
                                     ErrorList& errors);

/// The configuration `before` with these changes applied. The result lists no changes; meshes
/// stay loaded.
/// @param rows  rows of `before` without its changes. A run with thousands of changes updates them
/// with ChangeRows, because RowsOf would take longer
RunConfig AfterChanges(const RunConfig& before, std::span<const SceneChange> applied,
                       const IniEntries& rows);
/// The same with rows computed from `before`.
RunConfig AfterChanges(const RunConfig& before, std::span<const SceneChange> applied);
/// The same with the first `count` changes of the configuration itself.
inline RunConfig AfterChanges(const RunConfig& config, std::size_t count) {
  return AfterChanges(config, std::span(config.changes).first(count));
}

/// A key whose value differs between two configurations.
struct ConfigChange {
  std::string section, key;
  std::optional<KeyValue> before, after;  // empty: the key has no row

  /// "time.end"
  std::string Path() const;
};

/// All differences between the rows of two configurations, in the order of the second; keys that
/// are only in the first come last.
std::vector<ConfigChange> ChangesBetween(const IniEntries& before, const IniEntries& after);

/// Applies changes to the rows of a configuration.
/// @returns  the differences between the old and the new rows
std::vector<ConfigChange> ChangeRows(std::span<const SceneChange> applied, IniEntries& rows);

/// One line "time.end: 0.1 s -> 0.2 s" for each change.
std::string Describe(const std::vector<ConfigChange>& changes);

/// The configuration of a run that continues from a checkpoint with other values. New physical
/// values become a change at the checkpoint's time. A new wall, motion or inflow begins at that
/// time unless it gives another time.
/// @param before     configuration in the checkpoint
/// @param overrides  values that replace those at the checkpoint's step
/// @param path       path of the checkpoint, for messages
/// @param step       steps done at the checkpoint
/// @param files      how to read files that the overrides name
/// @throws InputError if a value is wrong or must not change
RunConfig ApplyRestartChanges(const RunConfig& before, IniEntries overrides,
                              const std::string& path, std::int64_t step, bool physics_may_change,
                              const SceneFiles& files = {});

/// Checks whether a run may continue with these changes. Values that are not physics, such as the
/// end and the output, may always change (AtAnyRestart). Physics that does not affect the past may
/// change if the caller allows it: values that may change during the run (ChangeRule), future
/// times, and walls and inflows that have not begun. Values on which the current state and sums
/// depend must never change.
/// @param before, after  configurations at this step, without later changes
/// @param step           steps done at the checkpoint
/// @throws InputError naming the changes that are not allowed
void CheckChanges(const RunConfig& before, const RunConfig& after, std::int64_t step,
                  bool physics_may_change);

/// Checks that a checkpoint belongs to the run whose directory it is in. The digest cannot show
/// this, because a checkpoint of another scene also has a valid digest.
/// @param last_run  configuration of the last run in the directory. It may differ from the one in
/// the checkpoint, because a restart with new values may have ended before its first checkpoint
/// @param step  steps done at the checkpoint
/// @param path, config_path  paths of the checkpoint and of last_run, for messages
/// @returns the differences between the two configurations
/// @throws FileError naming the differences that are not allowed: constant values, and physics
/// unless physics_may_change
std::vector<ConfigChange> CheckBelongs(RunConfig checkpoint, const std::string& path,
                                       RunConfig last_run, const std::string& config_path,
                                       std::int64_t step, bool physics_may_change);

}  // namespace scree
