#include "io/output_directory.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "io/atomic_file.hpp"
#include "io/collective_call.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 2> kFolders = {"snapshots", "averages"};
constexpr std::string_view kSnapshotPrefix = "step_";
constexpr std::string_view kSnapshotSuffix = ".h5";
constexpr std::size_t kStepDigits = 12;

/// True for the names that SnapshotFile gives, whole or still temporary.
bool IsSnapshotName(std::string_view name) {
  const std::string temporary = TemporaryName("");
  if (name.ends_with(temporary)) name.remove_suffix(temporary.size());
  if (!name.starts_with(kSnapshotPrefix) || !name.ends_with(kSnapshotSuffix)) return false;
  name.remove_prefix(kSnapshotPrefix.size());
  name.remove_suffix(std::min(name.size(), kSnapshotSuffix.size()));
  return name.size() >= kStepDigits && std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isdigit(c) != 0;
         });
}

bool IsAverage(const fs::path& path) {
  if (!fs::is_regular_file(path)) return false;  // a pipe would keep us waiting
  std::string start(std::string_view(kAverageMark).size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(start.data(), static_cast<std::streamsize>(start.size())) &&
         start == kAverageMark;
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
    for (const fs::path& path : {directory / name, directory / TemporaryName(name)}) {
      if (fs::is_regular_file(path) || fs::is_symlink(path)) found.push_back(path);
    }
  }
  const auto is_snapshot = [](const fs::path& path) {
    return IsSnapshotName(path.filename().string());
  };
  FindIn(directory / "snapshots", is_snapshot, found);
  FindIn(directory / "averages", IsAverage, found);
  return found;
}

}  // namespace

std::string AverageFile(const std::string& name) { return "averages/" + name + ".csv"; }

std::string SnapshotFile(std::int64_t step) {
  const std::string digits = std::to_string(step);
  const std::size_t missing = kStepDigits - std::min(kStepDigits, digits.size());
  return Text("snapshots/", kSnapshotPrefix, std::string(missing, '0'), digits, kSnapshotSuffix);
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
    for (const char* folder : kFolders) fs::create_directories(fs::path(directory) / folder);
    for (const fs::path& path : earlier) fs::remove(path);
    // Permissions are best asked by writing: the folder may be there but not be ours.
    for (const char* folder : {"", kFolders[0], kFolders[1]}) {
      const fs::path probe = fs::path(directory) / folder / ".scree_write_test";
      WriteWholeFile(probe.string(), "");
      fs::remove(probe);
    }
  });
}

}  // namespace scree
