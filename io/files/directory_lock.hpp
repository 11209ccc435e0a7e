/// \file  A directory that one program at a time writes to.
#pragma once

#include <string>

namespace scree {

/// Locks a directory by a file in it, kLockFile, which stays. The system lets go when the program
/// ends, however it ends. The lock is one of flock: programs on other nodes see it where the file
/// system carries it there (NFS, GPFS, Lustre mounted with `flock`); where there are no such locks
/// nothing is locked. One rank only.
class DirectoryLock {
 public:
  static constexpr const char* kLockFile = ".scree_lock";

  /// @param directory  which is made if it is missing
  /// @throws InputError naming the host and process that has it
  /// @throws OutputError if it cannot be made or written
  explicit DirectoryLock(const std::string& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  int file_;
};

}  // namespace scree
