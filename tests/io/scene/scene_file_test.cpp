// Files that a scene names are found in the working directory or in the scene's folder.
#include "io/scene/scene_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/io/scratch.hpp"

namespace scree::scene_file_test {
namespace {

TEST(SceneFile, InitialFileIsFoundInTheFolderOfTheSceneOnEveryRank) {
  const Communicator world = Communicator::World();
  const Scratch scratch(world);
  PutFile(world, scratch / "grains_beside_scene.csv", "x,y,z,radius\n");
  RunConfig config;
  config.initial.file = "grains_beside_scene.csv";
  FindFiles(world, {.scene_file = scratch / "scene.ini"}, config);
  EXPECT_EQ(config.initial.file, scratch / "grains_beside_scene.csv");
}

TEST(SceneFile, PathThatACheckpointCannotHoldIsAnErrorOnEveryRank) {
  const Communicator world = Communicator::World();
  const Scratch scratch(world);
  RunConfig config;
  config.initial.file = scratch / "run #2/grains.csv";  // the rest would be a comment
  EXPECT_THAT(MessageOf<InputError>(
                  [&] { FindFiles(world, {.scene_file = scratch / "scene.ini"}, config); }),
              testing::AllOf(testing::HasSubstr("[initial] file"), testing::HasSubstr("# or ;")));
}

TEST(SceneFile, MissingFilesKeepTheirNames) {
  const Communicator world = Communicator::World();
  const Scratch scratch(world);
  RunConfig config;
  FindFiles(world, {.scene_file = scratch / "scene.ini"}, config);
  EXPECT_EQ(config.initial.file, "");
  config.initial.file = "no_such_grains.csv";
  FindFiles(world, {.scene_file = scratch / "scene.ini"}, config);
  EXPECT_EQ(config.initial.file, "no_such_grains.csv");
  FindFiles(world, {.scene_file = ""}, config);
  EXPECT_EQ(config.initial.file, "no_such_grains.csv");
}

}  // namespace
}  // namespace scree::scene_file_test
