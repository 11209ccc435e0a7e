/// \file  A folder that stays at hand while its name goes.
#pragma once

#include <string>

namespace scree {

/// The folder of a file, held open. The file can be made, opened and found through it even when the
/// folder is renamed meanwhile, so that all ranks see the same.
class DirectoryHandle {
 public:
  /// Throws OutputError, with the system's reason, if the folder of the path cannot be opened.
  explicit DirectoryHandle(const std::string& path);
  ~DirectoryHandle();
  DirectoryHandle(const DirectoryHandle&) = delete;
  DirectoryHandle& operator=(const DirectoryHandle&) = delete;

  /// Makes the file anew, empty. Throws OutputError.
  void MakeFile() const;
  /// Throws OutputError if the file cannot be opened to be written.
  void RequireFile() const;

  /// A name of the file that holds while this lives: by the descriptor of the folder where the
  /// system has names for these (/proc/self/fd), as given elsewhere.
  std::string PathOfFile() const;

 private:
  std::string path_, name_;
  int folder_;
};

}  // namespace scree
