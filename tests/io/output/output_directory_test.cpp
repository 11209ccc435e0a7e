#include "io/output/output_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "io/scene/table_files.hpp"
#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::output_directory_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct OutputDirectory : InScratch {};

TEST_F(OutputDirectory, IsCreatedWithParents) {
  PrepareOutputDirectory(world, scratch / "a/b", false);
  EXPECT_TRUE(std::filesystem::is_directory(scratch / "a/b/snapshots"));
  EXPECT_TRUE(std::filesystem::is_empty(scratch / "a/b/snapshots"));
  EXPECT_TRUE(std::filesystem::is_empty(scratch / "a/b/averages"));
}

TEST_F(OutputDirectory, OverwriteRemovesOnlyFilesOfRuns) {
  PrepareOutputDirectory(world, scratch.Path(), false);
  const std::string run_files[] = {SnapshotFile(0), SnapshotFile(5) + ".tmp", kSeriesFile,
                                   kIndexFile, ProblemFile(5)};
  const std::string other_files[] = {"notes.txt", "snapshots/mine.h5", "snapshots/step_7.txt",
                                     "snapshots/step_best.h5"};
  for (const std::string& name : run_files) PutFile(world, scratch / name, "x");
  for (const std::string& name : other_files) PutFile(world, scratch / name, "x");
  PrepareOutputDirectory(world, scratch.Path(), true);
  for (const std::string& name : run_files)
    EXPECT_FALSE(std::filesystem::exists(scratch / name)) << name;
  for (const std::string& name : other_files) EXPECT_EQ(FileBytes(scratch / name), "x") << name;
}

TEST_F(OutputDirectory, OverwriteThatIsRefusedRemovesNothing) {
  const std::string folder = scratch / std::string(kIndexFile);  // a folder with the name of a file
  PutFile(world, scratch / kSeriesFile, "kept");
  if (world.IsRoot()) std::filesystem::create_directories(folder);
  world.Barrier();
  EXPECT_THAT(MessageOf<OutputError>([&] { PrepareOutputDirectory(world, scratch.Path(), true); }),
              AllOf(HasSubstr(folder), HasSubstr("is a folder")));
  EXPECT_EQ(FileBytes(scratch / kSeriesFile), "kept");
}

TEST_F(OutputDirectory, StepsReadBackFromTheNamesOfFiles) {
  for (const std::int64_t step : {std::int64_t{0}, std::int64_t{7}, std::int64_t{1234567890123}}) {
    EXPECT_EQ(StepOfName(StepName(step)), step);
  }
  EXPECT_EQ(StepName(1000), "step_000000001000.h5");  // alphabetical order is that of the steps
  for (const char* name : {"", ".h5", "step_.h5", "step_7.h5", "step_0000000000x7.h5",
                           "step_000000001000.h5.tmp", "step_000000001000", "step_0000000001000.h5",
                           "step_-00000000001.h5", "step_99999999999999999999.h5"}) {
    EXPECT_FALSE(StepOfName(name).has_value()) << name;
  }
}

TEST_F(OutputDirectory, CheckpointsCountAsEarlierOutput) {
  PrepareOutputDirectory(world, scratch.Path(), false);
  const std::string checkpoint_files[] = {
      "checkpoints/" + StepName(5), "checkpoints/" + StepName(5) + ".xxh64",
      "checkpoints/" + StepName(9) + ".tmp", "checkpoints/latest"};
  for (const std::string& name : checkpoint_files) PutFile(world, scratch / name, "x");
  PutFile(world, scratch / "checkpoints/mine", "x");
  EXPECT_THROW(PrepareOutputDirectory(world, scratch.Path(), false), InputError);
  PrepareOutputDirectory(world, scratch.Path(), true);
  for (const std::string& name : checkpoint_files) {
    EXPECT_FALSE(std::filesystem::exists(scratch / name)) << name;
  }
  EXPECT_EQ(FileBytes(scratch / "checkpoints/mine"), "x");
}

