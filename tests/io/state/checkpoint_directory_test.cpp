// The last valid checkpoint is found next to damaged and partial ones.
#include "io/state/checkpoint_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/files/atomic_file.hpp"
#include "io/files/digest.hpp"
#include "io/output/output_directory.hpp"
#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::checkpoint_directory_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

struct CheckpointDirectory : InOwnScratch {
  const std::string output = scratch / "out";

  void SetUp() override { fs::create_directories(output + "/checkpoints"); }

  std::string File(std::int64_t step) const { return output + "/" + CheckpointFile(step); }

  void Write(std::int64_t step, std::int64_t kept_count = 10) {
    PutFile(self, TemporaryName(File(step)), "content of step " + std::to_string(step));
    PublishCheckpoint(self, output, step, kept_count).get();
  }

  void Damage(std::int64_t step) { PutFile(self, File(step), "something else"); }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(output + "/checkpoints")) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
};

TEST_F(CheckpointDirectory, LastCheckpointsAreKept) {
  for (const std::int64_t step : {9, 10, 1000}) Write(step, 2);
  EXPECT_THAT(Names(), ElementsAre("latest", "step_000000000010.h5", "step_000000000010.h5.xxh64",
                                   "step_000000001000.h5", "step_000000001000.h5.xxh64"));
  EXPECT_EQ(FileBytes(output + "/checkpoints/latest"), "step_000000001000.h5\n");
}

TEST_F(CheckpointDirectory, LatestIsFoundFromTheRunOrItsCheckpointFolder) {
  Write(10);
  Write(20);
  for (const std::string& directory : {output, output + "/", output + "/checkpoints", File(20)}) {
    const FoundCheckpoint checkpoint = FindCheckpoint(self, directory);
    EXPECT_EQ(checkpoint.path, File(20));
    EXPECT_EQ(checkpoint.directory, output);
    EXPECT_TRUE(checkpoint.damage_messages.empty());
  }
}

TEST_F(CheckpointDirectory, NamedCheckpointIsUsed) {
  Write(10);
  Write(20);
  EXPECT_EQ(FindCheckpoint(self, File(10)).path, File(10));
}

TEST_F(CheckpointDirectory, UnpublishedCheckpointDoesNotCount) {
  Write(10);
  PutFile(self, File(20), "whole, but without a digest: the run was killed");
  EXPECT_EQ(FindCheckpoint(self, output).path, File(10));
}

TEST_F(CheckpointDirectory, LaterCheckpointsDoNotReplaceADamagedOne) {
  for (const std::int64_t step : {10, 20, 30}) Write(step);
  Damage(20);
  EXPECT_EQ(FindCheckpoint(self, File(20)).path, File(10));
}

TEST_F(CheckpointDirectory, LatestMayBeMissingOrWrong) {
  Write(10);
  Write(20);
  fs::remove(output + "/checkpoints/latest");
  EXPECT_EQ(FindCheckpoint(self, output).path, File(20));
  PutFile(self, output + "/checkpoints/latest", "step_000000000099.h5\n");
  EXPECT_EQ(FindCheckpoint(self, output).path, File(20));
  PutFile(self, output + "/checkpoints/latest", "");
  EXPECT_EQ(FindCheckpoint(self, output).path, File(20));
  PutFile(self, output + "/checkpoints/latest", "step_" + std::string(300, '0') + "10.h5\n");
  EXPECT_EQ(FindCheckpoint(self, output).path, File(20));
}

TEST_F(CheckpointDirectory, ErrorGivesTheReasonIfNoneIsValid) {
  EXPECT_THAT(MessageOf<FileError>([&] { FindCheckpoint(self, output); }),
              HasSubstr("contains no checkpoint"));
  EXPECT_THAT(MessageOf<FileError>([&] { FindCheckpoint(self, scratch / "missing"); }),
              HasSubstr("missing' does not exist"));
  EXPECT_THAT(MessageOf<FileError>([&] { FindCheckpoint(self, scratch / std::string(300, 'a')); }),
              HasSubstr("aaa': File name too long"));
  Write(10);
  Damage(10);
  EXPECT_THAT(MessageOf<FileError>([&] { FindCheckpoint(self, output); }),
              HasSubstr("step_000000000010.h5' is damaged"));
}

TEST_F(CheckpointDirectory, FileElsewhereBelongsToNoRun) {
  Write(10);
  fs::copy_file(File(10), scratch / "mine.h5");
  fs::copy_file(DigestName(File(10)), DigestName(scratch / "mine.h5"));
  EXPECT_EQ(FindCheckpoint(self, scratch / "mine.h5").path, scratch / "mine.h5");
  EXPECT_EQ(FindCheckpoint(self, scratch / "mine.h5").directory, "");
}

TEST_F(CheckpointDirectory, RunFromAnEarlierCheckpointRemovesLaterOnes) {
  for (const std::int64_t step : {10, 20, 30}) Write(step);
  RemoveLaterCheckpoints(output, 20);
  EXPECT_FALSE(fs::exists(File(30)));
  EXPECT_FALSE(fs::exists(DigestName(File(30))));
  EXPECT_EQ(FindCheckpoint(self, output).path, File(20));
  EXPECT_EQ(FileBytes(output + "/checkpoints/latest"), "step_000000000020.h5\n");
}

}  // namespace
}  // namespace scree::checkpoint_directory_test
