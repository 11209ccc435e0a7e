/// \file  What a restart changes in the configuration of its checkpoint, and whether it may.
#pragma once

#include <string>
#include <vector>

#include "io/configuration/run_config.hpp"

namespace scree {

/// A key whose value differs.
struct ConfigChange {
  std::string key;     // "time.end"
  std::string before;  // empty: the key was not there
  std::string after;   // empty: it is not there any more
};

/// All differences between two effective configurations, in the order of the second.
std::vector<ConfigChange> ChangesBetween(const std::string& before, const std::string& after);

/// One line "time.end: 0.1 s -> 0.2 s" each.
std::string Describe(const std::vector<ConfigChange>& changes);

/// Whether a run may go on with these changes. The end, the output and the distribution over ranks
/// may always change, the physics if that is allowed; what the state and the sums at hand depend on
/// (the step, walls' velocities, the inflow, what an average averages) never.
/// @param step  steps done at the checkpoint
/// @throws InputError naming the changes that may not be
void CheckChanges(const RunConfig& before, const RunConfig& after, std::int64_t step,
                  bool physics_may_change);

/// Whether a checkpoint is of the run in whose directory it lies; a checkpoint of another scene has
/// a good digest too.
/// @param here  what the last run in the directory had: that of the checkpoint, or what a restart
///              from it made of it, if that one took none of its own
/// @param path, config_path  of both, for messages
/// @returns how the checkpoint differs
/// @throws FileError naming what it cannot differ in, or the physics if that may not change
std::vector<ConfigChange> CheckBelongs(RunConfig checkpoint, const std::string& path,
                                       RunConfig here, const std::string& config_path,
                                       bool physics_may_change);

}  // namespace scree
