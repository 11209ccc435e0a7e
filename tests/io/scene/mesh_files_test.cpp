// Meshes of a scene from their files, equal on all ranks.
#include "io/scene/scene_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/geometry/triangle_mesh.hpp"
#include "io/scene/scene_file.hpp"
#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"
#include "tests/support/meshes.hpp"

namespace scree::mesh_files_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A box of one metre and a wall of this mesh.
Scene SceneOf(const Mesh& mesh) {
  Scene scene;
  scene.domain.box.upper = Vec3::Ones();
  scene.walls.push_back({"part", {{mesh}}});
  return scene;
}

std::vector<std::string> Load(const std::string& scene_file, Scene& scene) {
  RunConfig config;
  config.scene = scene;
  auto messages = LoadMeshes(Communicator::World(), {.scene_file = scene_file}, config);
  scene = config.scene;
  return messages;
}

std::string FileErrorOf(const std::string& bytes, MeshSolid solid = MeshSolid::kNo) {
  const Communicator world = Communicator::World();
  const Scratch scratch(world);
  PutFile(world, scratch / "part.stl", bytes);
  Scene scene = SceneOf({.file = scratch / "part.stl", .solid = solid});
  return MessageOf<FileError>([&] { Load("", scene); });
}

struct MeshFiles : InScratch {};

TEST_F(MeshFiles, UnitAndScaleComeBeforeTurnAndOffset) {
  PutFile(world, scratch / "part.stl",
          test::BinaryStl(test::BoxSurface({Vec3(0, 0, 0), Vec3(100, 200, 300)})));
  Scene scene = SceneOf({.file = scratch / "part.stl",
                         .unit = 1e-3,
                         .scale = Vec3(2, 1, 1),
                         .rotation = Vec3(0, 0, 0.5 * 3.14159265358979323846),
                         .offset = Vec3(0.5, 0, 0),
                         .solid = MeshSolid::kInside});
  Load("", scene);
  const TriangleMesh* mesh = MeshOf(scene.walls[0].shape);
  ASSERT_NE(mesh, nullptr);
  EXPECT_LT((mesh->Bounds().lower - Vec3(0.3, 0, 0)).norm(), 1e-12);
  EXPECT_LT((mesh->Bounds().upper - Vec3(0.5, 0.2, 0.3)).norm(), 1e-12);
  EXPECT_EQ(mesh->Corners().size(), 12u);
  EXPECT_TRUE(IsWithin(scene.walls[0].shape, {0.4, 0.1, 0.15}, 1e-3));
  EXPECT_FALSE(IsWithin(scene.walls[0].shape, {0.6, 0.1, 0.15}, 0.09));
}

TEST_F(MeshFiles, LinkWithADensityGetsTheMassOfItsMesh) {
  PutFile(world, scratch / "part.stl",
          test::BinaryStl(test::BoxSurface({Vec3(0, 0, 0), Vec3(0.1, 0.2, 0.3)})));
  Scene scene = SceneOf({.file = scratch / "part.stl", .solid = MeshSolid::kInside});
  scene.links.push_back({.name = "part", .density = 1000.0});
  scene.joints.emplace_back().kind = JointKind::kFree;
  scene.walls[0].link = 0;
  Load("", scene);
  EXPECT_NEAR(scene.links[0].mass, 6.0, 1e-6);  // the file has single precision
  EXPECT_LT((scene.links[0].centre - Vec3(0.05, 0.1, 0.15)).norm(), 1e-7);
  EXPECT_NEAR(scene.links[0].inertia(0, 0), 6.0 / 12.0 * 0.13, 1e-6);
  scene.walls.push_back({"rod", {{Cylinder{Vec3(0.05, 0.1, 0), Vec3(0.05, 0.1, 1), 0.01}}}});
  scene.walls[1].link = 0;
  EXPECT_THAT(MessageOf<InputError>([&] { Load("", scene); }),
              HasSubstr("[link.part] density: would count twice where [wall.part] and [wall.rod]"));
}

TEST_F(MeshFiles, FlippedTrianglesFaceToTheOtherSide) {
  PutFile(world, scratch / "part.stl",
          test::BinaryStl(test::BoxSurface({Vec3::Zero(), Vec3::Ones()})));
  for (const bool flip : {false, true}) {
    Scene scene =
        SceneOf({.file = scratch / "part.stl", .flip = flip, .solid = MeshSolid::kOutside});
    if (!flip) {
      EXPECT_THAT(MessageOf<FileError>([&] { Load("", scene); }),
                  HasSubstr("must face inwards, out of the solid; expected flip = yes"));
      continue;
    }
    Load("", scene);
    EXPECT_TRUE(IsWithin(scene.walls[0].shape, {0.5, 0.5, 2.0}, 0.1));
    EXPECT_FALSE(IsWithin(scene.walls[0].shape, {0.5, 0.5, 0.5}, 0.1));
  }
}

/// A mirrored solid stays a solid, because its triangles are reversed once more.
TEST_F(MeshFiles, NegativeFactorsMirrorASolid) {
  PutFile(world, scratch / "part.stl",
          test::BinaryStl(test::BoxSurface({Vec3::Zero(), Vec3(1, 2, 3)})));
  for (const Vec3& scale : {Vec3(-1, 1, 1), Vec3(1, -1, -1), Vec3(-2, -2, -2)}) {
    Scene scene =
        SceneOf({.file = scratch / "part.stl", .scale = scale, .solid = MeshSolid::kInside});
    Load("", scene);
    const Vec3 inner_point = scale.cwiseProduct(Vec3(0.5, 1.0, 1.5));
    EXPECT_TRUE(IsWithin(scene.walls[0].shape, inner_point, 0.1)) << scale.transpose();
    EXPECT_FALSE(IsWithin(scene.walls[0].shape, -inner_point, 0.1)) << scale.transpose();
  }
}

