// Motions of walls: tables, times, forces.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/scene/wall_motion.hpp"
#include "io/scene/config_reader.hpp"
#include "tests/io/scratch.hpp"

namespace scree::wall_motion_keys_test {
namespace {

/// Keys that a test appends begin in line 16 of the scene.
const std::string kScene =
    "[domain]\nlower = 0 0 0\nupper = 3 2 1 cm\n[time]\nstep = 10 us\nend = 1 ms\n"
    "[fill]\nlower = 0 0 0\nupper = 3 2 1 cm\nspacing = 1 mm\nradius = 0.47 mm\n"
    "[wall.w]\nshape = sphere\npoint = 1 1 1 cm\nradius = 1 mm\n";

RunConfig Read(const std::string& keys) { return ReadRunConfig(kScene + keys, "scene.ini", {}); }

std::string ErrorOf(const std::string& keys) {
  return RefusalOf<InputError>([&] { Read(keys); });
}

TEST(WallMotionKeys, ColumnsOfATableHaveUnits) {
  const Wall wall = Read(
                        "motion = time_ms 0 10 30, z_mm 0 -1 -3, rate_rpm 0 60 60\naxis = 0 0 2\n"
                        "moves_from = 0.1 ms\nmoves_until = 50 ms\n")
                        .scene.walls.at(0);
  EXPECT_EQ(wall.table.Times(), (std::vector<double>{0.0, 0.01, 0.03}));
  EXPECT_EQ(wall.table.Values(MotionTable::kZ), (std::vector<double>{0.0, -0.001, -0.003}));
  EXPECT_NEAR(wall.table.Values(MotionTable::kRate)[1], 2.0 * 3.14159265358979, 1e-12);
  EXPECT_EQ(wall.axis, Vec3(0, 0, 1));
  EXPECT_EQ(wall.moves_from, 1e-4);
  EXPECT_EQ(wall.moves_until, 0.05);
}

TEST(WallMotionKeys, TableMayBeAFileInTheFolderOfTheScene) {
  const Scratch scratch(Communicator::Self());
  PutFile(Communicator::Self(), scratch / "way.csv",
          "# measured\ntime_s,x_mm, angle_deg\n0,0,0\n\n0.5,3,90\n");
  PutFile(Communicator::Self(), scratch / "scene.ini",
          kScene + "motion = way.csv   # a file\naxis = 0 1 0\n");
  const std::string path = scratch / "scene.ini";
  const RunConfig config = ReadRunConfig(ReadSceneFile(path), path, {});
  EXPECT_EQ(config.scene.walls[0].table.Values(MotionTable::kX), (std::vector<double>{0.0, 0.003}));
  EXPECT_NEAR(config.scene.walls[0].table.At(0.25)[3], 0.25 * 3.14159265358979, 1e-12);
  // The effective configuration needs no file.
  const RunConfig read_back = ReadRunConfig(EffectiveIni(config), "effective", {});
  EXPECT_EQ(read_back.scene.walls[0].table, config.scene.walls[0].table);
}

TEST(WallMotionKeys, PosesRotateAboutTheCentreOrElseTheOffsetOfTheMesh) {
  const std::string table =
      "motion = time_ms 0 10, x_mm 1 2, roll_deg 0 90, yaw_deg 10 20\nmotion_repeats = yes\n";
  const std::string mesh = "[wall.m]\nshape = mesh\nfile = a.stl\noffset = 1 2 3 mm\n";
  const auto centre = [&](const std::string& keys, std::size_t wall) {
    const RunConfig config = Read(keys);
    EXPECT_EQ(EffectiveIni(ReadRunConfig(EffectiveIni(config), "again", {})), EffectiveIni(config));
    const Wall& moved_wall = config.scene.walls.at(wall);
    EXPECT_TRUE(moved_wall.table.HasOrientation());
    EXPECT_NEAR(moved_wall.table.Values(MotionTable::kRoll)[1], 0.5 * 3.14159265358979, 1e-12);
    return moved_wall.rotation.centre;
  };
  EXPECT_EQ(centre(table, 0), Vec3::Zero());
  EXPECT_EQ(centre(table + "centre = 1 0 0 cm\n", 0), Vec3(0.01, 0, 0));
  EXPECT_EQ(centre(mesh + table, 1), Vec3(0.001, 0.002, 0.003));
  EXPECT_EQ(centre(mesh + table + "centre = 0 0 0 m\n", 1), Vec3::Zero());
  const RunConfig quaternions = Read("motion = time_s 0 1, qw 1 0.8, qx 0 0, qy 0 0.6, qz 0 0\n");
  EXPECT_EQ(ReadRunConfig(EffectiveIni(quaternions), "again", {}).scene.walls[0].table,
            quaternions.scene.walls[0].table);
}

TEST(WallMotionKeys, MotionsAreSortedByTheirTimes) {
  const Wall wall = Read(
                        "[motion.late]\nwall = w\nfrom = 0.2 ms\nangular_velocity = 1 0 0 1/s\n"
                        "[motion.early]\nwall = w\nfrom = 0 s\nuntil = 0.1 ms\n"
                        "angular_velocity = 0 1 0 1/s\n")
                        .scene.walls.at(0);
  EXPECT_EQ(wall.motions.at(0).name, "early");
  EXPECT_EQ(wall.motions.at(1).name, "late");
}

TEST(WallMotionKeys, ErrorInATableGivesTheLinesOfSceneAndTable) {
  struct BadTable {
    std::string table, message;
  };
  for (const BadTable& bad :
       {BadTable{"0,1\n1,2\n", "line 1: '0,1' is not a header"},
        BadTable{"time_s,x_mm\n0,1\n1\n", "line 3: found 1 columns, expected 2"},
        BadTable{"time_s,x_mm\n0,a\n", "line 2: 'a' is not a number"},
        BadTable{"# a log\ntime_s,qw,qx,qy,qz\n0,1,0,0,0\n1,0.5,0,0,0\n",
                 "line 4: has the quaternion (0.5, 0, 0, 0) of norm 0.5; expected 1"},
        BadTable{"time_s,x_mm\n", "has no rows"}}) {
    const Scratch scratch(Communicator::Self());
    PutFile(Communicator::Self(), scratch / "way.csv", bad.table);
    PutFile(Communicator::Self(), scratch / "scene.ini", kScene + "motion = way.csv\n");
    const std::string scene = scratch / "scene.ini";
    ExpectOneError(MessageOf<FileError>([&] { ReadRunConfig(ReadSceneFile(scene), scene, {}); }),
                   {"scene.ini:16: [wall.w] motion: ", bad.message}, bad.table);
  }
  const Scratch scratch(Communicator::Self());
  EXPECT_THROW(Read("motion = nowhere.csv\n"), FileError);
}

/// The name of a file is a value like any other: it may contain #, and a comment may follow it.
TEST(WallMotionKeys, NameOfATableIsScannedLikeAllValues) {
  const Scratch scratch(Communicator::Self());
  for (const char* const name : {"way.csv", "way#2.csv", "way;3.csv"}) {
    PutFile(Communicator::Self(), scratch / name, "time_s,x_mm\n0,0\n1,3\n");
    for (const char* const comment : {"", " ; how it moves", "\t# it moves"}) {
      const RunConfig config =
          ReadRunConfig(kScene + "motion = " + name + comment + "\n", scratch / "scene.ini", {});
      EXPECT_EQ(config.scene.walls[0].table.Values(MotionTable::kX),
                (std::vector<double>{0.0, 0.003}))
          << name << comment;
    }
  }
}

TEST(WallMotionKeys, FreeWallHasItsForces) {
  const FreeMotion lid =
      Read(
          "free = along\naxis = 0 0 -1\nmass = 20 g\npressure = 2 kPa\narea = 4 cm^2\n"
          "spring = 3 N/m\nspring_rest = 1 mm\ndamping = 2 N s/m\nforce = -1 N\nfree_from = 0.1 "
          "ms\n"
          "velocity = 0.1 0 0 m/s\nangular_velocity = 0 0 5 1/s\n")
          .scene.walls.at(0)
          .free;
  EXPECT_EQ(lid.freedom, Freedom::kAlong);
  EXPECT_EQ(lid.mass, 0.02);
  EXPECT_EQ(lid.pressure, 2000.0);
  EXPECT_EQ(lid.area, 4e-4);
  EXPECT_EQ(lid.spring, 3.0);
  EXPECT_EQ(lid.spring_rest, 1e-3);
  EXPECT_EQ(lid.damping, 2.0);
  EXPECT_EQ(lid.force, -1.0);
  EXPECT_EQ(lid.start, 1e-4);
  const FreeMotion door = Read(
                              "free = about\naxis = 0 1 0\ninertia = 2 kg cm^2\nmass = 1 "
                              "kg\ncentre_of_mass = 1 2 3 cm\n"
                              "torque = 5 N m\ntorsion_spring = 2 N m\ntorsion_rest = 90 "
                              "deg\ntorsion_damping = 1 N m s\n"
                              "velocity = 0.1 0 0 m/s\n")
                              .scene.walls.at(0)
                              .free;
  EXPECT_EQ(door.freedom, Freedom::kAbout);
  EXPECT_DOUBLE_EQ(door.inertia, 2e-4);
  EXPECT_EQ(*door.centre_of_mass, Vec3(0.01, 0.02, 0.03));
  EXPECT_NEAR(door.torsion_rest, 1.5707963267949, 1e-12);
}

TEST(WallMotionKeys, LaterMotionsContinueEarlierOnes) {
  const RunConfig config = Read(
      "velocity = 1 0 0 m/s\nmoves_until = 0.1 ms\n"
      "[motion.back]\nwall = w\nfrom = 0.2 ms\nuntil = 0.4 ms\nvelocity = -1 0 0 m/s\n"
      "[motion.swing]\nwall = w\nfrom = 0.4 ms\namplitude = 0 1 0 mm\nfrequency = 10 Hz\n");
  const Wall& wall = config.scene.walls.at(0);
  ASSERT_EQ(wall.motions.size(), 2u);
  const auto x = [&](std::int64_t step) {
    return WallPoses(config.scene, 1e-5, step)[0].displacement.x();
  };
  EXPECT_NEAR(x(10), 1e-4, 1e-15);
  EXPECT_NEAR(x(20), 1e-4, 1e-15);
  EXPECT_NEAR(x(30), 0.0, 1e-15);
  EXPECT_NEAR(x(90), -1e-4, 1e-15);
  EXPECT_EQ(WallPoses(config.scene, 1e-5, 15)[0].velocity, Vec3::Zero());
  EXPECT_EQ(EffectiveIni(ReadRunConfig(EffectiveIni(config), "again", {})), EffectiveIni(config));
}

TEST(WallMotionKeys, OneMotionMovesSeveralWalls) {
  const RunConfig config = Read(
      "[wall.v]\nshape = plane\npoint = 0 0 1 cm\nnormal = 0 0 -1\nvelocity = 0 1 0 m/s\n"
      "[motion.swing]\nwall = w v\nfrom = 0.2 ms\namplitude = 1 0 0 mm\nfrequency = 250 Hz\n");
  const std::vector<WallPose> poses = WallPoses(config.scene, 1e-5, 120);
  EXPECT_TRUE(poses[0].displacement.isApprox(Vec3(1e-3, 0, 0)));
  EXPECT_TRUE(poses[1].displacement.isApprox(Vec3(1e-3, 1.2e-3, 0)));
  EXPECT_EQ(EffectiveIni(ReadRunConfig(EffectiveIni(config), "again", {})), EffectiveIni(config));
}

const char* const kLid = "free = along\naxis = 0 0 1\nmass = 1 kg\n";

TEST(WallMotionKeys, ErrorsOfMotionsAreOneSentence) {
  const std::string lid = kLid;
  const std::vector<std::pair<std::string, std::vector<std::string>>> scenes = {
      {"motion = time_s 0 1, x_mm 0 1 2\n", {":16: [wall.w] motion", "3 values of x for 2 times"}},
      {"motion = time_s 0 1\n", {":16: [wall.w] motion", "no column besides the time"}},
      {"motion = time_s 0, x_mm 1\n", {"has 1 rows; expected at least 2"}},
      {"motion = x_mm 0 1\n", {":16: [wall.w] motion", "no column of times"}},
      {"motion = time_s 0 1 1, x_mm 0 1 2\n", {"row 3", "expected increasing times"}},
      {"motion = time_s 0 1, w_mm 0 1\n", {"a column \"w\"", "x, y, z, angle"}},
      {"motion = time_s 0 1, x_kg 0 1\n", {"column \"x_kg\"", "a mass [kg], expected a length"}},
      {"motion = time_s 0 1, x_mm 0 one\n", {"column \"x_mm\"", "expected 2 numbers"}},
      {"motion = time_s 0 1, x_mm 0 1, vx_m/s 0 1\n", {"both x and vx"}},
      {"motion = time_s 0 1, roll_deg 0 1, qw 1 1\n", {":16: [wall.w] motion", "both qw and roll"}},
      {"motion = time_s 0 1, qw 1 1\n", {":16: [wall.w] motion", "has qw without qx"}},
      {"motion = time_s 0 1, yaw_deg 0 180\n",
       {":16: [wall.w] motion", "row 2 changes yaw by 180"}},
      {"motion = time_s 0 1, yaw_deg 0 90\nangular_velocity = 0 0 1 1/s\n",
       {":17: [wall.w] angular_velocity", "about another axis at the same time"}},
      {lid + "motion = time_s 0 1, yaw_deg 0 90\n",
       {":19: [wall.w] motion", "orientations, which cannot be combined with free = along"}},
      {"motion = time_s 0 1, x_mm 0 1, x_m 0 1\n", {"the column \"x\" twice"}},
      {"motion_repeats = yes\n", {":16: [wall.w] motion_repeats", "no effect without motion"}},
      {"motion = time_s 0 1, angle_deg 0 1\n", {"[wall.w] motion", "lacks the key \"axis\""}},
      {"axis = 0 0 1\n", {":16: [wall.w] axis", "has no effect"}},
      {"velocity = 1 0 0 m/s\nmoves_from = 15 us\n", {":17: [wall.w] moves_from", "1.5 steps"}},
      {"velocity = 1 0 0 m/s\nmoves_from = 20 us\nmoves_until = 10 us\n",
       {":18: [wall.w] moves_until", "expected more than moves_from, 2e-05 s"}},
      {"moves_from = 10 us\n", {":16: [wall.w] moves_from", "no effect on a wall without"}},
      {"appears_at = 20 us\nremoved_at = 20 us\n", {":17: [wall.w] removed_at", "appears_at"}},
      {"free = yes\n", {":16: [wall.w] free", "no | along | about"}},
      {"free = along\nmass = 1 kg\n", {":16: [wall.w] free", "lacks the key \"axis\""}},
      {"free = along\naxis = 0 0 1\n", {"lacks the key \"mass\""}},
      {"free = along\naxis = 0 0 1\nmass = 0 kg\n", {":18: [wall.w] mass", "expected > 0"}},
      {"mass = 1 kg\n", {":16: [wall.w] mass", "does not belong to a wall with free = no"}},
      {lid + "torque = 1 N m\n", {":19: [wall.w] torque", "with free = along"}},
      {lid + "pressure = 1 kPa\n", {":19: [wall.w] pressure", "no effect without area"}},
      {lid + "area = 1 cm^2\n", {":19: [wall.w] area", "no effect without pressure"}},
      {lid + "pressure = 1 N\narea = 1 cm^2\n", {":19: [wall.w] pressure", "a force [N]"}},
      {lid + "spring_rest = 1 mm\n", {":19: [wall.w] spring_rest", "no effect without spring"}},
      {lid + "damping = -1 N s/m\n", {":19: [wall.w] damping", "expected >= 0"}},
      {lid + "velocity = 0 0 1 m/s\n", {":19: [wall.w] velocity", "forces move the wall"}},
      {lid + "angular_velocity = 1 0 0 1/s\n", {"angular_velocity", "is not along the axis"}},
      {lid + "motion = time_s 0 1, z_mm 0 1\n", {":19: [wall.w] motion", "forces move the wall"}},
      {lid + "free_from = 15 us\n", {":19: [wall.w] free_from", "1.5 steps"}},
      {"free = about\naxis = 0 0 1\n", {"lacks the key \"inertia\""}},
      {"free = about\naxis = 0 0 1\ninertia = 1 kg m^2\nmass = 1 kg\n",
       {":19: [wall.w] mass", "no effect without centre_of_mass"}},
      {"free = about\naxis = 0 0 1\ninertia = 1 kg m^2\nangular_velocity = 0 0 1 1/s\n",
       {":19: [wall.w] angular_velocity", "no prescribed rotation"}},
      {"free = about\naxis = 0 0 0\ninertia = 1 kg m^2\n", {":17: [wall.w] axis", "zero vector"}},
      {"[motion.m]\nwall = ww\nfrom = 0 s\nvelocity = 1 0 0 m/s\n",
       {":17: [motion.m] wall", "there is no [wall.ww]", "did you mean \"w\""}},
      {"[motion.m]\nwall = w w\nfrom = 0 s\nvelocity = 1 0 0 m/s\n",
       {":17: [motion.m] wall", "names w twice"}},
      {"[motion.m]\nfrom = 0 s\nvelocity = 1 0 0 m/s\n", {":16: [motion.m]", "the key \"wall\""}},
      {"[motion.m]\nwall = w\nvelocity = 1 0 0 m/s\n", {":16: [motion.m]", "the key \"from\""}},
      {"[motion.m]\nwall = w\nfrom = 10 us\n", {":17: [motion.m] wall", "is not moved"}},
      {"[motion.m]\nwall = w\nfrom = 10 us\nuntil = 10 us\nvelocity = 1 0 0 m/s\n",
       {":19: [motion.m] until", "expected more than from"}},
      {"angular_velocity = 0 0 1 1/s\n"
       "[motion.m]\nwall = w\nfrom = 10 us\nangular_velocity = 0 1 0 1/s\n",
       {":20: [motion.m] angular_velocity", "about another axis at the same time"}},
      {lid + "[motion.m]\nwall = w\nfrom = 10 us\nvelocity = 0 0 1 m/s\n",
       {":22: [motion.m] velocity", "forces move the wall"}},
  };
  EXPECT_GE(scenes.size(), 30u);
  for (const auto& [keys, fragments] : scenes) {
    const std::string error = ErrorOf(keys);
    EXPECT_TRUE(error.starts_with("scene.ini")) << keys << error;
    ExpectOneError(error, fragments, keys);
  }
}

}  // namespace
}  // namespace scree::wall_motion_keys_test
