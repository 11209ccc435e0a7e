#include "io/files/directory_lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::directory_lock_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct LockedDirectory : InOwnScratch {
  const std::string directory = scratch / "a/out";
};

TEST_F(LockedDirectory, HasOneOwnerAtATime) {
  {
    const DirectoryLock lock(directory);
    EXPECT_THAT(MessageOf<InputError>([&] { const DirectoryLock second(directory); }),
                AllOf(HasSubstr(directory), HasSubstr(Text("process ", getpid(), " on "))));
  }
  EXPECT_NO_THROW(DirectoryLock second_lock(directory));
}

TEST_F(LockedDirectory, IsFreeAfterItsOwnerWasKilled) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t owner = fork();
  if (owner == 0) {
    const DirectoryLock lock(directory);
    if (write(pipe_ends[1], "x", 1) == 1) pause();
    _exit(1);
  }
  char byte = 0;
  ASSERT_EQ(read(pipe_ends[0], &byte, 1), 1);
  EXPECT_THROW(DirectoryLock lock(directory), InputError);
  kill(owner, SIGKILL);
  waitpid(owner, nullptr, 0);
  EXPECT_NO_THROW(DirectoryLock lock(directory));
}

TEST_F(LockedDirectory, IsNotLockedThroughALink) {
  PutFile(self, scratch / "victim", "kept");
  std::filesystem::create_directories(directory);
  std::filesystem::create_symlink(scratch / "victim", directory + "/" + DirectoryLock::kLockFile);
  EXPECT_THROW(DirectoryLock lock(directory), OutputError);
  EXPECT_EQ(FileBytes(scratch / "victim"), "kept");
}

}  // namespace
}  // namespace scree::directory_lock_test
