#include "io/output/output_directory.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/files/collective_call.hpp"
#include "io/files/digest.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSnapshotFolder = "snapshots";
constexpr std::array<const char*, 3> kFolders = {kSnapshotFolder, "averages", kCheckpointFolder};
constexpr std::string_view kStepPrefix = "step_";
constexpr std::string_view kStepSuffix = ".h5";
constexpr std::size_t kStepDigits = 12;

/// The file to which a name belongs: that of a temporary file or a digest, or itself.
std::string_view OwnerOf(std::string_view name) {
  for (const std::string& suffix : {TemporaryName(""), DigestName("")}) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  return name;
}

/// True for the names of StepName and what belongs to them.
bool IsStepFile(std::string_view name) { return StepOfName(OwnerOf(name)).has_value(); }

bool IsAverage(const fs::path& path) {
  if (!fs::is_regular_file(path)) return false;  // a pipe would keep us waiting
  std::string start(std::string_view(kAverageMark).size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(start.data(), static_cast<std::streamsize>(start.size())) &&
         start == kAverageMark;
}

bool IsOfCheckpoints(const fs::path& path) {
  const std::string name = path.filename().string();
  return IsStepFile(name) || name == kLatestFile || name == TemporaryName(kLatestFile);
}

/// Adds the files of a folder, if there is one, that are ours.
template <class IsOurs>
void FindIn(const fs::path& folder, IsOurs&& is_ours, std::vector<fs::path>& found) {
  if (!fs::is_directory(folder)) return;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (is_ours(entry.path())) found.push_back(entry.path());
  }
}

std::vector<fs::path> EarlierOutput(const fs::path& directory) {
  std::vector<fs::path> found;
  for (const char* name :
       {kSeriesFile, kTimingFile, kConfigFile, kLogFile, kIndexFile, kWallsFile, kFailedFile}) {
    for (const fs::path& path :
         {directory / name, directory / TemporaryName(name), directory / DigestName(name)}) {
      if (fs::is_regular_file(path) || fs::is_symlink(path)) found.push_back(path);
    }
  }
  const auto is_step_file = [](const fs::path& path) {
    return IsStepFile(path.filename().string());
  };
  FindIn(directory / kSnapshotFolder, is_step_file, found);
  FindIn(directory / "averages", IsAverage, found);
  FindIn(directory / kCheckpointFolder, IsOfCheckpoints, found);
  return found;
}

void MakeFolders(const fs::path& directory) {
  for (const char* folder : kFolders) fs::create_directories(directory / folder);
}

/// Permissions are best asked by writing: the folder may be there but not be ours.
void DemandWritable(const fs::path& directory) {
  for (const char* folder : {"", kFolders[0], kFolders[1], kFolders[2]}) {
    const fs::path probe = directory / folder / ".scree_write_test";
    WriteWholeFile(probe.string(), "");
    fs::remove(probe);
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
  // As we write it, not with other zeros or a sign: no two names stand for one step.
  return step >= 0 && name == StepName(step) ? std::optional(step) : std::nullopt;
}

std::string SnapshotFile(std::int64_t step) {
  return std::string(kSnapshotFolder) + "/" + StepName(step);
}

void PrepareOutputDirectory(const Communicator& communicator, const std::string& directory,
                            bool overwrite) {
  std::vector<fs::path> earlier;
  CallOnRoot<OutputError>(communicator, [&] { earlier = EarlierOutput(directory); });
  CallOnRoot<InputError>(communicator, [&] {
    if (overwrite || earlier.empty()) return;
    throw InputError(Text("output.directory = '", directory, "' already holds ", earlier.size(),
                          " file(s) of an earlier run, such as '", earlier.front().string(),
                          "'; choose another directory or give --overwrite"));
  });
  CallOnRoot<OutputError>(communicator, [&] {
    MakeFolders(directory);
    for (const fs::path& path : earlier) fs::remove(path);
    DemandWritable(directory);
  });
}

void ContinueOutputDirectory(const Communicator& communicator, const std::string& directory,
                             std::int64_t step, const std::vector<std::int64_t>& kept) {
  CallOnRoot<OutputError>(communicator, [&] {
    MakeFolders(directory);
    DemandWritable(directory);
    for (const fs::path& path : EarlierOutput(directory)) {
      const bool is_snapshot = path.parent_path().filename() == kSnapshotFolder;
      const std::string name = path.filename().string();
      const auto of = is_snapshot ? StepOfName(OwnerOf(name)) : std::nullopt;
      const bool is_later = of && *of >= step && std::count(kept.begin(), kept.end(), *of) == 0;
      const bool is_failed = OwnerOf(name) == kFailedFile;
      if (is_later || is_failed || path.string().ends_with(TemporaryName(""))) fs::remove(path);
    }
  });
}

}  // namespace scree
