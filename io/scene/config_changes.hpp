/// \file  What changes on the way, sections [at "TIME"] of a scene, and what a restart changes in
/// the
///        configuration of its checkpoint, and whether it may.
///
/// A run with changes is a run of one configuration after the other: the engine knows nothing of
/// changes, it goes on at the step of a change as after a restart (apps/run/run_loop). In the
/// effective configuration a change lists every value that differs from then on, also those that
/// follow from others, such as the friction of a pair from that of [contact]; so a restart that
/// changes something from now on is a change too, and config.ini is the history of its run.
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
bool CanChangeDuringRun(const IniEntry& entry, ErrorList& errors);

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
/// @param rows  of `before` without changes; a run that makes thousands keeps them
RunConfig AfterChanges(const RunConfig& before, std::span<const SceneChange> made,
                       const IniEntries& rows);
RunConfig AfterChanges(const RunConfig& before, std::span<const SceneChange> made);
/// The same with the first `count` of its own.
inline RunConfig AfterChanges(const RunConfig& config, std::size_t count) {
  return AfterChanges(config, std::span(config.changes).first(count));
}

/// A key whose value differs.
struct ConfigChange {
  std::string section, key;
  std::optional<KeyValue> before, after;  // none: the key has no row

  /// "time.end"
  std::string Path() const;
};

/// All differences between the rows of two configurations, in the order of the second.
std::vector<ConfigChange> ChangesBetween(const IniEntries& before, const IniEntries& after);

/// Makes changes in the rows of a configuration.
/// @returns  what differs now
std::vector<ConfigChange> ChangeRows(std::span<const SceneChange> made, IniEntries& rows);

/// One line "time.end: 0.1 s -> 0.2 s" each.
std::string Describe(const std::vector<ConfigChange>& changes);

/// The configuration of a run that goes on from a checkpoint with other values: those that are
/// physics hold from now on, as a change at this time; a wall, motion or inflow
/// that is new begins now unless it tells when.
/// @param before     that of the checkpoint
/// @param overrides  of what holds now
/// @param path       of the checkpoint, for messages
/// @param step       steps done there
/// @param files      who reads what the overrides name
/// @throws InputError if the values are wrong, or change what may not
RunConfig ApplyRestartChanges(const RunConfig& before, IniEntries overrides,
                              const std::string& path, std::int64_t step, bool physics_may_change,
                              const SceneFiles& files = {});

/// Whether a run may go on with these changes. The end, the output and the distribution over ranks
/// may always change; physics that does not touch the past (what ChangeRule says may change on the
/// way, times that lie ahead, walls and inflows that have not begun) if that is allowed; what the
/// state and the sums at hand depend on never.
/// @param before, after  without changes on the way: as they are at this step
/// @param step           steps done at the checkpoint
/// @throws InputError naming the changes that may not be
void CheckChanges(const RunConfig& before, const RunConfig& after, std::int64_t step,
                  bool physics_may_change);

/// Whether a checkpoint is of the run in whose directory it lies; a checkpoint of another scene has
/// a good digest too.
/// @param here  what the last run in the directory had: that of the checkpoint, or what a restart
///              from it made of it, if that one took none of its own
/// @param step  steps done at the checkpoint
/// @param path, config_path  of both, for messages
/// @returns how the checkpoint differs
/// @throws FileError naming what it cannot differ in, or the physics if that may not change
std::vector<ConfigChange> CheckBelongs(RunConfig checkpoint, const std::string& path,
                                       RunConfig here, const std::string& config_path,
                                       std::int64_t step, bool physics_may_change);

}  // namespace scree
