/// \file  A handle of a folder, which stays valid when the folder is renamed.
#pragma once

#include <string>

namespace scree {

/// The open folder of a file. Through this object the file can be created, opened and found even if
/// the folder is renamed meanwhile, so that all ranks use the same file.
class DirectoryHandle {
 public:
  /// Opens the folder of the path. @throws OutputError with the system's reason
  explicit DirectoryHandle(const std::string& path);
  ~DirectoryHandle();
  DirectoryHandle(const DirectoryHandle&) = delete;
  DirectoryHandle& operator=(const DirectoryHandle&) = delete;

  /// Creates the file, empty, in place of an old one. @throws OutputError
  void MakeFile() const;
  /// @throws OutputError if the file cannot be opened for writing
  void RequireFile() const;

  /// A path of the file that is valid during the lifetime of this object. It uses the descriptor of
  /// the folder (/proc/self/fd) where the system supports this, and the given path elsewhere.
  std::string PathOfFile() const;

 private:
  std::string path_, name_;
  int folder_;
};

}  // namespace scree
