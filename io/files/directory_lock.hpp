/// \file  Locks a directory so that only one program at a time writes to it.
#pragma once

#include <string>

namespace scree {

/// Locks a directory by flock on a file in it, kLockFile, which is never deleted. The system
/// releases the lock when the program ends in any way. Programs on other nodes see the lock if the
/// file system supports this (NFS, GPFS, Lustre mounted with `flock`). On a file system without
/// such locks nothing is locked. One rank only.
class DirectoryLock {
 public:
  static constexpr const char* kLockFile = ".scree_lock";

  /// @param directory  created if it is missing
  /// @throws InputError naming the host and process that hold the lock
  /// @throws OutputError if the directory cannot be created or written
  explicit DirectoryLock(const std::string& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  int file_;
};

}  // namespace scree
