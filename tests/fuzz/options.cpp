// Command lines of scree-run, scree-bench and the small apps, with one argument per line. Commands
// are parsed but not executed.
#include "apps/bench/options.hpp"
#include "io/command_line/app_options.hpp"
#include "io/command_line/program_options.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace scree {
namespace {

void ParseSmallApp(const std::vector<std::string>& arguments) {
  AppOptions options("scree-fuzz parse", "Has an option of every kind.");
  double number = 1.5;
  int count = 3;
  std::string text = "a", numbers = "1 2 3";
  bool is_set = false;
  std::vector<std::string> files;
  options.Add("speed", number, "a quantity");
  options.Add("count", count, "a count");
  options.Add("text", text, "a text");
  options.Add("numbers", numbers, "three numbers");
  options.Add("switch", is_set, "a switch");
  options.AddPositional("FILE", files, "files");
  if (!options.Parse(arguments)) return;
  ReadNumbers("--numbers", numbers, 3);
  RequireRange("--speed", number, 0.0, 2.0);
}

std::vector<const char*> AsArgv(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv = {"scree"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  return argv;
}

}  // namespace
}  // namespace scree

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scree;
  const std::vector<std::string> arguments = fuzz::Split(fuzz::TextOf(data, size), '\n');
  const std::vector<const char*> argv = AsArgv(arguments);
  const int argc = static_cast<int>(argv.size());
  fuzz::AcceptOrRefuse([&] { ParseSmallApp(arguments); });
  fuzz::AcceptOrRefuse([&] { ParseCommandLine(argc, argv.data()); });
  std::string help;
  fuzz::AcceptOrRefuse([&] { ParseBenchOptions(arguments, help); });
  return 0;
}
