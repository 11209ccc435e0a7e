// A restart reports the allowed changes and rejects all others.
#include "io/scene/config_changes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/scene/config_reader.hpp"
#include "tests/io/scratch.hpp"

namespace scree::config_changes_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr const char* kScene = R"(
[domain]
lower = 0 0 0
upper = 10 10 10 cm
[time]
step = 10 us
end = 10 ms
[wall.floor]
shape = plane
point = 0 0 0
normal = 0 0 1
[fill]
lower = 0 0 0
upper = 1 1 1 cm
spacing = 1 mm
radius = 0.4 mm
[average.mean]
every = 1 ms
to = 4 ms
)";
constexpr std::int64_t kStep = 500;

RunConfig ConfigWith(const std::vector<IniEntry>& overrides = {}) {
  return ReadRunConfig(kScene, "scene.ini", overrides);
}

std::string Refusal(const IniEntry& change, bool allowed = false) {
  return MessageOf<InputError>(
      [&] { CheckChanges(ConfigWith(), ConfigWith({change}), kStep, allowed); });
}

void ExpectAccepted(const IniEntry& change, bool allowed = false) {
  EXPECT_NO_THROW(CheckChanges(ConfigWith(), ConfigWith({change}), kStep, allowed)) << change.key;
}

TEST(ConfigChanges, EqualConfigurationsDifferInNoKey) {
  EXPECT_TRUE(ChangesBetween(RowsOf(ConfigWith()), RowsOf(ConfigWith())).empty());
}

TEST(ConfigChanges, ChangesAreListedWithBothValues) {
  const auto changes = ChangesBetween(RowsOf(ConfigWith()),
                                      RowsOf(ConfigWith({{"time", "end", "20 ms", "--time.end"},
                                                         {"output", "every", "1 ms", "--"}})));
  EXPECT_EQ(Describe(changes),
            "  time.end: 0.01 s -> 0.02 s\n  output.every: never -> 0.001 s\n"
            "  output.log_every: never -> 0.001 s");
  EXPECT_EQ(Describe(ChangesBetween({{"contact", "friction", "", "", 0.1}},
                                    {{"wall.floor", "velocity", "", "", Vec3(1.0, 0.0, 0.0)}})),
            "  wall.floor.velocity: (none) -> 1 0 0 m/s\n  contact.friction: 0.1 -> (none)");
}

TEST(ConfigChanges, EndOutputAndRanksMayChange) {
  ExpectAccepted({"time", "end", "20 ms", "--"});
  ExpectAccepted({"output", "log_every", "1 ms", "--"});
  ExpectAccepted({"checkpoint", "every", "1 h wall", "--"});
  ExpectAccepted({"parallel", "skin", "0.1 mm", "--"});
}

TEST(ConfigChanges, ChangedPhysicsMustBeAllowed) {
  for (const IniEntry& change :
       {IniEntry{"contact", "friction", "0.1", "--"}, IniEntry{"solver", "sweeps", "50", "--"},
        IniEntry{"scene", "gravity", "0 0 -1", "--"},
        IniEntry{"wall.floor", "removed_at", "7 ms", "--"}}) {
    EXPECT_THAT(Refusal(change), HasSubstr(change.section + "." + change.key));
    EXPECT_THAT(Refusal(change), HasSubstr("--allow-changes"));
    ExpectAccepted(change, true);
  }
}

TEST(ConfigChanges, KeysOfTheStateMustNotChange) {
  for (const IniEntry& change :
       {IniEntry{"time", "step", "5 us", "--"},
        IniEntry{"wall.floor", "velocity", "0 0 1 m/s", "--"},
        IniEntry{"wall.floor", "angular_velocity", "0 0 1", "--"},
        IniEntry{"wall.floor", "centre", "0 0 1 m", "--"},
        IniEntry{"wall.floor", "point", "0 0 -1 mm", "--"},
        IniEntry{"wall.floor", "removed_at", "4 ms", "--"},
        IniEntry{"domain", "upper", "11 10 10 cm", "--"}, IniEntry{"fill", "spacing", "2 mm", "--"},
        IniEntry{"average.mean", "cells", "2x2x2", "--"}}) {
    EXPECT_THAT(Refusal(change, true), HasSubstr("initial.file"));
    EXPECT_THAT(Refusal(change, true), Not(HasSubstr("--allow-changes")));
  }
}

TEST(ConfigChanges, EndBeforeTheCheckpointIsAnError) {
  EXPECT_THAT(Refusal({"time", "end", "4 ms", "--"}),
              HasSubstr("before the time of the checkpoint"));
  ExpectAccepted({"time", "end", "5 ms", "--"});
}

