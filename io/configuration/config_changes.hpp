/// \file  What a restart changes in the configuration of its checkpoint, and whether it may.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/configuration/config_reader.hpp"
#include "io/configuration/run_config.hpp"

namespace scree {

/// A key whose value differs.
struct ConfigChange {
  std::string section, key;
  std::optional<KeyValue> before, after;  // none: the key has no row

  /// "time.end"
  std::string Path() const;
};

/// All differences between the rows of two configurations, in the order of the second.
std::vector<ConfigChange> ChangesBetween(const IniEntries& before, const IniEntries& after);

/// One line "time.end: 0.1 s -> 0.2 s" each.
std::string Describe(const std::vector<ConfigChange>& changes);

/// The configuration of a run that goes on from a checkpoint with other values: those that are
/// physics hold from now on, as a change at this time (scene_changes.hpp); a wall, motion or inflow
/// that is new begins now unless it tells when.
/// @param before     that of the checkpoint
/// @param overrides  of what holds now
/// @param path       of the checkpoint, for messages
/// @param step       steps done there
/// @param files      who reads what the overrides name
/// @throws InputError if the values are wrong, or change what may not
RunConfig GoOnWith(const RunConfig& before, IniEntries overrides, const std::string& path,
                   std::int64_t step, bool physics_may_change, const SceneFiles& files = {});

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
