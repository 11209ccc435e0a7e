#include "io/files/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <future>
#include <utility>

#include "io/files/collective_call.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

[[noreturn]] void ThrowSystemError(const std::string& what, const std::string& path, int error) {
  throw OutputError(Text("cannot ", what, " '", path, "': ", std::strerror(error)));
}

/// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags)
      : path_(path), id_(open(path.c_str(), flags, 0666)) {
    if (id_ < 0) ThrowSystemError("open", path, errno);
  }
  ~Descriptor() {
    if (id_ >= 0) close(id_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void Write(const std::string& text) const {
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t written = write(id_, text.data() + done, text.size() - done);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) ThrowSystemError("write", path_, errno);
      done += static_cast<std::size_t>(written);
    }
  }

  void Reserve(std::size_t bytes) const {
    // posix_fallocate would fill the file by writing where the file system cannot reserve.
    if (fallocate(id_, 0, 0, static_cast<off_t>(bytes)) == 0 || errno == EOPNOTSUPP) return;
    ThrowSystemError(Text("reserve ", bytes, " bytes for").c_str(), path_, errno);
  }

  void Sync() const {
    // Some file systems have no fsync for directories (EINVAL): nothing more can be done there.
    if (fsync(id_) != 0 && errno != EINVAL) ThrowSystemError("sync", path_, errno);
  }

  void Close() {
    const int id = id_;
    id_ = -1;
    if (close(id) != 0) ThrowSystemError("close", path_, errno);
  }

 private:
  std::string path_;
  int id_;
};

std::string DirectoryOf(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

}  // namespace

std::string TemporaryName(const std::string& path) { return path + ".tmp"; }

void CheckSpace(const std::string& path, std::size_t bytes) {
  const std::string temporary = TemporaryName(path);
  const Descriptor file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
  std::remove(temporary.c_str());  // the space is held until the descriptor closes
  file.Reserve(bytes);
}

void SyncFiles(const std::vector<std::string>& paths) {
  std::vector<std::future<void>> waiting;
  for (const std::string& path : paths) {
    waiting.push_back(
        std::async(std::launch::async, [&path] { Descriptor(path, O_RDONLY).Sync(); }));
  }
  for (std::future<void>& one : waiting) one.get();
}

void CommitSynced(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const std::string temporary = TemporaryName(path);
    if (std::rename(temporary.c_str(), path.c_str()) != 0) ThrowSystemError("write", path, errno);
  }
  Descriptor(DirectoryOf(paths.front()), O_RDONLY | O_DIRECTORY).Sync();
}

void CommitFile(const std::string& path) {
  Descriptor(TemporaryName(path), O_RDONLY).Sync();
  CommitSynced({path});
}

std::future<void> RemoveFiles(const std::vector<std::string>& paths) {
  std::vector<int> held;  // an open file keeps its space when its name goes
  const auto let_go = [](const std::vector<int>& descriptors) {
    for (const int descriptor : descriptors) close(descriptor);
  };
  for (const std::string& path : paths) {
    const int descriptor = open(path.c_str(), O_RDONLY);
    if (descriptor >= 0) held.push_back(descriptor);
    if (unlink(path.c_str()) == 0 || errno == ENOENT) continue;
    const int error = errno;
    let_go(held);
    ThrowSystemError("remove", path, error);
  }
  return std::async(std::launch::async, [let_go, held = std::move(held)] { let_go(held); });
}

void WriteTemporary(const std::string& path, const std::string& text) {
  Descriptor file(TemporaryName(path), O_WRONLY | O_CREAT | O_TRUNC);
  file.Write(text);
  file.Close();
}

void WriteWholeFile(const std::string& path, const std::string& text) {
  WriteTemporary(path, text);
  CommitFile(path);
}

void WriteWholeFile(const Communicator& communicator, const std::string& path,
                    const std::string& text) {
  CallOnRoot<OutputError>(communicator, [&] { WriteWholeFile(path, text); });
}

}  // namespace scree
