#include "io/files/atomic_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <future>

#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::atomic_file_test {
namespace {

using testing::HasSubstr;

struct AtomicFile : InScratch {};
struct AtomicFileOfARank : InOwnScratch {};

TEST_F(AtomicFile, WriteReplacesTheOldFileAndLeavesNoOtherFile) {
  ReplaceFile(world, scratch / "a", "old");
  ReplaceFile(world, scratch / "a", "new\n");
  EXPECT_EQ(FileBytes(scratch / "a"), "new\n");
  EXPECT_FALSE(std::filesystem::exists(TemporaryName(scratch / "a")));
}

TEST_F(AtomicFileOfARank, TargetOfALinkIsReplacedAndTheLinkKept) {
  std::filesystem::create_directory(scratch / "elsewhere");
  std::filesystem::create_symlink("elsewhere/a", scratch / "link");
  std::filesystem::create_symlink(scratch / "link", scratch / "link_to_link");
  for (const char* text : {"to a new file", "to an existing file"}) {
    WriteWholeFile(scratch / "link_to_link", text);
    EXPECT_EQ(FileBytes(scratch / "elsewhere/a"), text);
    EXPECT_TRUE(std::filesystem::is_symlink(scratch / "link"));
    EXPECT_TRUE(std::filesystem::is_symlink(scratch / "link_to_link"));
  }
  EXPECT_FALSE(std::filesystem::exists(TemporaryName(scratch / "elsewhere/a")));
  std::filesystem::create_symlink("b", scratch / "a");
  std::filesystem::create_symlink("a", scratch / "b");
  EXPECT_THROW(WriteWholeFile(scratch / "a", "in a circle"), OutputError);
}

TEST_F(AtomicFileOfARank, PipesAndDevicesAreWrittenTo) {
  ASSERT_EQ(mkfifo((scratch / "pipe").c_str(), 0600), 0);
  std::future<std::string> received =
      std::async(std::launch::async, [&] { return FileBytes(scratch / "pipe"); });
  WriteWholeFile(scratch / "pipe", "through a pipe");
  EXPECT_EQ(received.get(), "through a pipe");
  EXPECT_TRUE(std::filesystem::is_fifo(scratch / "pipe"));
  // Through a link, so that the real device survives a failing test.
  std::filesystem::create_symlink("/dev/null", scratch / "null");
  WriteWholeFile(scratch / "null", "into nothing");
  EXPECT_TRUE(std::filesystem::is_character_file(scratch / "null"));
  std::filesystem::create_symlink("/dev/full", scratch / "full");
  EXPECT_THAT(MessageOf<OutputError>([&] { WriteWholeFile(scratch / "full", "x"); }),
              HasSubstr("No space left"));
}

TEST_F(AtomicFileOfARank, DescriptorsOfTheProcessAreWrittenTo) {
  const int descriptor = open((scratch / "a").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(descriptor, 0);
  for (const char* folder : {"/dev/fd/", "/proc/self/fd/"}) {
    WriteWholeFile(Text(folder, descriptor), folder);
  }
  close(descriptor);
  EXPECT_EQ(FileBytes(scratch / "a"), "/dev/fd//proc/self/fd/") << "one after the other";
  EXPECT_THROW(WriteWholeFile("/dev/fd/9999", "x"), OutputError);
}

/// Limits the size of this process' files.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_ = {};
};

TEST_F(AtomicFile, FailedWriteKeepsTheOldFileAndIsAnErrorOnAllRanks) {
  ReplaceFile(world, scratch / "a", "old");
  const std::string message = MessageOf<OutputError>([&] {
    const FileLimit limit(4);
    ReplaceFile(world, scratch / "a", "new text");
  });
  EXPECT_THAT(message, HasSubstr(scratch / "a"));
  EXPECT_THAT(message, HasSubstr("File too large"));
  EXPECT_EQ(FileBytes(scratch / "a"), "old");
}

TEST_F(AtomicFileOfARank, SeveralFilesAppearTogetherAfterTheyAreSynced) {
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

/// Whether this process has the file open.
bool IsOpen(const std::string& path) {
  std::error_code ignored;
  for (const auto& descriptor : std::filesystem::directory_iterator("/proc/self/fd")) {
    if (std::filesystem::read_symlink(descriptor, ignored).string().starts_with(path)) return true;
  }
  return false;
}

TEST_F(AtomicFileOfARank, RemovalDeletesNamesFirstAndFreesSpaceLater) {
  for (const char* name : {"a", "b"}) WriteWholeFile(scratch / name, std::string(1 << 20, 'x'));
  std::future<void> freed = RemoveFiles({scratch / "a", scratch / "missing", scratch / "b"});
  EXPECT_TRUE(std::filesystem::is_empty(scratch.Path()));
  freed.get();
  EXPECT_FALSE(IsOpen(scratch / "a"));
  EXPECT_FALSE(IsOpen(scratch / "b"));
}

/// Restores the default stack size of new threads when destroyed.
class DefaultThreadAttributes {
 public:
  DefaultThreadAttributes() : is_known_(pthread_getattr_default_np(&before_) == 0) {}
  ~DefaultThreadAttributes() {
    if (!is_known_) return;
    EXPECT_EQ(pthread_setattr_default_np(&before_), 0);
    pthread_attr_destroy(&before_);
  }
  DefaultThreadAttributes(const DefaultThreadAttributes&) = delete;
  DefaultThreadAttributes& operator=(const DefaultThreadAttributes&) = delete;

  /// Returns whether new threads get stacks of this size.
  [[nodiscard]] bool SetStackSize(std::size_t size) const {
    pthread_attr_t changed;
    if (!is_known_ || pthread_getattr_default_np(&changed) != 0) return false;
    const bool is_set =
        pthread_attr_setstacksize(&changed, size) == 0 && pthread_setattr_default_np(&changed) == 0;
    pthread_attr_destroy(&changed);
    return is_set;
  }

 private:
  pthread_attr_t before_;
  bool is_known_;
};

/// The stacks are too large for any thread to be created, as if memory were limited (ulimit -v).
TEST_F(AtomicFileOfARank, FilesAreSyncedAndRemovedWithoutMemoryForAThread) {
  const DefaultThreadAttributes attributes;
  ASSERT_TRUE(attributes.SetStackSize(std::size_t{1} << 48));
  WriteWholeFile(scratch / "a", "text");
  EXPECT_NO_THROW(SyncFiles({scratch / "a"}));
  EXPECT_NO_THROW(RemoveFiles({scratch / "a"}).get());
  EXPECT_FALSE(std::filesystem::exists(scratch / "a"));
}

TEST_F(AtomicFileOfARank, FilesAfterOneThatCannotBeRemovedAreKept) {
  for (const char* name : {"a", "c"}) WriteWholeFile(scratch / name, name);
  std::filesystem::create_directory(scratch / "b");  // cannot be removed as a file, even by root
  EXPECT_THAT(MessageOf<OutputError>([&] {
                RemoveFiles({scratch / "a", scratch / "b", scratch / "c"}).get();
              }),
              HasSubstr(Text("cannot remove '", scratch / "b", "'")));
  EXPECT_FALSE(std::filesystem::exists(scratch / "a"));
  EXPECT_EQ(FileBytes(scratch / "c"), "c");
  EXPECT_FALSE(IsOpen(scratch / "a"));
}

TEST_F(AtomicFile, ImpossibleFileSizeIsAnError) {
  if (!world.IsRoot()) return;
  EXPECT_NO_THROW(CheckSpace(scratch / "a", 1000));
  EXPECT_THROW(CheckSpace(scratch / "a", std::size_t{1} << 60), OutputError);
  EXPECT_TRUE(std::filesystem::is_empty(scratch.Path()));
}

TEST_F(AtomicFile, MissingDirectoryIsAnErrorOnAllRanks) {
  EXPECT_THAT(MessageOf<OutputError>([&] { ReplaceFile(world, scratch / "no/a", "x"); }),
              HasSubstr("No such file"));
}

}  // namespace
}  // namespace scree::atomic_file_test
