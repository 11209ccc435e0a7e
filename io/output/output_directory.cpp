#include "io/output/output_directory.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/files/collective_call.hpp"
#include "io/files/digest.hpp"
#include "io/files/regular_file.hpp"
#include "io/scene/table_files.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSnapshotFolder = "snapshots";
constexpr const char* kProblemFolder = "problems";
constexpr std::array<const char*, 4> kFolders = {kSnapshotFolder, "averages", kCheckpointFolder,
                                                 kProblemFolder};
constexpr std::string_view kStepPrefix = "step_";
constexpr std::string_view kStepSuffix = ".h5";
constexpr std::size_t kStepDigits = 12;
constexpr std::array kSingleFiles = {kSeriesFile, kTimingFile, kConfigFile, kLogFile,
                                     kIndexFile,  kWallsFile,  kFailedFile};

/// MPI-IO makes lock files NAME-...lock. A killed run leaves them behind.
constexpr std::string_view kLockSuffix = ".lock";

/// The file to which a temporary file, lock or digest belongs. Other names are returned unchanged.
std::string_view OwnerOf(std::string_view name) {
  if (name.ends_with(kLockSuffix)) name = name.substr(0, name.find('-'));
  for (const std::string& suffix : {TemporaryName(""), DigestName("")}) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  return name;
}

/// Whether StepName made this name, or the name of the file to which this one belongs.
bool IsStepFile(std::string_view name) { return StepOfName(OwnerOf(name)).has_value(); }

bool IsAverage(const fs::path& path) {
  if (!fs::is_regular_file(path)) return false;  // reading a pipe would block
  std::string start(std::string_view(kAverageMark).size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(start.data(), static_cast<std::streamsize>(start.size())) &&
         start == kAverageMark;
}

bool IsCheckpointFile(const fs::path& path) {
  const std::string name = path.filename().string();
  return IsStepFile(name) || name == kLatestFile || name == TemporaryName(kLatestFile);
}

bool IsKeptTable(const fs::path& path) {
  return fs::is_regular_file(path) && !DigestInName(path).empty();
}

/// Adds the files of runs in a folder, if the folder exists.
template <class IsRunFile>
void FindFilesIn(const fs::path& folder, IsRunFile&& is_run_file, std::vector<fs::path>& found) {
  if (!fs::is_directory(folder)) return;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (is_run_file(entry.path())) found.push_back(entry.path());
  }
}

std::vector<fs::path> FindEarlierOutput(const fs::path& directory) {
  std::vector<fs::path> paths;
  for (const char* name : kSingleFiles) {
    for (const fs::path& path :
         {directory / name, directory / TemporaryName(name), directory / DigestName(name)}) {
      if (fs::is_regular_file(path) || fs::is_symlink(path)) paths.push_back(path);
    }
  }
  const auto is_step_file = [](const fs::path& path) {
    return IsStepFile(path.filename().string());
  };
  FindFilesIn(directory / kSnapshotFolder, is_step_file, paths);
  FindFilesIn(directory / kProblemFolder, is_step_file, paths);
  FindFilesIn(directory / "averages", IsAverage, paths);
  FindFilesIn(directory / kCheckpointFolder, IsCheckpointFile, paths);
  FindFilesIn(directory / kTableFolder, IsKeptTable, paths);
  return paths;
}

void MakeFolders(const fs::path& directory) {
  for (const char* folder : kFolders) fs::create_directories(directory / folder);
}

/// Tests the permissions by writing, because an existing folder may belong to another user.
void RequireWritable(const fs::path& directory) {
  std::vector<const char*> folders = {""};
  folders.insert(folders.end(), kFolders.begin(), kFolders.end());
  for (const char* folder : folders) {
    const std::string probe = directory / folder / ".scree_write_test";
    const int file = CreateNewFile(probe);
    if (file < 0) throw OutputError(Text("cannot write '", probe, "': ", std::strerror(errno)));
    close(file);
    fs::remove(probe);
  }
}

/// Requires that the names of a run's files belong to regular files or to nothing. Otherwise a run
/// could follow a link out of the directory, or block on a pipe.
/// @param removed  paths that are removed before the run writes, and are not checked
void RequireNoSpecialFiles(const fs::path& directory, std::span<const fs::path> removed = {}) {
  for (const char* name : kSingleFiles) {
    for (const fs::path& path : {directory / name, directory / TemporaryName(name)}) {
      if (std::ranges::find(removed, path) == removed.end()) RequireRegularFileOrNone(path);
    }
  }
}

}  // namespace

