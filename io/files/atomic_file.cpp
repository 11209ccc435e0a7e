#include "io/files/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <future>
#include <memory>
#include <system_error>
#include <utility>

#include "io/files/collective_call.hpp"
#include "io/files/regular_file.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

[[noreturn]] void ThrowSystemError(const std::string& action, const std::string& path, int error) {
  throw OutputError(Text("cannot ", action, " '", path, "': ", std::strerror(error)));
}

/// A file descriptor that is closed by the destructor.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags)
      : Descriptor(path, open(path.c_str(), flags, 0666), Opened{}) {}
  /// Opens a new file in place of an old one, without following links.
  static Descriptor OpenNew(const std::string& path) {
    return {path, CreateNewFile(path), Opened{}};
  }
  /// Takes over an open descriptor.
  static Descriptor Adopt(const std::string& path, int id) { return {path, id, Opened{}}; }
  /// Duplicates a descriptor of this process.
  static Descriptor Duplicate(const std::string& path, int id) { return {path, dup(id), Opened{}}; }
  ~Descriptor() {
    if (id_ >= 0) close(id_);
  }
  Descriptor(Descriptor&& other) noexcept
      : path_(std::move(other.path_)), id_(std::exchange(other.id_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;

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
    // posix_fallocate would write to the whole file if the file system cannot reserve space.
    if (fallocate(id_, 0, 0, static_cast<off_t>(bytes)) == 0 || errno == EOPNOTSUPP) return;
    ThrowSystemError(Text("reserve ", bytes, " bytes for").c_str(), path_, errno);
  }

  void Sync() const {
    // Some file systems have no fsync for directories (EINVAL); that error is ignored.
    if (fsync(id_) != 0 && errno != EINVAL) ThrowSystemError("sync", path_, errno);
  }

  void Close() {
    const int id = id_;
    id_ = -1;
    if (close(id) != 0) ThrowSystemError("close", path_, errno);
  }

 private:
  struct Opened {};
  Descriptor(const std::string& path, int id, Opened) : path_(path), id_(id) {
    if (id_ < 0) ThrowSystemError("open", path, errno);
  }

  std::string path_;
  int id_;
};

std::string DirectoryOf(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

/// The target of a path after all links.
struct LinkTarget {
  std::string path;
  int descriptor = -1;  // that the path names, such as /dev/stdout; -1: it names a file
};

/// Follows links one at a time, because the last one may point to a missing file or to a
/// descriptor.
LinkTarget FollowLinks(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int kMaxLinks = 40;  // the limit of Linux
  const std::string own_descriptors = Text("/proc/", getpid(), "/fd");
  std::error_code ignored;
  fs::path current = path;
  for (int links = 0; links < kMaxLinks; ++links) {
    const fs::path folder = fs::canonical(DirectoryOf(current), ignored);
    if (folder == own_descriptors) {
      const std::string number = current.filename();
      const bool is_number = number.find_first_not_of("0123456789") == std::string::npos &&
                             !number.empty() && number.size() < 9;
      return {path, is_number ? std::stoi(number) : -1};
    }
    if (!fs::is_symlink(fs::symlink_status(current, ignored))) return {current, -1};
    const fs::path target = fs::read_symlink(current, ignored);
    current = target.is_absolute() ? target : folder / target;
  }
  ThrowSystemError("write", path, ELOOP);
}

/// Whether a new file can replace the object that has this name now. A folder counts too: replacing
/// it then fails with the system's reason.
bool IsReplaceable(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
}

/// Runs the action in a thread. If the system has no thread or no memory for its stack (ulimit -v,
/// -u), the action runs when the caller waits for the future.
template <class Action>
std::future<void> RunInThread(const Action& action) {
  try {
    return std::async(std::launch::async, action);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, action);
  }
}

void WriteDirectly(Descriptor file, const std::string& text) {
  file.Write(text);
  file.Close();
}

}  // namespace

std::string TemporaryName(const std::string& path) { return path + ".tmp"; }

void CheckSpace(const std::string& path, std::size_t bytes) {
  const std::string temporary = TemporaryName(path);
  const Descriptor file = Descriptor::OpenNew(temporary);
  std::remove(temporary.c_str());  // the space stays reserved until the descriptor closes
  file.Reserve(bytes);
}

void SyncFiles(const std::vector<std::string>& paths) {
  std::vector<std::future<void>> tasks;
  for (const std::string& path : paths) {
    tasks.push_back(RunInThread([&path] { Descriptor(path, O_RDONLY).Sync(); }));
  }
  for (std::future<void>& task : tasks) task.get();
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
  // An open file keeps its space after its name is deleted. The files are shared with the action,
  // because the future may be dropped before the action runs.
  const auto files = std::make_shared<std::vector<Descriptor>>();
  for (const std::string& path : paths) {
    if (const int id = open(path.c_str(), O_RDONLY); id >= 0)
      files->push_back(Descriptor::Adopt(path, id));
    if (unlink(path.c_str()) != 0 && errno != ENOENT) ThrowSystemError("remove", path, errno);
  }
  return RunInThread([files] { files->clear(); });
}

void WriteTemporary(const std::string& path, const std::string& text) {
  Descriptor file = Descriptor::OpenNew(TemporaryName(path));
  file.Write(text);
  file.Close();
}

void WriteWholeFile(const std::string& path, const std::string& text) {
  const LinkTarget target = FollowLinks(path);
  if (target.descriptor >= 0) {
    std::fflush(stdout);  // buffered output comes first
    return WriteDirectly(Descriptor::Duplicate(path, target.descriptor), text);
  }
  if (!IsReplaceable(target.path)) return WriteDirectly(Descriptor(path, O_WRONLY), text);
  WriteTemporary(target.path, text);
  CommitFile(target.path);
}

void ReplaceFile(const std::string& path, const std::string& text) {
  RequireRegularFileOrNone(path);
  WriteTemporary(path, text);
  CommitFile(path);
}

void ReplaceFile(const Communicator& communicator, const std::string& path,
                 const std::string& text) {
  CallOnRoot<OutputError>(communicator, [&] { ReplaceFile(path, text); });
}

}  // namespace scree
