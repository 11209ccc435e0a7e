// Reading of scenes: bad scenes, collected errors, overrides, the effective text.
#include "io/scene/config_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <sstream>

#include "io/files/text_file.hpp"
#include "io/scene/config_keys.hpp"
#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"
#include "tests/support/message_of.hpp"

namespace scree::config_reader_test {
namespace {

const std::string kScenes = SCREE_SOURCE_DIR "/apps/scenes/";
const std::string kGoodScene = SCREE_TEST_DATA "/good_scene.ini";

std::string ErrorOf(const std::string& text, const std::vector<IniEntry>& overrides = {}) {
  return RefusalOf<InputError>([&] { ReadRunConfig(text, "scene.ini", overrides); });
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// A scene of bad_scenes.txt. That file describes its format.
struct BadScene {
  std::string name, text;
  std::vector<std::string> fragments;
};

/// The lines of the base scene, with line ends.
std::vector<std::string> LinesOfBase(const std::string& base) {
  if (base == "none") return {};
  std::vector<std::string> lines = LinesOf(ReadTextFile(SCREE_TEST_DATA "/" + base + "_scene.ini"));
  for (std::string& line : lines) line += "\n";
  return lines;
}

BadScene ToBadScene(const std::vector<std::string>& paragraph) {
  const std::size_t colon = paragraph.front().find(": ");
  BadScene scene{paragraph.front().substr(0, colon), "", {}};
  std::vector<std::string> text = LinesOfBase(paragraph.front().substr(colon + 2));
  for (const std::string& line : paragraph) {
    const std::size_t sign = line.find_first_of(":+");
    const std::string replacement = line.substr(std::min(sign + 2, line.size()));
    if (line.starts_with("> ")) {
      for (std::size_t begin = 2, end = 0; end != line.npos; begin = end + 4) {
        end = line.find(" && ", begin);
        scene.fragments.push_back(line.substr(begin, end - begin));
      }
    } else if (line.starts_with('+')) {
      text.push_back(replacement + "\n");
    } else if (std::isdigit(line[0]) != 0) {
      std::string& changed_line = text.at(std::stoul(line) - 1);
      if (line[sign] == ':') changed_line.clear();
      if (!replacement.empty()) changed_line += replacement + "\n";
    }
  }
  for (const std::string& line : text) scene.text += line;
  return scene;
}

std::vector<BadScene> BadScenes() {
  std::vector<BadScene> scenes;
  std::vector<std::string> paragraph;
  for (const std::string& line :
       LinesOf(ReadTextFile(SCREE_TEST_DATA "/bad_scenes.txt") + "\n\n")) {
    if (!line.empty() && !line.starts_with('#')) paragraph.push_back(line);
    if (!line.empty() || paragraph.empty()) continue;
    scenes.push_back(ToBadScene(paragraph));
    paragraph.clear();
  }
  return scenes;
}

TEST(ConfigReader, BadSceneGivesTheLineAndTheExpectedValue) {
  const std::vector<BadScene> scenes = BadScenes();
  ASSERT_GE(scenes.size(), 150u);
  for (const BadScene& scene : scenes) {
    const std::string error = ErrorOf(scene.text);
    EXPECT_TRUE(error.starts_with("scene.ini")) << scene.name << ": " << error;
    ExpectOneError(error, scene.fragments, scene.name);
  }
}

TEST(ConfigReader, WallBeyondAPeriodicEndBlocksALayerToo) {
  const auto scenes = BadScenes();
  const std::string text = std::ranges::find(scenes, "swallowed_inflow", &BadScene::name)->text;
  const std::vector<IniEntry> wall_beyond = {{"wall.block", "lower", "-1 2.5 0 cm", "--"},
                                             {"wall.block", "upper", "1 3 1 cm", "--"},
                                             {"domain", "periodic", "y", "--"}};
  EXPECT_EQ(ErrorOf(text, {wall_beyond[0], wall_beyond[1]}), "");
  EXPECT_TRUE(Contains(ErrorOf(text, wall_beyond), "overlap [wall.block]"));
}

TEST(ConfigReader, ValuesOfOptionsAreOneLineOfText) {
  const std::string text = ReadSceneFile(kGoodScene);
  const auto error_of = [&](const std::string& section, const std::string& key,
                            const std::string& value) {
    return ErrorOf(text, {{section, key, value, "--" + section + "." + key}});
  };
  for (const char* const value :
       {"0.3\n[field.e]\nacceleration = 1 0 0 m/s^2", "0.3\r\n", "0.3\r", "0.3\x1B[31m", "\x7F"}) {
    EXPECT_TRUE(Contains(error_of("contact", "friction", value), "--contact.friction: \""))
        << value;
    EXPECT_TRUE(
        Contains(error_of("contact", "friction", value), "holds a line break or other bytes"))
        << value;
    EXPECT_TRUE(Contains(error_of("output", "directory", value), "holds a line break")) << value;
    EXPECT_TRUE(
        Contains(error_of(std::string("wall.") + value, "friction", "1"), "a changed value: "));
    EXPECT_TRUE(Contains(error_of("contact", value, "1"), "holds a line break")) << value;
  }
  EXPECT_TRUE(Contains(error_of("output", "directory", std::string("a\0b", 3)), "shown as ?"));
  for (const char* const value : {"a # b", "a ; b", "#a", " a", "a\t"}) {
    EXPECT_TRUE(Contains(error_of("output", "directory", value), "begins a comment")) << value;
  }
  EXPECT_EQ(error_of("output", "directory", "a#b \xC3\xA4"), "");
}

TEST(ConfigReader, MotionsOfZeroAreAccepted) {
  const std::string text = ReadSceneFile(kGoodScene);
  for (const char* const keys :
       {"[motion.a]\nwall = floor\nfrom = 0 s\namplitude = 0 0 0 m\nfrequency = 30 Hz\n",
        "[motion.a]\nwall = floor\nfrom = 0 s\namplitude = 0 0 1 mm\nfrequency = 0 Hz\n",
        "[motion.a]\nwall = floor\nfrom = 0 s\nvelocity = 0 0 0 m/s\n",
        "[field.a]\nacceleration = 0 0 0 m/s^2\n", "[frame]\nangular_velocity = 0 0 0 rpm\n"}) {
    EXPECT_EQ(ErrorOf(text + keys), "") << keys;
    const std::string echo = EffectiveIni(ReadRunConfig(text + keys, "scene.ini", {}));
    EXPECT_EQ(EffectiveIni(ReadRunConfig(echo, "echo.ini", {})), echo) << keys;
  }
  const std::vector<IniEntry> unshaken = {{"wall.floor", "amplitude", "0 0 0 mm", "--"},
                                          {"wall.floor", "frequency", "30 Hz", "--"},
                                          {"wall.floor", "moves_from", "0.1 ms", "--"}};
  EXPECT_EQ(ErrorOf(text, unshaken), "");
  EXPECT_TRUE(Contains(ErrorOf(text, {unshaken[1]}), "is an oscillation without amplitude"));
  EXPECT_TRUE(Contains(ErrorOf(text, {{"wall.floor", "amplitude", "0 0 1 mm", "--"}}),
                       "without frequency"));
}

TEST(ConfigReader, StepOfAnOptionReplacesTheAccuracyOfTheFile) {
  std::string text = ReadSceneFile(kGoodScene);
  text.replace(text.find("end = 1 ms"), 10, "end = 1 ms\naccuracy = 0.003");
  const IniEntry step = {"time", "step", "10 us", "--time.step"};
  const RunConfig config = ReadRunConfig(text, "scene.ini", {step});
  EXPECT_EQ(config.step.accuracy, 0.0);
  EXPECT_FALSE(Contains(EffectiveIni(config), "accuracy"));
  EXPECT_TRUE(Contains(ErrorOf(text, {step, {"time", "accuracy", "0.01", "--time.accuracy"}}),
                       "--time.accuracy: has no effect on steps of a given length"));
}

TEST(ConfigReader, AllErrorsAreReportedTogether) {
  std::string text = ReadSceneFile(kGoodScene);
  text.replace(text.find("spacing"), 7, "spaceing");
  text.replace(text.find("1 ms"), 4, "1 kg");
  text += "nonsense\n";
  const std::string error = ErrorOf(text);
  EXPECT_TRUE(Contains(error, "scene.ini:5:")) << error;
  EXPECT_TRUE(Contains(error, "scene.ini:18:")) << error;
  EXPECT_TRUE(Contains(error, "scene.ini:28:")) << error;
}

TEST(ConfigReader, ShippedChannelIsThatOfThePaper) {
  const std::string text = ReadSceneFile(kScenes + "channel.ini");
  const RunConfig config = ReadRunConfig(text, "channel.ini", {});
  EXPECT_EQ(config.scene.domain.box.upper, Vec3(0.15, 0.065, 0.02));
  EXPECT_EQ(config.scene.pistons[0].grain.sizes.largest, 4.7e-4);
  EXPECT_EQ(config.scene.pistons[0].lattice.Sites()[1] * config.scene.pistons[0].lattice.Sites()[2],
            1300);
  EXPECT_EQ(config.scene.materials[0].density, 2650.0);
  EXPECT_EQ(config.step.dt, 1e-5);
  EXPECT_EQ(config.time.end, 10.0);
  EXPECT_EQ(config.scene.walls.size(), 6u);
  EXPECT_EQ(config.scene.walls.back().shape.parts.size(), 2u);
  EXPECT_TRUE(config.scene.outflow[0][1]);
}

TEST(ConfigReader, CellHasMoreSweepsByDefault) {
  const std::string scene =
      "[scene]\ngravity = 0 0 0 m/s^2\n[domain]\nlower = 0 0 0 mm\nupper = 20 20 20 mm\n"
      "periodic = x y z\n[time]\nend = 1 ms\n[fill]\nlower = 0 0 0 mm\nupper = 20 20 20 mm\n"
      "spacing = 2 mm\nradius = 0.7 mm\n";
  const std::string cell = scene + "[cell]\nstress_x = 2 kPa\n";
  const auto sweeps = [](const std::string& text) {
    return ReadRunConfig(text, "scene.ini", {}).step.solver.sweeps;
  };
  EXPECT_EQ(sweeps(scene), 10);
  EXPECT_EQ(sweeps(cell), kDefaultSweepsOfCells);
  EXPECT_EQ(sweeps(cell + "[solver]\nsweeps = 10\n"), 10);
}

TEST(ConfigReader, AverageOverAGridIsRead) {
  const std::string text = ReadSceneFile(kGoodScene) +
                           "[average.a]\nlower = 1 0 0 cm\ncells = 4 3 2\nfrom = 0.2 ms\n"
                           "to = 0.8 ms\nevery = 50 us\n"
                           "[average.b]\nevery = 7 steps\n";
  const RunConfig config = ReadRunConfig(text, "s", {{"time", "step", "10 us", "--time.step"}});
  ASSERT_EQ(config.averages.size(), 2u);
  const auto& a = std::get<FieldGrid>(config.averages[0].geometry);
  EXPECT_EQ(config.averages[0].name, "a");
  EXPECT_EQ(a.region.lower, Vec3(0.01, 0, 0));
  EXPECT_EQ(a.region.upper, config.scene.domain.box.upper);
  EXPECT_EQ(a.cells, (std::array<int, 3>{4, 3, 2}));
  EXPECT_EQ(config.averages[0].from, 2e-4);
  EXPECT_EQ(config.averages[0].to, 8e-4);
  EXPECT_EQ(config.averages[0].frame_interval.time, 5e-5);
  const auto& b = std::get<FieldGrid>(config.averages[1].geometry);
  EXPECT_EQ(b.region.lower, config.scene.domain.box.lower);
  EXPECT_EQ(b.cells, (std::array<int, 3>{1, 1, 1}));
  EXPECT_EQ(config.averages[1].frame_interval.steps, 7);
  EXPECT_FALSE(config.averages[1].to);
  const RunConfig read_back = ReadRunConfig(EffectiveIni(config), "effective", {});
  EXPECT_EQ(EffectiveIni(read_back), EffectiveIni(config));
  EXPECT_EQ(std::get<FieldGrid>(read_back.averages.at(0).geometry).cells, a.cells);
}

TEST(ConfigReader, AverageOfTheFlowThroughAPlaneIsRead) {
  const std::string text =
      ReadSceneFile(kGoodScene) + "[average.out]\nplane = 2.5 0 0 cm\nnormal = 3 0 4\n";
  const RunConfig config = ReadRunConfig(text, "s", {{"average.out", "from", "10 us", "--x"}});
  const auto& plane = std::get<FlowPlane>(config.averages.at(0).geometry);
  EXPECT_EQ(plane.point, Vec3(0.025, 0, 0));
  EXPECT_LT((plane.normal - Vec3(0.6, 0, 0.8)).norm(), 1e-15);
  EXPECT_EQ(config.averages[0].from, 1e-5);
  EXPECT_EQ(EffectiveIni(ReadRunConfig(EffectiveIni(config), "effective", {})),
            EffectiveIni(config));
  EXPECT_TRUE(Contains(ErrorOf(text, {{"average.oat", "from", "10 us", "--average.oat.from"}}),
                       "did you mean \"average.out\""));
}

TEST(ConfigReader, AveragePlaneMayBeAtAPeriodicEnd) {
  const std::string text = ReadSceneFile(kGoodScene);
  for (const char* plane : {"plane = 1 1 0 cm\nnormal = 0 2 0", "plane = 1 0 0 cm\nnormal = 1 0 1",
                            "plane = 3 0 0 cm\nnormal = 1 0 0"}) {
    EXPECT_EQ(ErrorOf(text + "[average.a]\n" + plane, {{"domain", "periodic", "y", "--y"}}), "")
        << plane;
  }
}

TEST(ConfigReader, ShortenedChannelsAreStillAveraged) {
  for (const char* scene : {"channel.ini", "channel_small.ini"}) {
    const std::string text = ReadSceneFile(kScenes + scene);
    EXPECT_FALSE(ReadRunConfig(text, scene, {}).averages.empty());
    EXPECT_NO_THROW(ReadRunConfig(text, scene, {{"time", "end", "1 ms", "--time.end"}}));
  }
}

TEST(ConfigReader, PairTakesMissingKeysFromContact) {
  const std::string text = ReadSceneFile(kGoodScene) +
                           "[contact]\nrolling_friction = 0.2\nspinning_friction = 0.03\n"
                           "[material.a]\n[material.b]\n[pair.a.b]\nspinning_friction = 0\n"
                           "[pair.b.b]\nfriction = 0.1\n";
  const MaterialTable table = ReadRunConfig(text, "s", {}).scene.materials;
  EXPECT_EQ(table.PairOf<RollingLaw>(0, 0), (PairRolling{0.2, 0.03}));
  EXPECT_EQ(table.PairOf<RollingLaw>(1, 0), (PairRolling{0.2, 0.0}));
  EXPECT_EQ(table.PairOf<RollingLaw>(1, 1), (PairRolling{0.2, 0.03}));
  EXPECT_FALSE(ReadRunConfig(ReadSceneFile(kGoodScene), "s", {}).scene.materials.HasActiveLaw());
}

/// A law without a key in [contact] could never act, except for laws of bonds, whose data bonds
/// set.
TEST(ConfigReader, EveryLawThatIsNotOfBondsHasAKeyOfContacts) {
  LawFlags laws_with_keys = {};
  for (const std::string& key : KeysOf("contact")) {
    const std::string text = ReadSceneFile(kGoodScene) + "[contact]\n" + key + " = 0.5\n";
    if (ErrorOf(text) != "")
      continue;  // the value is not a plain number, or the key needs other keys
    const LawFlags acting = ReadRunConfig(text, "s", {}).scene.materials.ActiveLaws();
    for (std::size_t l = 0; l < kLawCount; ++l) laws_with_keys[l] = laws_with_keys[l] || acting[l];
  }
  ForEachLaw([&](auto law) {
    using Law = typename decltype(law)::type;
    EXPECT_NE(laws_with_keys[kLawIndex<Law>], Law::kIsOfBonds) << Law::kName;
  });
}

TEST(ConfigReader, MutatedScenesAreReadOrGiveErrors) {
  const char* const kValues[] = {"",        "-1",    "0",     "1e50",      "1e8 m",
                                 "-1e-320", "nan",   "unset", "0 0 -1e50", "1e50 1 1 m/s^2",
                                 "plane",   "x=y [", "0 0 -2"};
  std::size_t accepted = 0, refused = 0;
  const auto check_lines = [&](const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    try {
      EffectiveIni(ReadRunConfig(text, "mutated.ini", {}));
      ++accepted;
    } catch (const InputError&) {
      ++refused;
    }
  };
  const std::vector<std::string> lines =
      LinesOf(ReadTextFile(kGoodScene) + "[at \"10 us\"]\nscene.gravity = 0 0 -1 m/s^2\n");
  for (std::size_t k = 0; k < lines.size(); ++k) {
    std::vector<std::string> mutated = lines;
    mutated.erase(mutated.begin() + static_cast<std::ptrdiff_t>(k));
    check_lines(mutated);
    mutated = lines;
    mutated[k].insert(mutated[k].size() / 4, "q");
    check_lines(mutated);
    const std::size_t equals = lines[k].find('=');
    for (const char* value : kValues) {
      if (equals == lines[k].npos) break;
      mutated[k] = lines[k].substr(0, equals + 1) + value;
      check_lines(mutated);
    }
  }
  EXPECT_GT(accepted, 5u);
  EXPECT_GT(refused, 200u);
}

/// Processor time to read the scene [s].
double TimeToRead(const std::string& scene) {
  const std::clock_t start = std::clock();
  EXPECT_EQ(ErrorOf(scene), "");
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// Quadratic code took 38 s for 8000 walls, 64 times as long as for 1000, and 25 s for 2000
/// materials.
TEST(ConfigReader, ManyWallsTakeLinearTimeAndTooManyMaterialsAreAnError) {
  std::string walls = ReadTextFile(kGoodScene), materials = walls, few;
  for (int k = 0; k < 8000; ++k) {
    walls += Text("[wall.w", k, "]\nshape = plane\npoint = 0 0 -1 mm\nnormal = 0 0 1\n");
    if (k == 999) few = walls;
    if (k < 2000) materials += Text("[material.m", k, "]\n");
  }
  EXPECT_LT(TimeToRead(walls), 24.0 * TimeToRead(few));
  ExpectOneError(ErrorOf(materials), {"[material.m1000]", "2000 materials; expected at most 1000"},
                 "materials");
}

}  // namespace
}  // namespace scree::config_reader_test
