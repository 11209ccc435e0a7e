/// \file  Where a run writes: names, and making room without touching what is not ours.
#pragma once

#include <cstdint>
#include <string>

#include "engine/communicator.hpp"

namespace scree {

inline constexpr const char* kSeriesFile = "series.csv";
inline constexpr const char* kTimingFile = "timing.csv";
inline constexpr const char* kConfigFile = "config.ini";
inline constexpr const char* kLogFile = "run.log";
inline constexpr const char* kIndexFile = "snapshots.xdmf";
inline constexpr const char* kWallsFile = "walls.vtk";
inline constexpr const char* kCheckWallsFile = "check_walls.vtk";  // no run's, so no earlier output
inline constexpr const char* kFailedFile = "failed.h5";  // the last state of an invalid simulation

/// Tells a file of ours in `averages` from a user's own table, as its name cannot.
inline constexpr const char* kAverageMark = "# Scree average";

/// Path of [average.NAME]'s table relative to the output directory.
std::string AverageFile(const std::string& name);

/// Path of a step's snapshot relative to the output directory; names sort by step.
std::string SnapshotFile(std::int64_t step);

/// Creates the directory with its folders `snapshots` and `averages` where they are missing. Files
/// that Scree wrote there earlier are removed if overwrite is set; all others stay. Collective.
/// @throws InputError on all ranks if there is earlier output and overwrite is not set
/// @throws OutputError on all ranks if the directory cannot be made or written
void PrepareOutputDirectory(const Communicator& communicator, const std::string& directory,
                            bool overwrite);

}  // namespace scree
