// Changes during the run: values at each time, conversion to text and back, and rejected changes.
#include "io/scene/config_changes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <span>

#include "io/scene/config_keys.hpp"
#include "io/scene/config_reader.hpp"
#include "tests/io/scratch.hpp"

namespace scree::scene_changes_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kScene = R"(
[domain]
lower = 0 0 0
upper = 10 10 10 cm
[time]
step = 10 us
end = 10 ms
[contact]
friction = 0.4
[material.glass]
[material.steel]
[pair.glass.steel]
restitution = 0.5
[wall.lid]
shape = plane
point = 0 0 9 cm
normal = 0 0 -1
free = along
axis = 0 0 -1
mass = 10 g
pressure = 1 kPa
area = 1 cm^2
[fill]
lower = 0 0 0
upper = 1 1 1 cm
spacing = 1 mm
radius = 0.4 mm
)";

RunConfig ConfigWith(const std::string& changes, const std::vector<IniEntry>& overrides = {}) {
  return ReadRunConfig(kScene + changes, "scene.ini", overrides);
}

std::string Refusal(const std::string& changes) {
  return MessageOf<InputError>([&] { ConfigWith(changes); });
}

double FrictionAfter(const RunConfig& config, std::size_t changes, MaterialId a, MaterialId b) {
  return AfterChanges(config, changes).scene.materials.Friction(a, b);
}

TEST(SceneChanges, ChangesApplyFromTheirTimesInOrder) {
  const RunConfig config = ConfigWith(
      "[at \"4 ms\"]\ncontact.friction = 0.1\nwall.lid.pressure = 2 kPa\n"
      "[at \"2 ms\"]\ncontact.friction = 0.2\nscene.gravity = 1 0 0\nsolver.sweeps = 30\n");
  ASSERT_EQ(config.changes.size(), 2u);
  EXPECT_EQ(config.changes[0].time, 2e-3);
  EXPECT_EQ(config.scene.materials.Friction(0, 0), 0.4);
  const RunConfig first = AfterChanges(config, 1), second = AfterChanges(config, 2);
  EXPECT_EQ(first.scene.materials.Friction(0, 0), 0.2);
  EXPECT_EQ(first.scene.gravity, Vec3(1.0, 0.0, 0.0));
  EXPECT_EQ(first.step.solver.sweeps, 30);
  EXPECT_EQ(first.scene.walls[0].free.pressure, 1e3);
  EXPECT_EQ(second.scene.materials.Friction(0, 0), 0.1);
  EXPECT_EQ(second.scene.gravity, Vec3(1.0, 0.0, 0.0));
  EXPECT_EQ(second.scene.walls[0].free.pressure, 2e3);
  EXPECT_TRUE(first.changes.empty());
}

TEST(SceneChanges, ValuesDerivedFromChangesAreInTheText) {
  const RunConfig config = ConfigWith("[at \"2 ms\"]\ncontact.friction = 0.2\n");
  EXPECT_THAT(EffectiveIni(config), HasSubstr("[at \"0.002 s\"]\ncontact.friction = 0.2\n"
                                              "pair.glass.steel.friction = 0.2\n"));
  EXPECT_EQ(FrictionAfter(config, 1, 0, 1), 0.2);
}

TEST(SceneChanges, TextReadsBackAsTheSameChanges) {
  for (const char* changes :
       {"[at \"2 ms\"]\ncontact.friction = 0.2\n[at \"3 ms\"]\npair.steel.steel.friction = 0.7\n",
        "[at \"2 ms\"]\npair.glass.steel.restitution = unset\npair.glass.steel.friction = 0.4\n",
        "[at \"0.3 ms\"]\nsolver.position_sweeps = 0\nsolver.warm_start = no\n",
        "[at \"2 ms\"]\ncontact.kinetic_friction = 0.1\ncontact.friction_speed = 1 m/s\n"
        "[at \"3 ms\"]\ncontact.kinetic_friction = auto\ncontact.friction_speed = unset\n",
        "[at \"1.5 us\"]\ncontact.cohesion = 1 mN\ncontact.restitution = 0.3\n"}) {
    const RunConfig config = ConfigWith(changes);
    const std::string text = EffectiveIni(config);
    const RunConfig read_back = ReadRunConfig(text, "effective.ini", {});
    EXPECT_EQ(EffectiveIni(read_back), text);
    for (std::size_t k = 0; k <= config.changes.size(); ++k) {
      EXPECT_EQ(EffectiveIni(AfterChanges(read_back, k)), EffectiveIni(AfterChanges(config, k)))
          << changes;
    }
  }
}

