#include "apps/run/restart.hpp"

#include <algorithm>
#include <filesystem>

#include "io/files/build_info.hpp"
#include "io/files/collective_call.hpp"
#include "io/files/regular_file.hpp"
#include "io/files/text_file.hpp"
#include "io/output/output_directory.hpp"
#include "io/scene/config_changes.hpp"
#include "io/scene/config_reader.hpp"
#include "io/state/checkpoint.hpp"
#include "io/state/checkpoint_directory.hpp"

namespace scree {
namespace {

/// The checkpoint and configuration that root has found, equal on all ranks.
struct Source {
  std::string path, directory;
  std::string damage;  // messages on damaged newer checkpoints, one per line
  std::string configuration, version, git_hash;
  std::vector<InputDigest> inputs;
  // Path and text of the configuration of the last run in the directory; empty: none.
  std::string config_path, directory_config;
  std::int64_t step = 0;
};

Source FindSource(const Communicator& communicator, const std::string& path) {
  Source source;
  const FoundCheckpoint checkpoint = FindCheckpoint(communicator, path);
  CallOnRoot<FileError>(communicator, [&] {
    source.path = checkpoint.path;
    source.directory = checkpoint.directory;
    for (const std::string& line : checkpoint.damage_messages) {
      source.damage += (source.damage.empty() ? "" : "\n") + line;
    }
    const SnapshotMeta meta = ReadCheckpointMeta(checkpoint.path);
    source.configuration = meta.configuration;
    source.version = meta.program_version;
    source.git_hash = meta.git_hash;
    source.inputs = meta.inputs;
    source.step = meta.observables.step;
    if (source.directory.empty()) return;
    source.config_path = source.directory + "/" + kConfigFile;
    if (!IsRegularFile(source.config_path)) return;
    source.directory_config = ReadTextFile(source.config_path);
  });
  for (std::string* text :
       {&source.path, &source.directory, &source.damage, &source.configuration, &source.version,
        &source.git_hash, &source.config_path, &source.directory_config}) {
    *text = communicator.Broadcast(*text);
  }
  source.step = communicator.Max(source.step);
  source.inputs.resize(
      static_cast<std::size_t>(communicator.Max(static_cast<std::int64_t>(source.inputs.size()))));
  for (InputDigest& input : source.inputs) {
    input = {communicator.Broadcast(input.key), communicator.Broadcast(input.digest)};
  }
  return source;
}

bool IsSamePath(const std::string& a, const std::string& b) {
  std::error_code error;
  const auto canonical = [&error](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path), error);
  };
  return canonical(a) == canonical(b);
}

/// Reads the configuration in a checkpoint. Scree has written it, so any error in it is damage.
RunConfig StoredConfig(const Communicator& communicator, const Source& source) {
  try {
    const std::string path = source.directory.empty() ? source.path : source.config_path;
    return ReadRunConfig(source.configuration, source.path, {}, ParticlesFrom::kScene,
                         {communicator, path});
  } catch (const InputError& error) {
    throw FileError(
        Text("'", source.path, "' contains a configuration that cannot be read:\n", error.what()));
  }
}

/// Without a digest, an input file could have changed unnoticed.
void RequireDigests(const RunConfig& config, const Source& source) {
  for (const InputDigest& input : config.inputs) {
    if (std::ranges::count(source.inputs, input.key, &InputDigest::key) == 1) continue;
    throw FileError(Text("'", source.path, "' lacks the digest of the file that ", input.key,
                         " names: the checkpoint is from an older version of Scree. Expected a ",
                         "newer one, or a new run with a snapshot as initial.file"));
  }
}

/// Compares a checkpoint's configuration with that of the last run in the same directory.
/// @returns a message for the user; empty if there is nothing to report
/// @throws FileError if they do not belong together
std::string CompareToDirectory(const Communicator& communicator, const Source& source,
                               const RunConfig& stored, bool allow_changes) {
  if (source.directory_config.empty()) return {};
  RunConfig last_run;
  try {
    last_run = ReadRunConfig(source.directory_config, source.config_path, {}, ParticlesFrom::kScene,
                             {communicator, source.config_path});
  } catch (const InputError& error) {
    // The checkpoint is intact and sufficient.
    return Text("'", source.config_path, "' cannot be read and compared with the configuration in ",
                source.path, ":\n", error.what());
  }
  const auto changes =
      CheckBelongs(stored, source.path, last_run, source.config_path, source.step, allow_changes);
  if (changes.empty()) return {};
  return Text("this run uses the checkpoint's configuration, which differs from ",
              source.config_path, ":\n", Describe(changes));
}

}  // namespace

RunConfig PlanRestart(const Communicator& communicator, const CommandLine& command,
                      Restart& restart) {
  const Source source = FindSource(communicator, command.restart);
  const std::string& path = source.path;
  const RunConfig stored = StoredConfig(communicator, source);
  RequireDigests(stored, source);
  const std::string difference =
      CompareToDirectory(communicator, source, stored, command.allow_changes);
  RunConfig planned =
      ConfigureRestart(command, stored, source.directory, path, source.step, {communicator});
  if (planned.output.energy_book && !stored.output.energy_book) {
    throw InputError(
        Text("output.energy_book = yes, but the run until ", path,
             " had none, so that its sums would lack the steps so far; expected no, or "
             "a new run with the key"));
  }

  restart.path = path;
  restart.walls = stored.scene.walls.size();
  restart.rains = stored.scene.rains.size();
  restart.inputs = source.inputs;
  // All ranks use root's view of the file system.
  const bool in_place = communicator.IsRoot() && !source.directory.empty() &&
                        IsSamePath(source.directory, planned.output.directory);
  restart.in_place = communicator.Max(static_cast<std::int64_t>(in_place)) != 0;
  restart.is_at_end =
      source.step == Interval{0, planned.time.end}.InSteps(planned.step, "time.end");
  if (!source.damage.empty()) restart.messages.push_back(source.damage);
  restart.messages.push_back(Text("restart from ", path, ", ", planned.step.Moment(source.step)));
  if (!difference.empty()) restart.messages.push_back(difference);
  if (source.version != ProgramVersion() || source.git_hash != GitHash()) {
    restart.messages.push_back(Text("the checkpoint is of version ", source.version, " (",
                                    source.git_hash, "), this is ", ProgramVersion(), " (",
                                    GitHash(), "): the last bits may differ"));
  }
  RunConfig old_config = AfterChanges(stored, ChangeCount(stored, source.step));
  // A checkpoint does not record its directory.
  old_config.output.directory = planned.output.directory;
  old_config.output.overwrite = planned.output.overwrite;
  const RunConfig new_config = AfterChanges(planned, ChangeCount(planned, source.step));
  const auto changes = ChangesBetween(RowsOf(old_config), RowsOf(new_config));
  if (!changes.empty()) restart.messages.push_back("changed from now on:\n" + Describe(changes));
  return planned;
}

}  // namespace scree
