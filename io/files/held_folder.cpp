#include "io/files/held_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "io/files/regular_file.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

[[noreturn]] void ThrowCannotOpen(const std::string& path) {
  throw OutputError(Text("cannot open '", path, "': ", std::strerror(errno)));
}

}  // namespace

DirectoryHandle::DirectoryHandle(const std::string& path)
    : path_(path), name_(std::filesystem::path(path).filename().string()) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  folder_ = open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0) ThrowCannotOpen(path_);
}

DirectoryHandle::~DirectoryHandle() { close(folder_); }

void DirectoryHandle::MakeFile() const {
  const int file = CreateNewFile(folder_, name_, path_);
  if (file < 0) ThrowCannotOpen(path_);
  close(file);
}

void DirectoryHandle::RequireFile() const {
  const int file = openat(folder_, name_.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) ThrowCannotOpen(path_);
  close(file);
}

std::string DirectoryHandle::PathOfFile() const {
  const std::string folder = Text("/proc/self/fd/", folder_);
  return access(folder.c_str(), F_OK) == 0 ? folder + "/" + name_ : path_;
}

}  // namespace scree
