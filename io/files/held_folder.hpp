/// \file  A handle of a folder, which stays valid when the folder is renamed.
#pragma once

#include <string>

namespace scree {

/// The open folder of a file. Through this object the file can be created, opened and found even if
/// the folder is renamed meanwhile, so that all ranks use the same file.
class DirectoryHandle {
 public:
  /// Opens the folder of this file. @throws OutputError with the system's reason
  explicit DirectoryHandle(const std::string& path);
  ~DirectoryHandle();
  DirectoryHandle(const DirectoryHandle&) = delete;
  DirectoryHandle& operator=(const DirectoryHandle&) = delete;

  /// Creates the file, empty, in place of an old one. @throws OutputError
  void MakeFile() const;
  /// @throws OutputError if the file cannot be opened for writing
  void RequireFile() const;

  /// A path of the file through the descriptor of the folder (/proc/self/fd), valid during the
  /// lifetime of this object. On systems without /proc it is the given path.
  std::string PathOfFile() const;

 private:
  std::string path_, name_;
  int folder_;
};

}  // namespace scree
