/// \file  Where a run writes: names, and making room without touching what is not ours.
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
inline constexpr const char* kCheckWallsFile = "check_walls.vtk";  // no run's, so no earlier output
inline constexpr const char* kCheckShapesFile = "check_shapes.vtk";
inline constexpr const char* kCheckpointFolder = "checkpoints";
inline constexpr const char* kLatestFile = "latest";     // in there: the name of the last one
inline constexpr const char* kFailedFile = "failed.h5";  // the last state of an invalid simulation

/// Tells a file of ours in `averages` from a user's own table, as its name cannot.
inline constexpr const char* kAverageMark = "# Scree average";

/// Path of [average.NAME]'s table relative to the output directory.
std::string AverageFile(const std::string& name);

/// Name of a step's file in a folder of such files: "step_000000001000.h5"; names sort by step.
std::string StepName(std::int64_t step);
/// The step of such a name; nothing if it is none.
std::optional<std::int64_t> StepOfName(std::string_view name);

/// Path of a step's snapshot relative to the output directory; names sort by step.
std::string SnapshotFile(std::int64_t step);

/// Path of the contact problem of the step that led to a step, likewise.
std::string ProblemFile(std::int64_t step);

/// Locks the directory, which is made if it is missing, against other runs. Collective.
/// @returns at root, the lock; elsewhere nothing
/// @throws InputError on all ranks if another run writes there; OutputError if it cannot be made
[[nodiscard]] std::unique_ptr<DirectoryLock> LockOutputDirectory(const Communicator& communicator,
                                                                 const std::string& directory);

/// Creates the directory with its folders where they are missing. Files that Scree wrote there
/// earlier are removed if overwrite is set; all others stay. Collective.
/// @throws InputError on all ranks if there is earlier output and overwrite is not set
/// @throws OutputError on all ranks if the directory cannot be made or written, or something else
///         has the name of a file of ours: a pipe, a folder
void PrepareOutputDirectory(const Communicator& communicator, const std::string& directory,
                            bool overwrite);

/// What a run that goes on finds of the snapshots before; at root, elsewhere empty.
struct FoundSnapshots {
  std::vector<std::int64_t> removed;  // steps of those written after the checkpoint
  std::vector<std::int64_t> missing;  // of those that there should be
};

/// Makes an output directory ready to be continued after a step: deletes snapshots of later steps,
/// those of that step which are not among the kept ones, the state of a failure, and all temporary
/// files. Collective.
/// @param kept  steps of the snapshots that there should be
/// @throws OutputError on all ranks if the directory cannot be written
FoundSnapshots ContinueOutputDirectory(const Communicator& communicator,
                                       const std::string& directory, std::int64_t step,
                                       const std::vector<std::int64_t>& kept);

}  // namespace scree
