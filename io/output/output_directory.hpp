/// \file  The output directory of a run: file names, and removal of earlier output that leaves
///        other files alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ranks/communicator.hpp"
#include "io/files/directory_lock.hpp"

namespace scree {

inline constexpr const char* kSeriesFile = "series.csv";
inline constexpr const char* kTimingFile = "timing.csv";
inline constexpr const char* kConfigFile = "config.ini";
inline constexpr const char* kLogFile = "run.log";
inline constexpr const char* kIndexFile = "snapshots.xdmf";
inline constexpr const char* kWallsFile = "walls.vtk";
inline constexpr const char* kCheckWallsFile =
    "check_walls.vtk";  // from --check; a run leaves it alone
inline constexpr const char* kCheckShapesFile = "check_shapes.vtk";
inline constexpr const char* kCheckpointFolder = "checkpoints";
inline constexpr const char* kLatestFile =
    "latest";  // in kCheckpointFolder: contains the name of the last checkpoint
inline constexpr const char* kFailedFile = "failed.h5";  // the last state of an invalid simulation

/// First words of our files in `averages`. A user's table with the same name does not begin with
/// them.
inline constexpr const char* kAverageMark = "# Scree average";

/// Path of [average.NAME]'s table relative to the output directory.
std::string AverageFile(const std::string& name);

/// Name of a step's file in a folder of such files: "step_000000001000.h5". Names sort by step.
std::string StepName(std::int64_t step);
/// The step in a name that StepName makes; nothing if the name has another form.
std::optional<std::int64_t> StepOfName(std::string_view name);

/// Path of a step's snapshot relative to the output directory. Names sort by step.
std::string SnapshotFile(std::int64_t step);

/// Path of the contact problem of the step that ends at this step count, relative to the output
/// directory.
std::string ProblemFile(std::int64_t step);

/// Locks the directory against other runs, and creates it if it is missing. Collective.
/// @returns at root, the lock; elsewhere nothing
/// @throws InputError on all ranks if another run writes there; OutputError if the directory cannot
/// be created
[[nodiscard]] std::unique_ptr<DirectoryLock> LockOutputDirectory(const Communicator& communicator,
                                                                 const std::string& directory);

/// Creates the directory and its missing folders. If overwrite is set, removes files that Scree
/// wrote there earlier; all other files stay. Collective.
/// @throws InputError on all ranks if there is earlier output and overwrite is not set
/// @throws OutputError on all ranks if the directory cannot be created or written, or if a pipe or
/// folder has the name of one of our files
void PrepareOutputDirectory(const Communicator& communicator, const std::string& directory,
                            bool overwrite);

/// State of the snapshots that a continued run finds; empty except at root.
struct FoundSnapshots {
  std::vector<std::int64_t> removed;  // steps of snapshots written after the checkpoint
  std::vector<std::int64_t> missing;  // steps of snapshots that should exist, but do not
};

/// Prepares an output directory for a run that continues after a step. Deletes snapshots and
/// contact problems of later steps, the snapshot of that step if it is not in `kept`, the state of
/// a failure, and all temporary files and lock files. Collective.
/// @param kept  steps of the snapshots that should exist
/// @throws OutputError on all ranks if the directory cannot be written
FoundSnapshots ContinueOutputDirectory(const Communicator& communicator,
                                       const std::string& directory, std::int64_t step,
                                       const std::vector<std::int64_t>& kept);

}  // namespace scree
