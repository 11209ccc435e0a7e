// Walls from scene text: every shape, and errors.
#include <gtest/gtest.h>

#include "io/scene/key_groups.hpp"
#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::wall_keys_test {
namespace {

struct ParsedWalls {
  std::vector<Wall> walls;
  std::string errors;
};

/// The walls of these sections.
ParsedWalls ReadText(const std::string& text) {
  ErrorList errors;
  const IniFile file = ScanIni(text, "scene.ini", errors);
  const Settings settings(file, {}, errors);
  RunConfig run;
  run.scene.materials.Add({"grain"}, 0.5);
  scree::WallKeys().read(settings, errors, run);
  ParsedWalls parsed{run.scene.walls, ""};
  parsed.errors = RefusalOf<InputError>([&] { errors.ThrowIfAny(); });
  return parsed;
}

template <class Part>
Part OnlyPart(const std::string& keys) {
  const ParsedWalls parsed = ReadText("[wall.w]\n" + keys);
  EXPECT_EQ(parsed.errors, "");
  return std::get<Part>(parsed.walls.at(0).shape.parts.at(0));
}

TEST(WallKeys, ShapesHaveTheValuesOfTheirKeys) {
  const auto ball = OnlyPart<Ball>("shape = sphere\npoint = 1 2 3 cm\ndiameter = 4 mm\n");
  EXPECT_EQ(ball.centre, Vec3(0.01, 0.02, 0.03));
  EXPECT_EQ(ball.radius, 0.002);
  const auto pipe = OnlyPart<Pipe>("shape = pipe\nfrom = 0 0 1\nto = 0 0 3\nradius = 5 mm\n");
  EXPECT_EQ(pipe.from, Vec3(0, 0, 1));
  EXPECT_EQ(pipe.to, Vec3(0, 0, 3));
  EXPECT_EQ(pipe.radius, 0.005);
  const auto cone = OnlyPart<Cone>(
      "shape = cone\nfrom = 0 0 1\nto = 0 0 3\nfrom_radius = 0 m\nto_radius = 2 cm\n");
  EXPECT_EQ(cone.from_radius, 0.0);
  EXPECT_EQ(cone.to_radius, 0.02);
  const auto disk = OnlyPart<Disk>("shape = disk\npoint = 1 1 1\nnormal = 0 0 -2\nradius = 1 m\n");
  EXPECT_EQ(disk.normal, Vec3(0, 0, -1));
  EXPECT_EQ(disk.hole, 0.0);
}

TEST(WallKeys, MeshAcceptsOneScaleFactorOrThree) {
  const std::string mesh = "shape = mesh\nfile = a.stl\n";
  EXPECT_EQ(OnlyPart<Mesh>(mesh).scale, Vec3::Ones());
  EXPECT_EQ(OnlyPart<Mesh>(mesh + "scale = 2\n").scale, Vec3(2, 2, 2));
  EXPECT_EQ(OnlyPart<Mesh>(mesh + "scale = 1 -2 0.5\n").scale, Vec3(1, -2, 0.5));
  for (const auto& [scale, message] :
       {std::pair("1 2", "has 2 factors; expected one or three"),
        std::pair("1 0 1", "is 1 0 1; expected factors that are not 0"),
        std::pair("0", "is 0 0 0; expected factors that are not 0"), std::pair("2 mm", "scale")}) {
    const std::string errors = ReadText("[wall.w]\n" + mesh + "scale = " + scale + "\n").errors;
    ExpectOneError(errors, {"scene.ini:4: [wall.w] scale", message}, scale);
  }
}

TEST(WallKeys, KeyStopsNamesMaterials) {
  const std::string plane = "[wall.w]\nshape = plane\npoint = 0 0 0\nnormal = 0 0 1\n";
  const ParsedWalls all = ReadText(plane), grains_only = ReadText(plane + "stops = grain grain\n");
  EXPECT_TRUE(all.walls.at(0).StopsAll());
  EXPECT_TRUE(all.walls[0].Stops(7));
  EXPECT_EQ(grains_only.walls.at(0).stops, std::vector<MaterialId>{0});
  EXPECT_TRUE(grains_only.walls[0].Stops(0));
  EXPECT_FALSE(grains_only.walls[0].Stops(1));
  const std::string errors = ReadText(plane + "stops = grain sand\n").errors;
  EXPECT_NE(errors.find("there is no [material.sand]"), std::string::npos) << errors;
  const std::string dotted = ReadText(plane + "stops = grain.a\n").errors;
  EXPECT_NE(dotted.find("there is no [material.grain.a]"), std::string::npos) << dotted;
}

TEST(WallKeys, MotionsHaveTheValuesOfTheirKeys) {
  const std::string plane = "[wall.w]\nshape = plane\npoint = 0 0 0\nnormal = 0 0 1\n";
  const ParsedWalls resting = ReadText(plane);
  EXPECT_EQ(resting.walls.at(0).oscillation.frequency, 0.0);
  EXPECT_EQ(resting.walls[0].rotation.angular_velocity, Vec3::Zero());
  EXPECT_EQ(resting.walls[0].removed_at, HUGE_VAL);
  const ParsedWalls moving = ReadText(plane +
                                      "amplitude = 0 0 2 mm\nfrequency = 30 Hz\nphase = 90 deg\n"
                                      "angular_velocity = 0 3 0 1/s\ncentre = 1 2 3 cm\n"
                                      "removed_at = 20 ms\n");
  EXPECT_EQ(moving.errors, "");
  const Wall& wall = moving.walls.at(0);
  EXPECT_EQ(wall.oscillation.amplitude, Vec3(0, 0, 0.002));
  EXPECT_EQ(wall.oscillation.frequency, 30.0);
  EXPECT_NEAR(wall.oscillation.phase, 0.5 * 3.14159265358979, 1e-14);
  EXPECT_EQ(wall.rotation.angular_velocity, Vec3(0, 3, 0));
  EXPECT_EQ(wall.rotation.centre, Vec3(0.01, 0.02, 0.03));
  EXPECT_EQ(wall.removed_at, 0.02);
}

TEST(WallKeys, MeshHasAFileAndItsPlacement) {
  const auto mesh = OnlyPart<Mesh>("shape = mesh\nfile = a b.stl\nunit = 1 mm\nsolid = inside\n");
  EXPECT_EQ(mesh.file, "a b.stl");
  EXPECT_EQ(mesh.unit, 0.001);
  EXPECT_EQ(mesh.solid, MeshSolid::kInside);
  EXPECT_EQ(mesh.surface, nullptr);
}

struct BadWall {
  const char* keys;
  std::vector<std::string> fragments;
};

TEST(WallKeys, BadWallGivesTheLineAndTheExpectedValue) {
  const std::vector<BadWall> walls = {
      {"shape = sphre\npoint = 0 0 0\nradius = 1\n", {":2:", "did you mean \"sphere\""}},
      {"shape = sphere\nradius = 1\n", {"lacks the key \"point\""}},
      {"shape = sphere\npoint = 0 0 0\n", {"lacks the key \"radius\" or \"diameter\""}},
      {"shape = sphere\npoint = 0 0 0\nradius = 1\nhole = 1 mm\n",
       {":5: [wall.w] hole", "does not belong to a sphere"}},
      {"shape = pipe\nfrom = 0 0 1\nto = 0 0 1\nradius = 1\n",
       {":4: [wall.w] to", "a pipe needs two ends"}},
      {"shape = cone\nfrom = 0 0 1\nto = 0 0 1\nfrom_radius = 1\nto_radius = 2\n",
       {":4: [wall.w] to", "a cone needs two ends"}},
      {"shape = cone\nfrom = 0 0 1\nto = 0 0 2\nfrom_radius = 0\nto_radius = 0\n",
       {":6: [wall.w] to_radius", "a tip at one end at most"}},
      {"shape = cone\nfrom = 0 0 1\nto = 0 0 2\nfrom_radius = 1\n",
       {"lacks the key \"to_radius\""}},
      {"shape = cone\nfrom = 0 0 1\nto = 0 0 2\nfrom_radius = -1 mm\nto_radius = 1\n",
       {":5: [wall.w] from_radius", "expected >= 0"}},
      {"shape = disk\npoint = 0 0 0\nnormal = 0 0 0\nradius = 1\n", {":4:", "zero vector"}},
      {"shape = disk\npoint = 0 0 0\nnormal = 0 0 1\nradius = 2 cm\nhole = 2 cm\n",
       {":6: [wall.w] hole", "is 0.02 m", "less than the radius, 0.02 m"}},
      {"velocity = 1 0 0 m/s\n", {"lacks the key \"shape\""}},
      {"shape = mesh\n", {"lacks the key \"file\""}},
      {"shape = mesh\nfile = a.ply\n", {":3: [wall.w] file", "expected an .stl or .obj file"}},
      {"shape = mesh\nfile = a.stl\nunit = 0 mm\n", {":4: [wall.w] unit", "expected > 0"}},
      {"shape = mesh\nfile = a.stl\nsolid = yes\n", {"expected no | inside | outside"}},
      {"shape = sphere\npoint = 0 0 0\nradius = 1\namplitude = 1 0 0 mm\n",
       {":5: [wall.w] amplitude", "oscillation without frequency"}},
      {"shape = sphere\npoint = 0 0 0\nradius = 1\nfrequency = 1 Hz\n",
       {":5: [wall.w] frequency", "oscillation without amplitude"}},
      {"shape = sphere\npoint = 0 0 0\nradius = 1\nfrequency = -1 Hz\n",
       {"out of range, expected >= 0"}},
      {"shape = sphere\npoint = 0 0 0\nradius = 1\nangular_velocity = 1 0 0 m/s\n",
       {":5:", "a speed [m/s]"}},
      {"shape = sphere\npoint = 0 0 0\nradius = 1\nremoved_at = 0 s\n",
       {":5: [wall.w] removed_at", "expected > 0"}},
  };
  for (const BadWall& wall : walls) {
    const std::string error = ReadText(std::string("[wall.w]\n") + wall.keys).errors;
    ExpectOneError(error, wall.fragments, wall.keys);
  }
}

TEST(WallKeys, PartsCannotMoveOrBeMeshes) {
  const std::string part = "[wall.w.one]\nshape = sphere\npoint = 0 0 0\nradius = 1\n";
  EXPECT_NE(ReadText(part + "centre = 1 0 0\n").errors.find("does not belong to a part of a wall"),
            std::string::npos);
  EXPECT_NE(
      ReadText("[wall.w.one]\nshape = mesh\nfile = a.stl\n").errors.find("a separate [wall.NAME]"),
      std::string::npos);
}

TEST(WallKeys, PartsOfAUnionAreGroupedInTheOrderOfFirstMention) {
  const ParsedWalls parsed = ReadText(
      "[wall.both.one]\nshape = sphere\npoint = 0 0 0\nradius = 1\n"
      "[wall.floor]\nshape = plane\npoint = 0 0 0\nnormal = 0 0 1\n"
      "[wall.both.two]\nshape = sphere\npoint = 1 0 0\nradius = 1\n");
  EXPECT_EQ(parsed.errors, "");
  ASSERT_EQ(parsed.walls.size(), 2u);
  EXPECT_EQ(parsed.walls[0].name, "both");
  EXPECT_EQ(parsed.walls[0].shape.parts.size(), 2u);
}

}  // namespace
}  // namespace scree::wall_keys_test
