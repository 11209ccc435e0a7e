// scree-run: simulates a scene on any number of ranks.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "apps/common/exit_codes.hpp"
#include "apps/common/simd_request.hpp"
#include "apps/run/check_scene.hpp"
#include "apps/run/run_loop.hpp"
#include "apps/run/self_test.hpp"
#include "apps/run/stop_signals.hpp"
#include "engine/ranks/communicator.hpp"
#include "io/command_line/program_options.hpp"
#include "io/files/build_info.hpp"
#include "io/files/collective_call.hpp"
#include "io/files/standard_output.hpp"
#include "io/scene/config_keys.hpp"
#include "io/scene/config_reader.hpp"
#include "io/scene/ini_file.hpp"
#include "io/scene/scene_file.hpp"

namespace {

using namespace scree;

void PrintAtRoot(const Communicator& world, const std::string& text) {
  CallOnRoot<OutputError>(world, [&] { PrintResult(text); });
}

/// Prints messages that are not results to stderr.
void PrintMessages(const Communicator& world, const std::vector<std::string>& messages) {
  for (const std::string& message : messages) {
    if (world.IsRoot()) std::fputs((message + "\n").c_str(), stderr);
  }
}

/// Whether a person sees the output. mpirun gives every rank its own terminal, even if mpirun's
/// output goes to a file, so the standard output of mpirun decides. On another node than mpirun's,
/// nobody watches.
bool IsInteractive() {
  if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr) return isatty(STDOUT_FILENO) != 0;
  std::error_code failed;
  const auto target =
      std::filesystem::read_symlink("/proc/" + std::to_string(getppid()) + "/fd/1", failed);
  return !failed &&
         (target.string().starts_with("/dev/pts/") || target.string().starts_with("/dev/tty"));
}

RunLog::Echo EchoFor(const CommandLine& command) {
  if (command.quiet) return RunLog::Echo::kNothing;
  return IsInteractive() ? RunLog::Echo::kUpdatingLine : RunLog::Echo::kLines;
}

ExitCode RunCommand(const Communicator& world, const CommandLine& command) {
  RunOptions options;
  options.echo = EchoFor(command);
  options.max_wall_time = command.max_wall_time;
  RunConfig config;
  if (command.restart.empty()) {
    std::vector<std::string> notes;
    config = ReadRunConfig(ReadSceneFile(world, command.scene_file), command.scene_file,
                           command.overrides, ParticlesFrom::kScene,
                           {world, command.scene_file, &notes});
    PrintMessages(world, notes);
  } else {
    config = PlanRestart(world, command, options.restart.emplace());
  }
  if (command.action == Action::kPrintConfig) {
    PrintAtRoot(world, EffectiveIni(config));
    return kDone;
  }
  if (command.action == Action::kCheck) {
    PrintMessages(world, FindFiles(world, {.scene_file = command.scene_file}, config));
    PrintAtRoot(world, CheckScene(world, config, command.check_ranks));
    return kDone;
  }
  if (options.restart && options.restart->is_at_end) {
    for (const std::string& message : options.restart->messages) PrintAtRoot(world, message + "\n");
    PrintAtRoot(world, Text("the run of ", options.restart->path,
                            " is complete; to continue it give a later --time.end\n"));
    return kDone;
  }
  ConfigSource source{.scene_file = command.scene_file};
  if (options.restart) {
    source = {.checkpoint = options.restart->path, .inputs = options.restart->inputs};
  }
  PrintMessages(world, FindFiles(world, source, config));
  const RunEnd end = RunScene(world, config, options);
  return end == RunEnd::kStopped ? kStoppedEarly : kDone;
}

ExitCode Main(const Communicator& world, int argc, char** argv) {
  const CommandLine command = ParseCommandLine(argc, argv);
  if (command.action != Action::kRun) ReleaseStopSignals();
  switch (command.action) {
    case Action::kHelp:
      PrintAtRoot(world, HelpText());
      return kDone;
    case Action::kListKeys:
      PrintAtRoot(world, KeyList());
      return kDone;
    case Action::kVersion:
      PrintAtRoot(world, BuildDescription());
      return kDone;
    case Action::kSelfTest:
      return SelfTest(world, [&](const std::string& line) { PrintAtRoot(world, line + "\n"); });
    case Action::kPrintConfig:
    case Action::kCheck:
    case Action::kRun:
      break;
  }
  return RunCommand(world, command);
}

}  // namespace

int main(int argc, char** argv) {
  if (const ExitCode code = SelectSimdLevel("scree-run", argv); code != kDone) return code;
  IgnoreFileSizeSignal();
  CatchStopSignals();  // before MPI_Init and reading the scene, in which ranks may wait for each
                       // other
  const MpiSession session(&argc, &argv);
  const Communicator world = Communicator::World();
  try {
    return Main(world, argc, argv);
  } catch (const std::exception& error) {
    return ReportError("scree-run", world, error);
  }
}