TEST_F(OutputDirectory, ContinuingRemovesOnlyLaterSnapshotsAndPartialFiles) {
  PrepareOutputDirectory(world, scratch.Path(), false);
  const std::string kept[] = {SnapshotFile(0),
                              SnapshotFile(100),
                              "snapshots/mine.h5",
                              kSeriesFile,
                              kLogFile,
                              "checkpoints/" + StepName(300),
                              SnapshotFile(50),
                              SnapshotFile(50) + ".xxh64",
                              "mine.tmp",
                              "snapshots/mine-1.lock",
                              ProblemFile(150)};  // of the last step before the restart
  const std::string removed[] = {kFailedFile,
                                 ProblemFile(151),
                                 SnapshotFile(150),
                                 SnapshotFile(200),
                                 SnapshotFile(100) + ".tmp",
                                 SnapshotFile(100) + ".tmp-1097793537-11672.lock",
                                 "checkpoints/" + StepName(400) + ".tmp",
                                 SnapshotFile(150) + ".xxh64",
                                 std::string(kFailedFile) + ".xxh64"};
  for (const std::string& name : kept) PutFile(world, scratch / name, "x");
  for (const std::string& name : removed) PutFile(world, scratch / name, "x");
  ContinueOutputDirectory(world, scratch.Path(), 150, {0, 100});
  for (const std::string& name : kept) EXPECT_EQ(FileBytes(scratch / name), "x") << name;
  for (const std::string& name : removed)
    EXPECT_FALSE(std::filesystem::exists(scratch / name)) << name;
}

TEST_F(OutputDirectory, ContinuingReportsRemovedAndMissingFiles) {
  PrepareOutputDirectory(world, scratch.Path(), false);
  for (const std::int64_t step : {0, 150, 200}) PutFile(world, scratch / SnapshotFile(step), "x");
  FoundSnapshots snapshots = ContinueOutputDirectory(world, scratch.Path(), 150, {0, 50, 100});
  std::sort(snapshots.removed.begin(), snapshots.removed.end());
  using Steps = std::vector<std::int64_t>;
  EXPECT_EQ(snapshots.removed, world.IsRoot() ? Steps({150, 200}) : Steps());
  EXPECT_EQ(snapshots.missing, world.IsRoot() ? Steps({50, 100}) : Steps());
}

TEST_F(OutputDirectory, LinkIsNotWrittenThrough) {
  PutFile(world, scratch / "victim", "kept");
  for (const char* name : {".scree_write_test", "series.csv", "config.ini.tmp"}) {
    const std::string link = scratch / name + std::string("_out");
    if (world.IsRoot()) {
      std::filesystem::create_directories(link);
      std::filesystem::create_symlink(scratch / "victim", link + "/" + name);
    }
    world.Barrier();
    EXPECT_THAT(
        MessageOf<OutputError>([&] { ContinueOutputDirectory(world, link, 0, {}); }),
        AllOf(HasSubstr(name), HasSubstr("is a link"), HasSubstr("expected a regular file")));
    EXPECT_EQ(FileBytes(scratch / "victim"), "kept");
  }
}

TEST_F(OutputDirectory, AveragesAreRecognisedByTheirFirstLine) {
  PrepareOutputDirectory(world, scratch.Path(), false);
  PutFile(world, scratch / "averages/mine.csv", "x,y\n1,2\n");
  PutFile(world, scratch / "averages/empty.csv", "");
  EXPECT_NO_THROW(PrepareOutputDirectory(world, scratch.Path(), false));
  const std::string text = std::string(kAverageMark) + " profile, version 1\n";
  PutFile(world, scratch / AverageFile("profile"), text);
  EXPECT_THAT(MessageOf<InputError>([&] { PrepareOutputDirectory(world, scratch.Path(), false); }),
              HasSubstr("averages/profile.csv"));
  EXPECT_EQ(FileBytes(scratch / AverageFile("profile")), text);
  PrepareOutputDirectory(world, scratch.Path(), true);
  EXPECT_FALSE(std::filesystem::exists(scratch / AverageFile("profile")));
  EXPECT_EQ(FileBytes(scratch / "averages/mine.csv"), "x,y\n1,2\n");
}

TEST_F(OutputDirectory, TablesAreRecognisedByTheirNames) {
  PrepareOutputDirectory(world, scratch.Path(), false);
  const std::string table_name = KeptTableName("x_m\n1\n"), other_name = "tables/flow.csv";
  if (world.IsRoot()) std::filesystem::create_directory(scratch / kTableFolder);
  world.Barrier();
  for (const std::string& name : {table_name, other_name})
    PutFile(world, scratch / name, "x_m\n1\n");
  PrepareOutputDirectory(world, scratch.Path(), true);
  EXPECT_FALSE(std::filesystem::exists(scratch / table_name));
  EXPECT_TRUE(std::filesystem::exists(scratch / other_name));
}

}  // namespace
}  // namespace scree::output_directory_test