std::string AverageFile(const std::string& name) { return "averages/" + name + ".csv"; }

std::string StepName(std::int64_t step) {
  const std::string digits = std::to_string(step);
  const std::size_t missing = kStepDigits - std::min(kStepDigits, digits.size());
  return Text(kStepPrefix, std::string(missing, '0'), digits, kStepSuffix);
}

std::optional<std::int64_t> StepOfName(std::string_view name) {
  if (!name.starts_with(kStepPrefix)) return std::nullopt;
  const std::string_view digits = name.substr(kStepPrefix.size());
  std::int64_t step = -1;
  std::from_chars(digits.data(), digits.data() + digits.size(), step);
  // Accepts only the exact form that StepName writes, so that each step has one name.
  return step >= 0 && name == StepName(step) ? std::optional(step) : std::nullopt;
}

std::string SnapshotFile(std::int64_t step) {
  return std::string(kSnapshotFolder) + "/" + StepName(step);
}

std::string ProblemFile(std::int64_t step) {
  return std::string(kProblemFolder) + "/" + StepName(step);
}

std::unique_ptr<DirectoryLock> LockOutputDirectory(const Communicator& communicator,
                                                   const std::string& directory) {
  std::unique_ptr<DirectoryLock> lock;
  std::string in_use;
  CallOnRoot<OutputError>(communicator, [&] {
    try {
      lock = std::make_unique<DirectoryLock>(directory);
    } catch (const InputError& error) {
      in_use = error.what();
    }
  });
  ThrowIfAny<InputError>(communicator, in_use);
  return lock;
}

void PrepareOutputDirectory(const Communicator& communicator, const std::string& directory,
                            bool overwrite) {
  std::vector<fs::path> earlier;
  CallOnRoot<OutputError>(communicator, [&] { earlier = FindEarlierOutput(directory); });
  CallOnRoot<InputError>(communicator, [&] {
    if (overwrite || earlier.empty()) return;
    throw InputError(Text("output.directory = '", directory, "' already holds ", earlier.size(),
                          " file(s) of an earlier run, such as '", earlier.front().string(),
                          "'; choose another directory or give --overwrite"));
  });
  CallOnRoot<OutputError>(communicator, [&] {
    RequireNoSpecialFiles(directory, earlier);
    MakeFolders(directory);
    RequireWritable(directory);
    for (const fs::path& path : earlier) fs::remove(path);  // last, so that an error loses nothing
  });
}

FoundSnapshots ContinueOutputDirectory(const Communicator& communicator,
                                       const std::string& directory, std::int64_t step,
                                       const std::vector<std::int64_t>& kept) {
  FoundSnapshots snapshots;
  CallOnRoot<OutputError>(communicator, [&] {
    RequireNoSpecialFiles(directory);
    MakeFolders(directory);
    RequireWritable(directory);
    for (const fs::path& path : FindEarlierOutput(directory)) {
      const bool is_snapshot = path.parent_path().filename() == kSnapshotFolder;
      const std::string name = path.filename().string();
      const auto snapshot_step = is_snapshot ? StepOfName(OwnerOf(name)) : std::nullopt;
      const bool is_later = snapshot_step && *snapshot_step >= step &&
                            std::count(kept.begin(), kept.end(), *snapshot_step) == 0;
      const bool is_problem = path.parent_path().filename() == kProblemFolder;
      const auto problem_step = is_problem ? StepOfName(OwnerOf(name)) : std::nullopt;
      const bool is_failed = OwnerOf(name) == kFailedFile;
      const bool is_incomplete = name.ends_with(TemporaryName("")) || name.ends_with(kLockSuffix);
      const bool is_later_problem = problem_step && *problem_step > step;
      if (is_later || is_later_problem || is_failed || is_incomplete) fs::remove(path);
      if (is_later && name == StepName(*snapshot_step)) snapshots.removed.push_back(*snapshot_step);
    }
    std::ranges::copy_if(kept, std::back_inserter(snapshots.missing), [&](std::int64_t kept_step) {
      return !IsRegularFile(fs::path(directory) / SnapshotFile(kept_step));
    });
  });
  return snapshots;
}

}  // namespace scree
