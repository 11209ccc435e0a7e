// Snapshots and checkpoints are described; damage is reported.
#include "io/state/file_info.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/files/atomic_file.hpp"
#include "io/files/digest.hpp"
#include "io/state/checkpoint.hpp"
#include "io/state/snapshot.hpp"
#include "tests/io/scratch.hpp"
#include "tests/support/scenes.hpp"

namespace scree::file_info_test {
namespace {

using testing::HasSubstr;
using testing::Not;

struct FileInfoTest : InOwnScratch {
  const std::string path = scratch / "a.h5";
  State state;
  SnapshotMeta meta;

  void WriteDigest() const { PutFile(self, DigestName(path), DigestText(self, path, path)); }

  void SetUp() override {
    for (ParticleId id = 0; id < 3; ++id) {
      test::AddSphere(state.particles, id, Vec3(static_cast<double>(id), 0, 0), 0.1);
    }
    meta.configuration = "[time]\nend = 1 s\n";
    meta.program_version = "1.2.3";
    meta.git_hash = "abc";
    meta.materials = {{"glass", 2500.0}};
    meta.observables.step = 700;
    meta.observables.time = 0.007;
    meta.observables.particles = 3;
  }
};

TEST_F(FileInfoTest, SnapshotIsDescribed) {
  const std::vector<ContactRecord> contacts(5);
  WriteSnapshot(self, path, state.particles, meta, {"position radius id", true}, &contacts);
  const FileInfo info = DescribeFile(path);
  for (const char* part :
       {"kind:           snapshot\n", "Scree 1.2.3 (abc)", "step:           700\n", "0.007 s",
        "particles:      3 ", "glass, 2500 kg/m^3", "digest:         good",
        "position, 1 x 3 x 3, 32-bit floating-point numbers", "id, 3, 64-bit integers",
        "stored: 5"}) {
    EXPECT_THAT(info.text, HasSubstr(part));
  }
  EXPECT_THAT(info.text, Not(HasSubstr("velocity,")));
  EXPECT_EQ(info.configuration, meta.configuration);
  EXPECT_FALSE(info.is_damaged);
}

TEST_F(FileInfoTest, CheckpointAndItsDigestAreDescribed) {
  Checkpoint checkpoint;
  checkpoint.meta = meta;
  checkpoint.cuts = {{1, 1, 1}, {}};
  checkpoint.output = {17, 16, {{0, 3, {}}, {100, 3, {}}}};
  WriteCheckpoint(self, path, checkpoint, state, {});
  CommitFile(path);
  WriteDigest();
  FileInfo info = DescribeFile(path);
  for (const char* part : {"kind:           checkpoint\n", "digest:         good (xxh64 ",
                           "ranks:          1 as 1x1x1", "17 rows of the series, 2 snapshots",
                           "velocity, 3 x 3, 64-bit"}) {
    EXPECT_THAT(info.text, HasSubstr(part));
  }
  PutFile(self, path + ".xxh64", "0123456789abcdef  a.h5\n");
  info = DescribeFile(path);
  EXPECT_TRUE(info.is_damaged);
  EXPECT_THAT(info.text, HasSubstr("is damaged: its digest is"));
}

TEST_F(FileInfoTest, OtherFilesAreFileErrors) {
  EXPECT_THAT(MessageOf<FileError>([&] { DescribeFile(path); }), HasSubstr("a.h5"));
  PutFile(self, path, "x,y,z\n");
  EXPECT_THAT(MessageOf<FileError>([&] { DescribeFile(path); }), HasSubstr("a.h5"));
  WriteDigest();
  PutFile(self, path, "x,y\n");
  EXPECT_THAT(MessageOf<FileError>([&] { DescribeFile(path); }), HasSubstr("is damaged"));
}

}  // namespace
}  // namespace scree::file_info_test