TEST_F(MeshFiles, FilesAreFoundInTheFolderOfTheScene) {
  PutFile(world, scratch / "part_beside_scene.stl",
          test::TextStl(test::BoxSurface({Vec3::Zero(), Vec3::Ones()})));
  Scene scene = SceneOf({"part_beside_scene.stl"});
  Load(scratch / "scene.ini", scene);
  EXPECT_EQ(std::get<Mesh>(scene.walls[0].shape.parts[0]).file, scratch / "part_beside_scene.stl");
  scene = SceneOf({"part_beside_scene.stl"});
  EXPECT_THAT(MessageOf<FileError>([&] { Load("", scene); }), HasSubstr("part_beside_scene.stl"));
}

TEST_F(MeshFiles, ErrorsNameTheDamagedFileAndTheDamage) {
  const std::vector<Triangle> cube = test::BoxSurface({Vec3::Zero(), Vec3::Ones()});
  const std::string intact = test::BinaryStl(cube);
  EXPECT_THAT(FileErrorOf(intact.substr(0, 300)),
              AllOf(HasSubstr("part.stl' "), HasSubstr("truncated")));
  EXPECT_THAT(FileErrorOf("solid a\nendsolid a\n"), HasSubstr("no triangles"));
  std::string nan = test::TextStl(cube);
  nan.replace(nan.find("vertex") + 7, 1, "nan");
  EXPECT_THAT(FileErrorOf(nan), HasSubstr("triangle 1 of 12"));
  EXPECT_THAT(FileErrorOf(intact, MeshSolid::kOutside), HasSubstr("inside out"));
}

TEST_F(MeshFiles, MissingFileNamesTheLineOfTheScene) {
  PutFile(
      world, scratch / "scene.ini",
      "[wall.part]\nshape = mesh\nfile = none.stl ; yet\n[domain]\nlower = 0 0 0\nupper = 1 1 1\n"
      "[time]\nend = 1 s\n[initial]\nfile = grains.csv\n");
  EXPECT_THAT(MessageOf<FileError>([&] { ReadRunConfig(world, scratch / "scene.ini"); }),
              AllOf(HasSubstr("scene.ini:3: [wall.part] file: "), HasSubstr("none.stl")));
}

TEST_F(MeshFiles, DegenerateTrianglesAreDroppedWithAMessage) {
  std::vector<Triangle> cube = test::BoxSurface({Vec3::Zero(), Vec3::Ones()});
  cube.push_back({Vec3::Zero(), Vec3::Zero(), Vec3::Ones()});
  cube.insert(cube.begin(), {Vec3::Zero(), Vec3(0.5, 0, 0), Vec3(1, 0, 0)});
  PutFile(world, scratch / "part.stl", test::BinaryStl(cube));
  Scene scene = SceneOf({.file = scratch / "part.stl", .solid = MeshSolid::kInside});
  const std::vector<std::string> messages = Load("", scene);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_THAT(messages[0], HasSubstr("2 of 14 triangles are degenerate"));
  EXPECT_EQ(MeshOf(scene.walls[0].shape)->Corners().size(), 12u);
  EXPECT_THAT(FileErrorOf(test::BinaryStl({cube.front()})), HasSubstr("all 1 are degenerate"));
}

/// The file is valid, but the keys of its wall make the mesh invalid.
TEST_F(MeshFiles, KeysThatFlattenOrMoveAMeshFarAwayAreAnError) {
  PutFile(world, scratch / "part.stl",
          test::BinaryStl(test::BoxSurface({Vec3::Zero(), Vec3::Ones()})));
  for (const Mesh& mesh : {Mesh{.file = scratch / "part.stl", .offset = Vec3(1e41, 0, 0)},
                           Mesh{.file = scratch / "part.stl", .scale = Vec3(1e12, 1, 1)}}) {
    Scene scene = SceneOf(mesh);
    EXPECT_THAT(MessageOf<InputError>([&] { Load("", scene); }),
                AllOf(HasSubstr("[wall.part] scale, unit, turn and offset make"),
                      HasSubstr("of 12 triangles"), HasSubstr("expected other scales")));
  }
}

TEST_F(MeshFiles, ErrorOfAMeshOutsideTheDomainNamesTheUnit) {
  PutFile(world, scratch / "part.stl",
          test::BinaryStl(test::BoxSurface({Vec3::Constant(100), Vec3::Constant(200)})));
  Scene scene = SceneOf({scratch / "part.stl"});
  EXPECT_THAT(MessageOf<InputError>([&] { Load("", scene); }),
              AllOf(HasSubstr("[wall.part] file"), HasSubstr("expected another unit (1 m)")));
  scene.domain.periodic = {true, true, true};
  EXPECT_THROW(Load("", scene), InputError) << "a hundred periods away";
}

TEST_F(MeshFiles, MeshBeyondAPeriodicEndHasItsImageInTheDomain) {
  PutFile(world, scratch / "part.stl",
          test::BinaryStl(test::BoxSurface({Vec3(1.2, 0, 0), Vec3(1.4, 1, 1)})));
  Scene scene = SceneOf({scratch / "part.stl"});
  EXPECT_THROW(Load("", scene), InputError);
  scene.domain.periodic[0] = true;
  EXPECT_NO_THROW(Load("", scene));
}

}  // namespace
}  // namespace scree::mesh_files_test
