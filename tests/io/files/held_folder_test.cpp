#include "io/files/held_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::held_folder_test {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::HasSubstr;

TEST(DirectoryHandle, FileIsCreatedAndFoundInAMovedFolder) {
  const Scratch scratch(Communicator::World());
  fs::create_directory(scratch / "here");
  const DirectoryHandle folder(scratch / "here/a");
  fs::rename(scratch / "here", scratch / "there");
  EXPECT_THAT(MessageOf<OutputError>([&] { folder.RequireFile(); }),
              AllOf(HasSubstr("here/a"), HasSubstr("No such file")));
  folder.MakeFile();
  folder.RequireFile();
  if (fs::exists("/proc/self/fd")) std::ofstream(folder.PathOfFile()) << "text";
  std::string text;
  std::ifstream(scratch / "there/a") >> text;
  EXPECT_EQ(text, fs::exists("/proc/self/fd") ? "text" : "");
  EXPECT_TRUE(fs::exists(scratch / "there/a"));
}

TEST(DirectoryHandle, MissingFolderIsNamed) {
  const Scratch scratch(Communicator::World());
  EXPECT_THAT(MessageOf<OutputError>([&] { const DirectoryHandle folder(scratch / "missing/a"); }),
              AllOf(HasSubstr("missing/a"), HasSubstr("No such file")));
}

}  // namespace
}  // namespace scree::held_folder_test
