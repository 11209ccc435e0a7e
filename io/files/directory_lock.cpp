#include "io/files/directory_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "io/files/regular_file.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

std::string ReadOwner(int file) {
  std::array<char, 512> text = {};
  const ssize_t length = pread(file, text.data(), text.size(), 0);
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

/// Writes the process and host to the lock file, for the error message of another program. Failure
/// is ignored, because the lock does not depend on this text.
void WriteOwner(int file) {
  std::array<char, 256> host = {};
  gethostname(host.data(), host.size() - 1);
  const std::string owner = Text("process ", getpid(), " on ", host.data());
  if (ftruncate(file, 0) != 0 || pwrite(file, owner.data(), owner.size(), 0) < 0) return;
}

}  // namespace

DirectoryLock::DirectoryLock(const std::string& directory) {
  std::filesystem::create_directories(directory);
  const std::string path = directory + "/" + kLockFile;
  RequireRegularFileOrNone(path);
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (file_ < 0) throw OutputError(Text("cannot open '", path, "': ", std::strerror(errno)));
  if (flock(file_, LOCK_EX | LOCK_NB) == 0 ||
      errno != EWOULDBLOCK) {  // or the file system has no locks
    WriteOwner(file_);
    return;
  }
  const std::string owner = ReadOwner(file_);
  close(file_);
  throw InputError(Text("output.directory = '", directory, "' is being written by another run (",
                        owner, "); choose another directory or wait until it has ended"));
}

DirectoryLock::~DirectoryLock() { close(file_); }

}  // namespace scree
