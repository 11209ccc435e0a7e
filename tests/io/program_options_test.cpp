// The command line: overrides with any name, switches, and what is wrong with them.
#include "io/program_options.hpp"

#include <gtest/gtest.h>

#include "io/config_keys.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

CommandLine Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "scree-run");
  return ParseCommandLine(static_cast<int>(arguments.size()), arguments.data());
}

TEST(ProgramOptions, AnyKeyInBothForms) {
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

TEST(ProgramOptions, OverwriteIsShort) {
  const CommandLine line = Parse({"a.ini", "--overwrite"});
  ASSERT_EQ(line.overrides.size(), 1u);
  EXPECT_EQ(line.overrides[0].value, "yes");
}

TEST(ProgramOptions, Actions) {
  EXPECT_EQ(Parse({"--help"}).action, Action::kHelp);
  EXPECT_EQ(Parse({"--list-keys"}).action, Action::kListKeys);
  EXPECT_EQ(Parse({"--version"}).action, Action::kVersion);
  EXPECT_EQ(Parse({"a.ini", "--print-config"}).action, Action::kPrintConfig);
  EXPECT_EQ(Parse({"--check", "a.ini"}).action, Action::kCheck);
}

TEST(ProgramOptions, WrongCommandLinesAreRefused) {
  EXPECT_THROW(Parse({}), InputError);
  EXPECT_THROW(Parse({"a.ini", "b.ini"}), InputError);
  EXPECT_THROW(Parse({"a.ini", "--quite"}), InputError);
  EXPECT_THROW(Parse({"a.ini", "--time.end"}), InputError);
  EXPECT_THROW(Parse({"a.ini", "--time.end", "1", "--time.end", "2"}), InputError);
}

TEST(ProgramOptions, HelpHoldsEveryKey) {
  const std::string help = HelpText();
  for (const KeySpec& key : AllKeys()) {
    const std::size_t section = help.find(std::string("\n[") + key.section);
    ASSERT_NE(section, help.npos) << key.section;
    EXPECT_LT(help.find(std::string("\n  ") + key.key + " ", section),
              help.find("\n[", section + 1))
        << key.key;
  }
}

}  // namespace
}  // namespace scree