TEST(ConfigChanges, AverageThatHasEndedCannotContinue) {
  EXPECT_THAT(Refusal({"average.mean", "to", "6 ms", "--"}), HasSubstr("ended at step 400"));
  const auto check = [](std::int64_t step) {
    CheckChanges(ConfigWith(), ConfigWith({{"average.mean", "to", "6 ms", "--"}}), step, false);
  };
  EXPECT_NO_THROW(check(300));
}

RunConfig ContinueRun(const RunConfig& config, const std::vector<IniEntry>& overrides,
                      std::int64_t step = kStep) {
  return ApplyRestartChanges(config, overrides, "a.h5", step, true);
}

std::string HistoryOf(const RunConfig& config) {
  const std::string text = EffectiveIni(config);
  const std::size_t begin = text.find("[at ");
  return begin == text.npos ? "" : text.substr(begin);
}

const IniEntry kLowFriction = {"contact", "friction", "0.1", "--"};

TEST(ConfigChanges, ChangedPhysicsIsAChangeAtTheTimeOfTheRestart) {
  const RunConfig continued =
      ContinueRun(ConfigWith(), {kLowFriction, {"time", "end", "20 ms", "--"}});
  EXPECT_EQ(continued.scene.materials.Friction(0, 0), 0.4);
  EXPECT_EQ(continued.time.end, 0.02);
  EXPECT_EQ(HistoryOf(continued), "[at \"0.005 s\"]\ncontact.friction = 0.1\n");
}

TEST(ConfigChanges, RestartChangesTheValuesAtItsTime) {
  const RunConfig first_restart = ContinueRun(ConfigWith(), {kLowFriction}, 300);
  // Returns to the initial value, which differs from the current one.
  const RunConfig second_restart =
      ContinueRun(first_restart, {{"contact", "friction", "0.4", "--"}}, 400);
  EXPECT_EQ(HistoryOf(second_restart),
            "[at \"0.003 s\"]\ncontact.friction = 0.1\n\n"
            "[at \"0.004 s\"]\ncontact.friction = 0.4\n");
  const RunConfig same_time =
      ContinueRun(first_restart, {{"contact", "friction", "0.2", "--"}}, 300);
  EXPECT_EQ(HistoryOf(same_time), "[at \"0.003 s\"]\ncontact.friction = 0.2\n");
  const RunConfig earlier_restart =
      ContinueRun(first_restart, {{"solver", "sweeps", "30", "--"}}, 200);
  EXPECT_EQ(HistoryOf(earlier_restart),
            "[at \"0.002 s\"]\nsolver.sweeps = 30\n\n"
            "[at \"0.003 s\"]\ncontact.friction = 0.1\n");
}

TEST(ConfigChanges, ContactChangesOnlyWhereAllPairsFollowIt) {
  const std::string scene =
      Text(kScene, "[material.a]\n[material.b]\n[pair.a.a]\nfriction = 0.9\n");
  const RunConfig config = ReadRunConfig(scene, "scene.ini", {});
  EXPECT_THAT(MessageOf<InputError>([&] { ContinueRun(config, {kLowFriction}); }),
              HasSubstr("expected pair.A.B.friction for each pair"));
  const RunConfig changed = ContinueRun(config, {{"pair.a.b", "friction", "0.1", "--"}});
  EXPECT_EQ(HistoryOf(changed), "[at \"0.005 s\"]\npair.a.b.friction = 0.1\n");
}

/// A scene in a periodic domain, to which a test adds the keys of the cell.
const char* const kSceneOfCell =
    "[scene]\ngravity = 0 0 0 m/s^2\n[domain]\nlower = 0 0 0 mm\nupper = 20 20 20 mm\n"
    "periodic = x y z\n[time]\nstep = 10 us\nend = 9 ms\n[fill]\nlower = 0 0 0 mm\n"
    "upper = 20 20 20 mm\nspacing = 2 mm\nradius = 0.7 mm\n[cell]\n";

TEST(ConfigChanges, PathOfACellBeginsAgainEvenIfItIsTheSame) {
  const std::string path = "path = time_s 0 1, z_1/s -1 -2\n";
  const RunConfig config =
      ReadRunConfig(kSceneOfCell + path + "[at \"2 ms\"]\ncell." + path, "scene.ini", {});
  ASSERT_THAT(config.changes, SizeIs(1));
  EXPECT_EQ(AfterChanges(config, config.changes).scene.cell.since, 0.002);
}

