#include "io/atomic_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "solvers/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree {
namespace {

using testing::HasSubstr;

TEST(AtomicFile, ReplacesTheOldFileAndLeavesNothingBeside) {
  const Communicator world = Communicator::World();
  const Scratch scratch(world);
  WriteWholeFile(world, scratch / "a", "old");
  WriteWholeFile(world, scratch / "a", "new\n");
  EXPECT_EQ(FileBytes(scratch / "a"), "new\n");
  EXPECT_FALSE(std::filesystem::exists(TemporaryName(scratch / "a")));
}

TEST(AtomicFile, FullDiskKeepsTheOldFileAndReachesAllRanks) {
  const Communicator world = Communicator::World();
  const Scratch scratch(world);
  WriteWholeFile(world, scratch / "a", "old");
  if (world.IsRoot()) std::filesystem::create_symlink("/dev/full", TemporaryName(scratch / "a"));
  world.Barrier();
  const std::string message =
      MessageOf<OutputError>([&] { WriteWholeFile(world, scratch / "a", "new"); });
  EXPECT_THAT(message, HasSubstr(scratch / "a"));
  EXPECT_THAT(message, HasSubstr("No space left"));
  EXPECT_EQ(FileBytes(scratch / "a"), "old");
}

TEST(AtomicFile, SeveralAppearTogetherOnceTheyAreSynced) {
  const Communicator self = Communicator::Self();
  const Scratch scratch(self);
  for (const char* name : {"a", "b"}) WriteTemporary(scratch / name, name);
  EXPECT_FALSE(std::filesystem::exists(scratch / "a"));
  SyncFiles({TemporaryName(scratch / "a"), TemporaryName(scratch / "b")});
  CommitSynced({scratch / "a", scratch / "b"});
  EXPECT_EQ(FileBytes(scratch / "a") + FileBytes(scratch / "b"), "ab");
  EXPECT_THAT(MessageOf<OutputError>([&] {
                SyncFiles({scratch / "a", scratch / "no"});
              }),
              HasSubstr("no"));
  EXPECT_THROW(CommitSynced({scratch / "no"}), OutputError);
}

TEST(AtomicFile, SpaceThatNoDiskHasIsFoundMissing) {
  const Communicator world = Communicator::World();
  const Scratch scratch(world);
  if (!world.IsRoot()) return;
  EXPECT_NO_THROW(CheckSpace(scratch / "a", 1000));
  EXPECT_THROW(CheckSpace(scratch / "a", std::size_t{1} << 60), OutputError);
  EXPECT_TRUE(std::filesystem::is_empty(scratch.Path()));
}

TEST(AtomicFile, MissingDirectoryReachesAllRanks) {
  const Communicator world = Communicator::World();
  const Scratch scratch(world);
  EXPECT_THAT(MessageOf<OutputError>([&] { WriteWholeFile(world, scratch / "no/a", "x"); }),
              HasSubstr("No such file"));
}

}  // namespace
}  // namespace scree
