#include "io/files/regular_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

const char* KindOf(mode_t mode) {
  if (S_ISLNK(mode)) return "a link";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

/// Whether a regular file has this name. False if nothing has it.
/// @param path  for messages
/// @throws OutputError if the name belongs to a link, a pipe, a folder, a socket or a device
bool ExistsAsRegularFile(int folder, const std::string& name, const std::string& path) {
  struct stat status;
  if (fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
  if (S_ISREG(status.st_mode)) return true;
  throw OutputError(Text("cannot write '", path, "': it is ", KindOf(status.st_mode),
                         "; expected a regular file or none"));
}

}  // namespace

bool IsRegularFile(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

void RequireRegularFileOrNone(const std::string& path) {
  ExistsAsRegularFile(AT_FDCWD, path, path);
}

int CreateNewFile(int folder, const std::string& name, const std::string& path) {
  const bool exists = ExistsAsRegularFile(folder, name, path);
  if (exists && unlinkat(folder, name.c_str(), 0) != 0 && errno != ENOENT) return -1;
  return openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

int CreateNewFile(const std::string& path) { return CreateNewFile(AT_FDCWD, path, path); }

}  // namespace scree
