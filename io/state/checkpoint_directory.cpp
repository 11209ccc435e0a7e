#include "io/state/checkpoint_directory.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <span>

#include "io/files/atomic_file.hpp"
#include "io/files/collective_call.hpp"
#include "io/files/digest.hpp"
#include "io/files/regular_file.hpp"
#include "io/output/output_directory.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

namespace fs = std::filesystem;

fs::path FolderOf(const std::string& directory) { return fs::path(directory) / kCheckpointFolder; }

/// Steps of all checkpoints in a folder, the newest first.
std::vector<std::int64_t> StepsIn(const fs::path& folder) {
  std::vector<std::int64_t> steps;
  if (!fs::is_directory(folder)) return steps;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const auto step = StepOfName(entry.path().filename().string());
    if (step) steps.push_back(*step);
  }
  std::sort(steps.rbegin(), steps.rend());
  return steps;
}

std::future<void> Remove(const fs::path& folder, std::span<const std::int64_t> steps) {
  std::vector<std::string> paths;
  for (const std::int64_t step : steps) {
    const std::string path = folder / StepName(step);
    // A checkpoint without a digest is ignored, so the digest is deleted first.
    paths.insert(paths.end(), {DigestName(path), path});
  }
  return RemoveFiles(paths);
}

void WriteLatest(const fs::path& folder, std::int64_t step) {
  ReplaceFile(folder / kLatestFile, StepName(step) + "\n");
}

/// Names of the checkpoints in the folder, in the order in which they are tried: first the one
/// named in the file `latest`, then all others, the newest first.
std::vector<std::string> FindCandidates(const fs::path& folder) {
  std::vector<std::string> names;
  std::string latest;
  const bool is_file = IsRegularFile(folder / kLatestFile);  // reading a pipe would block
  if (is_file && std::ifstream(folder / kLatestFile) >> latest && StepOfName(latest)) {
    names.push_back(latest);
  }
  for (const std::int64_t step : StepsIn(folder)) {
    if (StepName(step) != latest) names.push_back(StepName(step));
  }
  return names;
}

/// Names of this checkpoint and of the checkpoints of earlier steps in the same folder.
std::vector<std::string> FindCandidatesFrom(const fs::path& file) {
  std::vector<std::string> names = {file.filename().string()};
  const auto last_step = StepOfName(names[0]);
  if (!last_step) return names;
  for (const std::int64_t step : StepsIn(file.parent_path())) {
    if (step < *last_step) names.push_back(StepName(step));
  }
  return names;
}

/// A path for messages: relative if it is in the working directory.
std::string DisplayPath(const fs::path& path) {
  const fs::path relative = path.lexically_proximate(fs::current_path());
  return *relative.begin() == ".." ? path : relative;
}

std::string Join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "\n" + line;
  return text;
}

/// Paths of all candidate checkpoints, in the order in which they are tried.
/// @param directory  set to the output directory; unchanged if the candidates are not in one
std::vector<std::string> FindCandidatePaths(const std::string& path, std::string& directory) {
  fs::path target = fs::absolute(path).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();  // the path ends with a slash
  fs::path folder = target;
  std::vector<std::string> names;
  if (fs::is_directory(target)) {
    if (fs::is_directory(target / kCheckpointFolder)) folder = target / kCheckpointFolder;
    names = FindCandidates(folder);
    if (names.empty()) throw FileError(Text("'", path, "' contains no checkpoint to restart from"));
  } else {
    folder = target.parent_path();
    names = FindCandidatesFrom(target);
  }
  if (folder.filename() == kCheckpointFolder) directory = DisplayPath(folder.parent_path());
  for (std::string& name : names) name = DisplayPath(folder / name);
  return names;
}

}  // namespace

std::string CheckpointFile(std::int64_t step) {
  return std::string(kCheckpointFolder) + "/" + StepName(step);
}

std::future<void> PublishCheckpoint(const Communicator& communicator, const std::string& directory,
                                    std::int64_t step, std::int64_t keep,
                                    const std::vector<std::string>& other_files) {
  SCREE_DEMAND(keep >= 1);
  const fs::path folder = FolderOf(directory);
  const std::string path = folder / StepName(step), latest = folder / kLatestFile;
  const std::string digest_text = DigestText(communicator, TemporaryName(path), path);
  std::future<void> freed;
  CallOnRoot<OutputError>(communicator, [&] {
    WriteTemporary(latest, StepName(step) + "\n");
    WriteTemporary(DigestName(path), digest_text);
    std::vector<std::string> written = {TemporaryName(path), TemporaryName(DigestName(path)),
                                        TemporaryName(latest)};
    written.insert(written.end(), other_files.begin(), other_files.end());
    SyncFiles(written);
    CommitSynced({path, DigestName(path), latest});
    const std::vector<std::int64_t> steps = StepsIn(folder);
    const auto kept = std::min(static_cast<std::size_t>(keep), steps.size());
    freed = Remove(folder, std::span(steps).subspan(kept));
  });
  return freed;
}

FoundCheckpoint FindCheckpoint(const Communicator& communicator, const std::string& path) {
  FoundCheckpoint found;
  std::vector<std::string> paths;
  CallOnRoot<FileError>(communicator, [&] {
    try {
      paths = FindCandidatePaths(path, found.directory);
    } catch (const fs::filesystem_error& error) {
      // The name is too long, or the folder cannot be read.
      throw FileError(
          Text("cannot look for a checkpoint in '", path, "': ", error.code().message()));
    }
  });
  found.directory = communicator.Broadcast(found.directory);
  const std::int64_t count = communicator.Max(static_cast<std::int64_t>(paths.size()));
  paths.resize(static_cast<std::size_t>(count));
  for (const std::string& candidate : paths) {
    found.path = communicator.Broadcast(candidate);
    const std::string damage = DamageOf(communicator, found.path);
    if (damage.empty()) return found;
    found.damage_messages.push_back(damage);
  }
  throw FileError("there is no checkpoint to restart from:" + Join(found.damage_messages));
}

void RemoveLaterCheckpoints(const std::string& directory, std::int64_t step) {
  const fs::path folder = FolderOf(directory);
  WriteLatest(folder, step);
  std::vector<std::int64_t> later = StepsIn(folder);
  std::erase_if(later, [step](std::int64_t existing) { return existing <= step; });
  Remove(folder, later).get();
}

}  // namespace scree
