// The command line: overrides of any key, switches, and their errors.
#include "io/command_line/program_options.hpp"

#include <gtest/gtest.h>

#include "io/scene/config_keys.hpp"
#include "io/scene/config_reader.hpp"
#include "solvers/base/check.hpp"

namespace scree::program_options_test {
namespace {

CommandLine Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "scree-run");
  return ParseCommandLine(static_cast<int>(arguments.size()), arguments.data());
}

TEST(ProgramOptions, AnyKeyMayBeGivenInBothForms) {
  const CommandLine line =
      Parse({"--scene.gravity", "-1 0 0", "a.ini", "--wall.piston.velocity=2 0 0 m/s", "--quiet"});
  EXPECT_EQ(line.scene_file, "a.ini");
  EXPECT_TRUE(line.quiet);
  ASSERT_EQ(line.overrides.size(), 2u);
  EXPECT_EQ(line.overrides[0].value, "-1 0 0");
  EXPECT_EQ(line.overrides[1].section, "wall.piston");
  EXPECT_EQ(line.overrides[1].key, "velocity");
  EXPECT_EQ(line.overrides[1].value, "2 0 0 m/s");
}

TEST(ProgramOptions, OverwriteHasAShortForm) {
  const CommandLine line = Parse({"a.ini", "--overwrite"});
  ASSERT_EQ(line.overrides.size(), 1u);
  EXPECT_EQ(line.overrides[0].value, "yes");
}

TEST(ProgramOptions, ActionsAreRecognised) {
  EXPECT_EQ(Parse({"--help"}).action, Action::kHelp);
  EXPECT_EQ(Parse({"--list-keys"}).action, Action::kListKeys);
  EXPECT_EQ(Parse({"--version"}).action, Action::kVersion);
  EXPECT_EQ(Parse({"--self-test"}).action, Action::kSelfTest);
  EXPECT_EQ(Parse({"a.ini", "--print-config"}).action, Action::kPrintConfig);
  EXPECT_EQ(Parse({"--check", "a.ini"}).action, Action::kCheck);
}

TEST(ProgramOptions, RestartNeedsASourceAndNoScene) {
  const CommandLine line = Parse({"--restart", "out", "--time.end", "1 s", "--allow-changes"});
  EXPECT_EQ(line.restart, "out");
  EXPECT_TRUE(line.allow_changes);
  EXPECT_TRUE(line.scene_file.empty());
  EXPECT_EQ(line.overrides.size(), 1u);
  EXPECT_THROW(Parse({"--restart"}), InputError);
  EXPECT_THROW(Parse({"--restart", "out", "a.ini"}), InputError);
  EXPECT_THROW(Parse({"--restart", "out", "--check"}), InputError);
  EXPECT_THROW(Parse({"a.ini", "--allow-changes"}), InputError);
}

TEST(ProgramOptions, RestartWritesToTheDirectoryOfItsCheckpoint) {
  constexpr const char* kText =
      "[domain]\nlower = 0 0 0\nupper = 1 1 1\n[time]\nend = 1 ms\n"
      "[initial]\nfile = a.csv\n";
  const RunConfig stored_config = ReadRunConfig(kText, "a.h5", {});
  const CommandLine line = Parse({"--restart", "out"});
  EXPECT_EQ(ConfigureRestart(line, stored_config, "where/out", "a.h5", 100).output.directory,
            "where/out");
  const CommandLine other_directory = Parse({"--restart", "out", "--output.directory", "new"});
  EXPECT_EQ(
      ConfigureRestart(other_directory, stored_config, "where/out", "a.h5", 100).output.directory,
      "new");
  EXPECT_EQ(ConfigureRestart(other_directory, stored_config, "", "a.h5", 100).output.directory,
            "new");
  EXPECT_THROW(ConfigureRestart(line, stored_config, "", "a.h5", 100), InputError);
}

TEST(ProgramOptions, WallTimeIsAPositiveTime) {
  EXPECT_EQ(Parse({"a.ini", "--max-wall-time", "3.5 h"}).max_wall_time, 12600.0);
  EXPECT_EQ(Parse({"a.ini", "--max-wall-time=90"}).max_wall_time, 90.0);
  EXPECT_FALSE(Parse({"a.ini"}).max_wall_time.has_value());
  for (const char* bad_value : {"soon", "0 s", "-1 h", "3 m", "inf"}) {
    EXPECT_THROW(Parse({"a.ini", "--max-wall-time", bad_value}), InputError) << bad_value;
  }
}

TEST(ProgramOptions, RanksCanOnlyBeGivenWithCheck) {
  EXPECT_EQ(Parse({"a.ini", "--check"}).check_ranks, 0);
  EXPECT_EQ(Parse({"a.ini", "--check", "--ranks", "4096"}).check_ranks, 4096);
  for (const char* bad_value : {"0", "-1", "2.5", "many", "4 ", "99999999999"}) {
    EXPECT_THROW(Parse({"a.ini", "--check", "--ranks", bad_value}), InputError) << bad_value;
  }
  EXPECT_THROW(Parse({"a.ini", "--ranks", "4"}), InputError);
  EXPECT_THROW(Parse({"--restart", "out", "--ranks", "4"}), InputError);
}

TEST(ProgramOptions, WrongCommandLinesAreErrors) {
  EXPECT_THROW(Parse({}), InputError);
  EXPECT_THROW(Parse({"a.ini", "b.ini"}), InputError);
  EXPECT_THROW(Parse({"a.ini", "--quite"}), InputError);
  EXPECT_THROW(Parse({"--scene-file", "a.ini"}), InputError);
  EXPECT_THROW(Parse({"--=a.ini"}), InputError);
  EXPECT_THROW(Parse({"a.ini", "--time.end"}), InputError);
  EXPECT_THROW(Parse({"a.ini", "--time.end", "1", "--time.end", "2"}), InputError);
  EXPECT_THROW(Parse({"a.ini", "--wall.%option%.radius=1"}), InputError);
  EXPECT_EQ(Parse({"a.ini", "--output.directory=%option%"}).overrides[0].value, "%option%");
}

TEST(ProgramOptions, HelpListsEveryKey) {
  const std::string help = HelpText();
  for (const SectionSpec& section : AllSections()) {
    const std::size_t head = help.find("\n[" + section.form + "]  " + section.doc);
    ASSERT_NE(head, help.npos) << section.form;
    const std::string text = help.substr(head, help.find("\n[", head + 1) - head);
    for (const KeySpec& key : section.keys) {
      EXPECT_NE(text.find("\n  " + key.key + " "), text.npos) << key.key;
    }
  }
}

TEST(ProgramOptions, HelpListsEverySwitch) {
  for (const char* usage :
       {"--help", "--list-keys", "--print-config", "--check", "--version", "--quiet", "--overwrite",
        "--restart DIR_OR_FILE", "--allow-changes", "--max-wall-time TIME", "--ranks N"}) {
    EXPECT_NE(HelpText().find(std::string("\n  ") + usage + " "), std::string::npos) << usage;
  }
}

}  // namespace
}  // namespace scree::program_options_test