TEST(SceneChanges, PairWithAllKeysUnsetHasTheValuesOfContact) {
  const RunConfig config = ConfigWith(
      "[at \"2 ms\"]\npair.glass.steel.restitution = 0\n[at \"3 ms\"]\ncontact.friction = 0.3\n");
  EXPECT_THAT(EffectiveIni(config), HasSubstr("pair.glass.steel.friction = unset"));
  EXPECT_EQ(FrictionAfter(config, 2, 0, 1), 0.3);
}

TEST(SceneChanges, OptionsApplyBeforeChanges) {
  const RunConfig config = ConfigWith("[at \"2 ms\"]\ncontact.friction = 0.2\n",
                                      {{"contact", "friction", "0.9", "--contact.friction"}});
  EXPECT_EQ(config.scene.materials.Friction(0, 0), 0.9);
  EXPECT_EQ(FrictionAfter(config, 1, 0, 0), 0.2);
}

TEST(SceneChanges, ChangesAreMadeAtTheFirstStepAtOrAfterTheirTime) {
  const auto step = [](double time) { return StepOf({time, {}}, 1e-5); };
  EXPECT_EQ(step(2e-3), 200);
  EXPECT_EQ(step(2.001e-3), 201);
  EXPECT_EQ(step(1e-7), 1);
  const RunConfig config = ConfigWith("[at \"2 ms\"]\ncontact.friction = 0.2\n");
  EXPECT_EQ(ChangeCount(config, 199), 0u);
  EXPECT_EQ(ChangeCount(config, 200), 1u);
}

/// A change to the same value would have no line in the text. Its section would be empty, which is
/// an error when the text is read.
TEST(SceneChanges, ChangesToTheSameValueAreOmitted) {
  const RunConfig config = ConfigWith(
      "[at \"1 ms\"]\ncontact.friction = 0.4\n[at \"2 ms\"]\ncontact.friction = 0.3\n"
      "[at \"3 ms\"]\ncontact.friction = 30 %\n");
  ASSERT_EQ(config.changes.size(), 1u);
  EXPECT_EQ(config.changes[0].time, 2e-3);
  EXPECT_EQ(ReadRunConfig(EffectiveIni(config), "effective.ini", {}).changes.size(), 1u);
}

TEST(SceneChanges, HundredsOfChangesApplyInOrder) {
  constexpr std::size_t kChanges = 500;
  std::string changes;
  for (std::size_t k = kChanges; k-- > 0;) {
    changes += Text("[at \"", k + 1, " us\"]\ncontact.friction = 0.", 100000 + k, "\n");
  }
  const RunConfig config = ConfigWith(changes, {{"time", "step", "1 us", "--time.step"}});
  ASSERT_EQ(config.changes.size(), kChanges);
  EXPECT_EQ(ChangeCount(config, 0), 0u);
  for (const std::size_t count : {std::size_t{1}, kChanges / 2, kChanges}) {
    EXPECT_EQ(ChangeCount(config, static_cast<std::int64_t>(count)), count);
    EXPECT_EQ(FrictionAfter(config, count, 0, 0), 0.1 + 1e-6 * static_cast<double>(count - 1));
  }
}

TEST(SceneChanges, UnsetKeysMayBeGivenAgain) {
  const RunConfig config = ConfigWith(R"(
[at "1 ms"]
pair.glass.glass.friction = 0.2
[at "2 ms"]
pair.glass.glass.friction = unset
[at "3 ms"]
pair.glass.glass.friction = 0.3
[at "4 ms"]
pair.glass.glass.friction = 0.1
[at "5 ms"]
pair.glass.glass.friction = unset
)");
  const std::array<double, 6> expected = {0.4, 0.2, 0.4, 0.3, 0.1, 0.4};
  for (std::size_t count = 0; count < expected.size(); ++count) {
    EXPECT_EQ(FrictionAfter(config, count, 0, 0), expected[count]) << count;
  }
}

/// A run makes changes one at a time. A restart makes all past changes together.
TEST(SceneChanges, SingleChangesGiveTheSameAsAllTogether) {
  const RunConfig config = ConfigWith(
      "[at \"1 ms\"]\ncontact.friction = 0.2\npair.glass.steel.restitution = unset\n"
      "[at \"2 ms\"]\npair.glass.steel.friction = 0.3\nwall.lid.pressure = 2 kPa\n"
      "[at \"3 ms\"]\npair.glass.steel.friction = unset\nsolver.sweeps = 30\n");
  RunConfig current = AfterChanges(config, 0);
  IniEntries rows = RowsOf(current);
  for (std::size_t k = 0; k < config.changes.size(); ++k) {
    const auto next_change = std::span(config.changes).subspan(k, 1);
    const IniEntries rows_before = RowsOf(current);
    current = AfterChanges(current, next_change, rows);
    EXPECT_EQ(EffectiveIni(current), EffectiveIni(AfterChanges(config, k + 1))) << k;
    EXPECT_TRUE(current.changes.empty());
    // ChangeRows updates the rows to those of the configuration.
    const std::vector<ConfigChange> changed_rows = ChangeRows(next_change, rows);
    EXPECT_TRUE(ChangesBetween(RowsOf(current), rows).empty()) << k;
    EXPECT_EQ(changed_rows.size(), ChangesBetween(rows_before, rows).size()) << k;
    EXPECT_EQ(Describe(changed_rows), Describe(ChangesBetween(rows_before, rows))) << k;
  }
}

