// A run neither writes through a link nor waits for a pipe.
#include "io/files/regular_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::regular_file_test {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::HasSubstr;

struct RegularFile : InOwnScratch {};

TEST_F(RegularFile, HardLinksKeepTheirContentWhenAFileIsReplaced) {
  PutFile(self, scratch / "mine", "kept");
  fs::create_hard_link(scratch / "mine", scratch / "a");
  const int file = CreateNewFile(scratch / "a");
  ASSERT_GE(file, 0);
  close(file);
  EXPECT_EQ(FileBytes(scratch / "a"), "");
  EXPECT_EQ(FileBytes(scratch / "mine"), "kept");
}

TEST_F(RegularFile, LinksPipesAndFoldersAreErrors) {
  PutFile(self, scratch / "victim", "kept");
  fs::create_symlink(scratch / "victim", scratch / "link");
  fs::create_symlink(scratch / "nowhere", scratch / "dangling");
  mkfifo((scratch / "pipe").c_str(), 0600);
  fs::create_directory(scratch / "folder");
  const std::pair<const char*, const char*> not_files[] = {
      {"link", "a link"}, {"dangling", "a link"}, {"pipe", "a pipe"}, {"folder", "a folder"}};
  for (const auto& [name, kind] : not_files) {
    EXPECT_THAT(MessageOf<OutputError>([&] { RequireRegularFileOrNone(scratch / name); }),
                AllOf(HasSubstr(name), HasSubstr(kind)));
    EXPECT_THROW(CreateNewFile(scratch / name), OutputError);
  }
  EXPECT_EQ(FileBytes(scratch / "victim"), "kept");
  EXPECT_NO_THROW(RequireRegularFileOrNone(scratch / "none"));
  EXPECT_NO_THROW(RequireRegularFileOrNone(scratch / "victim"));
}

TEST_F(RegularFile, LinksToFilesCanBeReadButPipesCannot) {
  PutFile(self, scratch / "a", "");
  fs::create_symlink(scratch / "a", scratch / "link");
  mkfifo((scratch / "pipe").c_str(), 0600);
  EXPECT_TRUE(IsRegularFile(scratch / "link"));
  EXPECT_FALSE(IsRegularFile(scratch / "pipe"));
  EXPECT_FALSE(IsRegularFile(scratch / "none"));
}

TEST_F(RegularFile, ErrorsGiveTheReason) {
  EXPECT_EQ(CreateNewFile(scratch / "none/a"), -1);
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace scree::regular_file_test