// The images keep their offset along the axis of flow.
TEST(ConfigChanges, CellKeepsItsAxesWhenItIsNoLongerSheared) {
  const RunConfig config =
      ReadRunConfig(Text(kSceneOfCell, "rate_z = -1 /s\nshear_rate = 2 /s\nflow = y\n",
                         "gradient = x\n[at \"2 ms\"]\ncell.shear_rate = unset\n"),
                    "scene.ini", {});
  EXPECT_EQ(HistoryOf(config), "[at \"0.002 s\"]\ncell.shear_rate = unset\n");
  const Scene after = AfterChanges(config, config.changes).scene;
  EXPECT_FALSE(after.cell.IsSheared());
  EXPECT_EQ(after.domain.shear.flow, CoordinateAxis::kY);
  EXPECT_EQ(after.domain.shear.gradient, CoordinateAxis::kX);
}

TEST(ConfigChanges, AxesOfACellNeverChange) {
  const std::string scene = Text(kSceneOfCell, "rate_z = -1 /s\n");
  const RunConfig config = ReadRunConfig(scene, "scene.ini", {});
  for (const IniEntry& axis :
       {IniEntry{"cell", "flow", "y", "--"}, IniEntry{"cell", "gradient", "y", "--"}}) {
    const std::string line = "cell." + axis.key + " = y\n";
    EXPECT_THAT(
        MessageOf<InputError>(
            [&] { ReadRunConfig(scene + "[at \"2 ms\"]\n" + line, "scene.ini", {}); }),
        HasSubstr("cannot change during the run: a [cell] and its axes are for the whole run"));
    EXPECT_THAT(MessageOf<InputError>([&] { ContinueRun(config, {axis}); }),
                HasSubstr("cell." + axis.key));
  }
}

TEST(ConfigChanges, NewWallStartsAtTheRestartUnlessItHasATime) {
  const std::vector<IniEntry> wall = {{"wall.lid", "shape", "plane", "--"},
                                      {"wall.lid", "point", "0 0 9 cm", "--"},
                                      {"wall.lid", "normal", "0 0 -1", "--"},
                                      {"wall.lid", "velocity", "0 0 -1 m/s", "--"}};
  const RunConfig continued = ContinueRun(ConfigWith(), wall);
  ASSERT_EQ(continued.scene.walls.size(), 2u);
  EXPECT_EQ(continued.scene.walls[1].appears_at, 5e-3);
  EXPECT_EQ(HistoryOf(continued), "");  // the wall is in the scene, with its time
  std::vector<IniEntry> later_wall = wall, earlier_wall = wall;
  later_wall.push_back({"wall.lid", "appears_at", "6 ms", "--"});
  EXPECT_EQ(ContinueRun(ConfigWith(), later_wall).scene.walls[1].appears_at, 6e-3);
  earlier_wall.push_back({"wall.lid", "appears_at", "4 ms", "--"});
  const std::string message =
      MessageOf<InputError>([&] { ContinueRun(ConfigWith(), earlier_wall); });
  EXPECT_THAT(message, HasSubstr("appears_at is before the time of the checkpoint, 0.005 s"));
  EXPECT_THAT(
      MessageOf<InputError>([&] { ApplyRestartChanges(ConfigWith(), wall, "a.h5", kStep, false); }),
      HasSubstr("Give --allow-changes"));
}

TEST(ConfigChanges, NewRainStartsAtTheRestart) {
  const RunConfig continued =
      ContinueRun(ConfigWith(), {{"inflow.rain", "kind", "rain", "--"},
                                 {"inflow.rain", "lower", "1 1 5 cm", "--"},
                                 {"inflow.rain", "upper", "2 2 6 cm", "--"},
                                 {"inflow.rain", "number_rate", "100 /s", "--"},
                                 {"inflow.rain", "radius", "0.4 mm", "--"}});
  ASSERT_EQ(continued.scene.rains.size(), 1u);
  EXPECT_EQ(continued.scene.rains[0].start, 5e-3);
}

TEST(ConfigChanges, CheckpointBeforeAnAllowedChangeBelongsToTheRun) {
  const RunConfig current = ContinueRun(ConfigWith(), {kLowFriction});
  const auto belongs_to_run = [&](bool allowed) {
    return CheckBelongs(ConfigWith(), "a.h5", current, "config.ini", kStep, allowed);
  };
  EXPECT_THAT(MessageOf<FileError>([&] { belongs_to_run(false); }), HasSubstr("--allow-changes"));
  EXPECT_THAT(belongs_to_run(true), SizeIs(1));
}

TEST(ConfigChanges, CheckpointBelongsToARunWithAnotherEndOrDirectory) {
  const RunConfig current =
      ConfigWith({{"time", "end", "20 ms", ""}, {"output", "directory", "x", ""}});
  const auto changes = CheckBelongs(ConfigWith(), "a.h5", current, "config.ini", kStep, false);
  EXPECT_EQ(Describe(changes), "  time.end: 0.02 s -> 0.01 s");
}

}  // namespace
}  // namespace scree::config_changes_test