TEST(SceneChanges, EveryKeyMayChangeOrGivesTheReason) {
  for (const SectionSpec& section : AllSections()) {
    for (const KeySpec& key : section.keys) {
      const ChangeRule rule = key.change.value_or(section.change);
      EXPECT_EQ(rule.reason.empty(), rule.when == ChangeRule::When::kDuringRun)
          << section.name << "." << key.key;
    }
  }
}

TEST(SceneChanges, AllErrorsAreReportedTogether) {
  const std::string message = Refusal(
      "[at \"2 ms\"]\ncontact.frictoin = 0.2\nwall.lidd.pressure = 1 Pa\nfriction = 0.2\n"
      "contact.friction = slippery\ntime.step = 5 us\n[at \"2000 us\"]\nscene.gravity = 0 0 0\n"
      "[at \"-1 s\"]\nscene.gravity = 0 0 0\n[at \"noon\"]\nscene.gravity = 0 0 0\n"
      "[at 3 ms]\nscene.gravity = 0 0 0\n[at \"5 ms\"]\n");
  for (const char* part :
       {"[at \"2 ms\"] contact.frictoin: unknown key \"frictoin\" in [contact] (did you mean "
        "\"friction\"?)",
        "the scene has no section [wall.lidd] (did you mean \"wall.lid\"?)",
        "[at \"2 ms\"] friction: lacks the section of the key",
        "[at \"2 ms\"] contact.friction: \"slippery\"",
        "[at \"2 ms\"] time.step: cannot change during the run: time is counted in steps",
        "[at \"2000 us\"]: is at the time of scene.ini:", "[at \"-1 s\"]: is at -1 s; expected",
        "[at \"noon\"]: \"noon\"", "\"[at 3 ms]\" needs a time in quotes",
        "[at \"5 ms\"]: changes nothing"}) {
    EXPECT_THAT(message, HasSubstr(part));
  }
}

TEST(SceneChanges, SceneIsCheckedWithEachChange) {
  EXPECT_THAT(Refusal("[at \"2 ms\"]\nsolver.sweeps = 1\n"), HasSubstr("a pile shakes"));
  EXPECT_THAT(Refusal("[at \"2 ms\"]\nwall.lid.spring_rest = 1 mm\n"),
              HasSubstr("has no effect without spring"));
}

TEST(SceneChanges, ErrorAtAnUnchangedKeyNamesTheChangeThatCausesIt) {
  const std::string slip = "[pair.steel.steel]\nkinetic_friction = 0.1\nfriction_speed = 2 cm/s\n",
                    change = "[at \"2 ms\"]\npair.steel.steel.kinetic_friction = auto\n",
                    message = Refusal(slip + change);
  EXPECT_THAT(message, StartsWith("scene.ini:31: [at \"2 ms\"]: after this change: scene.ini:30: "
                                  "[pair.steel.steel] friction_speed: has no effect"));
  EXPECT_THAT(message, HasSubstr("section.key = unset"));
  ConfigWith(slip + change + "pair.steel.steel.friction_speed = unset\n");
}

TEST(SceneChanges, LaterChangesDoNotRepeatAnError) {
  const std::string message = Refusal(
      "[at \"2 ms\"]\nwall.lid.spring_rest = 1 mm\n[at \"3 ms\"]\ncontact.friction = 0.2\n");
  EXPECT_THAT(message, HasSubstr("[at \"2 ms\"] wall.lid.spring_rest: has no effect"));
  EXPECT_THAT(message, Not(HasSubstr("\n")));
}

TEST(SceneChanges, ErrorsOfTheInitialSceneAreReportedOnce) {
  const std::string message = MessageOf<InputError>([&] {
    ConfigWith("[at \"2 ms\"]\ncontact.friction = 0.2\n",
               {{"fill", "radius", "1 mm", "--fill.radius"}});
  });
  EXPECT_THAT(message, HasSubstr("spacing"));
  EXPECT_THAT(message, Not(HasSubstr("\n")));
}

}  // namespace
}  // namespace scree::scene_changes_test
