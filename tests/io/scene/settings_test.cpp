// Merged file and command line: precedence of values, given keys, and one error per mistake.
#include "io/scene/settings.hpp"

#include <gtest/gtest.h>

#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::settings_test {
namespace {

struct ParsedSettings {
  explicit ParsedSettings(std::string_view text, const std::vector<IniEntry>& overrides = {})
      : settings(ScanIni(text, "s.ini", errors), overrides, errors) {}

  std::string Message() const {
    return errors.Empty() ? "" : MessageOf<InputError>([&] { errors.ThrowIfAny(); });
  }

  ErrorList errors;
  Settings settings;
};

template <class T>
std::optional<T> Get(const Settings& settings, const std::string& section, const std::string& key) {
  const std::optional<KeyValue> value = settings.Find(section, key);
  return value ? std::optional<T>(std::get<T>(*value)) : std::nullopt;
}

TEST(Settings, MissingValueHasItsDefault) {
  const ParsedSettings parsed("[time]\nstep = 2 ms\n");
  EXPECT_EQ(parsed.Message(), "");
  EXPECT_EQ(Get<double>(parsed.settings, "time", "step"), 2e-3);
  EXPECT_EQ(Get<double>(parsed.settings, "contact", "friction"), 0.4);
  EXPECT_EQ(Get<double>(parsed.settings, "time", "end"), std::nullopt);
  EXPECT_TRUE(parsed.settings.IsGiven("time", "step"));
  EXPECT_FALSE(parsed.settings.IsGiven("contact", "friction"));
}

TEST(Settings, CommandLineOverridesTheFileAndIsNamedInErrors) {
  const ParsedSettings parsed(
      "[time]\nstep = 2 ms\n",
      {{"time", "step", "3 ms", "--time.step"}, {"output", "every", "7 steps", "--output.every"}});
  EXPECT_EQ(parsed.Message(), "");
  EXPECT_EQ(Get<double>(parsed.settings, "time", "step"), 3e-3);
  EXPECT_EQ(Get<Interval>(parsed.settings, "output", "every")->steps, 7);
  EXPECT_EQ(parsed.settings.Where("time", "step"), "--time.step");
  EXPECT_TRUE(parsed.settings.Has("output"));
}

TEST(Settings, ErrorsNameTheLineTheSectionOrTheFile) {
  const ParsedSettings parsed("[time]\nstep = 2 ms\n");
  EXPECT_EQ(parsed.settings.Where("time", "step"), "s.ini:2: [time] step");
  EXPECT_EQ(parsed.settings.Where("time", "end"), "s.ini:1: [time]");
  EXPECT_EQ(parsed.settings.Where("domain", "lower"), "s.ini: [domain]");
}

TEST(Settings, SectionsHaveTheOrderOfTheFile) {
  const ParsedSettings parsed("[wall.b]\n[time]\n[wall.a]\n[wall.a.part]\n");
  EXPECT_EQ(parsed.settings.Sections("wall"),
            (std::vector<std::string>{"wall.b", "wall.a", "wall.a.part"}));
}

TEST(Settings, BadValueCountsAsGivenButHasNoValue) {
  const ParsedSettings parsed("[time]\nstep = 2 kg\n");
  EXPECT_NE(parsed.Message().find("s.ini:2: [time] step: \"2 kg\": "), std::string::npos);
  EXPECT_TRUE(parsed.settings.IsGiven("time", "step"));
  EXPECT_EQ(Get<double>(parsed.settings, "time", "step"), std::nullopt);
}

TEST(Settings, MisspeltKeyCountsAsGiven) {
  const ParsedSettings parsed("[time]\nennd = 2 s\n");
  EXPECT_FALSE(parsed.settings.IsGiven("time", "end"));
  EXPECT_TRUE(parsed.settings.IsIntended("time", "end"));
  EXPECT_FALSE(parsed.settings.IsIntended("domain", "lower"));
  EXPECT_FALSE(ParsedSettings("[time]\nxyzzyx = 2 s\n").settings.IsIntended("time", "end"));
}

TEST(Settings, MisspeltSectionCountsAsGivenWithAllKeys) {
  const ParsedSettings parsed("[domian]\nlower = 0 0 0\n");
  EXPECT_TRUE(parsed.settings.IsIntended("domain", "lower"));
  EXPECT_TRUE(parsed.settings.IsIntended("domain", "upper"));
  EXPECT_FALSE(parsed.settings.IsIntended("time", "end"));
}

TEST(Settings, OptionsCreateNoWallsOrMaterials) {
  const ParsedSettings parsed("[wall.piston]\n",
                              {{"wall.pistn", "velocity", "1 0 0", "--wall.pistn.velocity"}});
  EXPECT_EQ(parsed.Message(),
            "--wall.pistn.velocity: the scene has no section [wall.pistn] (did you mean "
            "\"wall.piston\"?)");
}

TEST(Settings, OptionsCreateJointsAndLinksOnlyWithTheirMainKeys) {
  const auto message = [](const char* section, const char* key, const char* value) {
    return ParsedSettings("[joint.screw]\n[link.screw]\n", {{section, key, value, "option"}})
        .Message();
  };
  EXPECT_EQ(message("joint.scrw", "rate", "3 rpm"),
            "option: the scene has no section [joint.scrw] (did you mean \"joint.screw\"?)");
  EXPECT_EQ(message("link.scrw", "mass", "1 kg"),
            "option: the scene has no section [link.scrw] (did you mean \"link.screw\"?)");
  EXPECT_EQ(message("joint.hinge", "child", "screw"), "");
  EXPECT_EQ(message("link.bucket", "density", "1 g/cm^3"), "");
}

TEST(Settings, OptionsWithAShapeCreateAWall) {
  const ParsedSettings parsed("[wall.piston]\n",
                              {{"wall.lid", "point", "0 0 1", "--wall.lid.point"},
                               {"wall.lid", "shape", "plane", "--wall.lid.shape"}});
  EXPECT_EQ(parsed.Message(), "");
  EXPECT_TRUE(parsed.settings.Has("wall.lid"));
  EXPECT_TRUE(parsed.settings.IsGiven("wall.lid", "point"));
}

TEST(Settings, OptionsWithAllKeysCreateAnAverage) {
  EXPECT_EQ(
      ParsedSettings("[solver]\n", {{"average.a", "every", "1 ms", "--average.a.every"}}).Message(),
      "--average.a.every: the scene has no section [average.a]");
  const ParsedSettings grid("[solver]\n", {{"average.a", "every", "1 ms", "--average.a.every"},
                                           {"average.a", "cells", "1x1x9", "--average.a.cells"}});
  EXPECT_EQ(grid.Message(), "");
  EXPECT_TRUE(grid.settings.Has("average.a"));
  const ParsedSettings plane("[solver]\n",
                             {{"average.b", "plane", "0 0 0", "--average.b.plane"},
                              {"average.b", "normal", "1 0 0", "--average.b.normal"}});
  EXPECT_EQ(plane.Message(), "");
}

TEST(Settings, OptionsCanUnsetAKey) {
  const ParsedSettings parsed("[solver]\ntolerance = 1 um/s\nsweeps = 7\n",
                              {{"solver", "tolerance", "unset", "--solver.tolerance"},
                               {"solver", "sweeps", "unset", "--solver.sweeps"}});
  EXPECT_EQ(parsed.Message(), "");
  EXPECT_FALSE(parsed.settings.IsGiven("solver", "tolerance"));
  EXPECT_EQ(Get<std::int64_t>(parsed.settings, "solver", "sweeps"), 10) << "the default";
  const ParsedSettings unset_only("[solver]\nsweeps = 7\n",
                                  {{"solver", "tolerance", "unset", "--solver.tolerance"}});
  EXPECT_EQ(unset_only.Message(),
            "--solver.tolerance: is not given in the scene, so it cannot be unset");
}

TEST(Settings, WrongFormOfASectionIsQuoted) {
  EXPECT_NE(ParsedSettings("[wall]\n").Message().find("not of the form [wall.NAME]"),
            std::string::npos);
  EXPECT_NE(ParsedSettings("[wall.]\n").Message().find("not of the form"), std::string::npos);
  EXPECT_NE(ParsedSettings("[pair.a]\n").Message().find("[pair.A.B]"), std::string::npos);
}

}  // namespace
}  // namespace scree::settings_test
