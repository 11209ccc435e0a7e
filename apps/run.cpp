// scree-run: computes any scene, on any number of ranks.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "apps/check_scene.hpp"
#include "apps/exit_codes.hpp"
#include "apps/run_loop.hpp"
#include "engine/communicator.hpp"
#include "io/build_info.hpp"
#include "io/collective_call.hpp"
#include "io/config_keys.hpp"
#include "io/program_options.hpp"

namespace {

using namespace scree;

void PrintAtRoot(const Communicator& world, const std::string& text) {
  if (world.IsRoot()) std::fputs(text.c_str(), stdout);
}

/// Reads the scene on one rank: a thousand ranks that open the same file trouble its server.
std::string SceneText(const Communicator& world, const std::string& path) {
  std::string text;
  CallOnRoot<FileError>(world, [&] { text = ReadSceneFile(path); });
  return world.Broadcast(text);
}

/// Whether a person sees what we print. mpirun gives every rank a terminal of its own, whatever its
/// output goes to, so there its own standard output decides; on another node nobody looks.
bool IsWatched() {
  if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr) return isatty(STDOUT_FILENO) != 0;
  std::error_code failed;
  const auto target =
      std::filesystem::read_symlink("/proc/" + std::to_string(getppid()) + "/fd/1", failed);
  return !failed &&
         (target.string().starts_with("/dev/pts/") || target.string().starts_with("/dev/tty"));
}

RunLog::Echo EchoFor(const CommandLine& command) {
  if (command.quiet) return RunLog::Echo::kNothing;
  return IsWatched() ? RunLog::Echo::kUpdatingLine : RunLog::Echo::kLines;
}

void Main(const Communicator& world, int argc, char** argv) {
  const CommandLine command = ParseCommandLine(argc, argv);
  switch (command.action) {
    case Action::kHelp:
      return PrintAtRoot(world, HelpText());
    case Action::kListKeys:
      return PrintAtRoot(world, KeyList());
    case Action::kVersion:
      return PrintAtRoot(world, BuildDescription());
    case Action::kPrintConfig:
    case Action::kCheck:
    case Action::kRun:
      break;
  }
  const Invocation invocation = Configure(command, SceneText(world, command.scene_file));
  if (command.action == Action::kPrintConfig) {
    return PrintAtRoot(world, invocation.effective_config);
  }
  if (command.action == Action::kCheck) {
    return PrintAtRoot(world, CheckScene(world, invocation.config));
  }
  RunScene(world, invocation.config, EchoFor(command));
}

}  // namespace

int main(int argc, char** argv) {
  const MpiSession session(&argc, &argv);
  const Communicator world = Communicator::World();
  try {
    Main(world, argc, argv);
    return kDone;
  } catch (const std::exception& error) {
    const ExitCode code = ExitCodeOf(error);
    // The errors of ours are thrown on all ranks alike; others may have hit this one alone.
    if (code == kInternalError) {
      std::fprintf(stderr, "scree-run: internal error on rank %d: %s\n", world.Rank(),
                   error.what());
      world.Abort(code);
    }
    if (world.IsRoot()) std::fprintf(stderr, "scree-run: %s\n", error.what());
    return code;
  }
}
