// scree-info: describes runs, snapshots and checkpoints, and checks whether files are intact.
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/common/exit_codes.hpp"
#include "apps/common/small_app.hpp"
#include "apps/run/run_info.hpp"
#include "io/command_line/app_options.hpp"
#include "io/files/build_info.hpp"
#include "io/files/standard_output.hpp"
#include "io/files/text_file.hpp"
#include "io/output/output_directory.hpp"
#include "io/state/file_info.hpp"
#include "solvers/base/check.hpp"

namespace {

using namespace scree;

FileInfo InfoOfRun(const std::string& directory) {
  const std::string text = DescribeRun(directory);
  const std::string configuration = ReadTextFile(directory + "/" + kConfigFile);
  return {text, configuration, false};
}

ExitCode Main(const std::vector<std::string>& arguments) {
  AppOptions options(
      "scree-info",
      "Describes a run from its output directory: its progress, its results, its files.\n"
      "Describes a snapshot or checkpoint: step, results, fields, versions and\n"
      "configuration, and whether it still matches the digest next to it. Exit code 3\n"
      "if it does not.");
  std::vector<std::string> files;
  bool configuration = false, version = false;
  options.AddPositional("DIR|FILE", files, "output directories, snapshots or checkpoints");
  options.Add("configuration", configuration,
              "print only the configuration, which is a scene file");
  options.Add("version", version, "print the version and how it was built");
  if (!ParseOrHelp(arguments, options)) return kDone;
  if (version) {
    PrintResult(BuildDescription());
    return kDone;
  }
  if (files.empty()) throw InputError("no file is given; expected scree-info DIR or FILE ...");
  ExitCode code = kDone;
  for (const std::string& file : files) {
    const bool is_run = std::filesystem::is_directory(file);
    const FileInfo info = is_run ? InfoOfRun(file) : DescribeFile(file);
    if (info.is_damaged) code = kBadInputFile;
    if (!configuration) PrintResult(info.text + (is_run ? "" : "\n"));
    if (configuration || !is_run) PrintResult(info.configuration);
    if (file != files.back()) PrintResult("\n");
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Main({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "scree-info: %s\n", MessageFor(error).c_str());
    return ExitCodeOf(error);
  }
}
