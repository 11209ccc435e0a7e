/// \file  Files that appear complete or not at all.
#pragma once

#include <cstddef>
#include <future>
#include <string>
#include <vector>

#include "engine/ranks/communicator.hpp"

namespace scree {

/// The name under which a file is written until it is complete.
std::string TemporaryName(const std::string& path);

/// Checks that a file of this many bytes fits in the folder of `path`, by reserving the space for a
/// moment. This also detects quotas. Call it before a collective write, because MPI libraries can
/// hang or crash when the disk is full. No effect if the file system cannot reserve space. One rank
/// only.
/// @throws OutputError with the system's reason
void CheckSpace(const std::string& path, std::size_t bytes);

/// Renames the closed file TemporaryName(path) to `path`: fsync, rename, fsync of the directory.
/// After a crash either the old file or the complete new file exists. One rank only.
/// @throws OutputError with the system's reason
void CommitFile(const std::string& path);

/// Renames files of one directory like CommitFile, in this order, but without syncing them first.
/// @pre SyncFiles has synced the temporary files
void CommitSynced(const std::vector<std::string>& paths);

/// Waits until the data of all these files are on disk. Waiting for several files together takes
/// hardly longer than for one. One rank only.
/// @throws OutputError with the system's reason
void SyncFiles(const std::vector<std::string>& paths);

/// Deletes files in this order; missing ones are ignored. On return the names are deleted. Some
/// file systems take a millisecond per megabyte to free the space, so a thread does that. One rank
/// only.
/// @returns a future that is ready when the space is free; its destructor waits for the thread
/// @throws OutputError with the system's reason; later files then still exist
[[nodiscard]] std::future<void> RemoveFiles(const std::vector<std::string>& paths);

/// Writes the text to a new file TemporaryName(path) without waiting for the disk. One rank only.
/// @throws OutputError with the system's reason, or if the name belongs to something other than a
/// regular file
void WriteTemporary(const std::string& path, const std::string& text);

/// Writes the text to a file that a user names, and replaces an existing one. A link is kept, and
/// its target is replaced. A pipe, a device or a descriptor of this process (/dev/stdout) cannot be
/// replaced; the text is written to it directly. One rank only.
/// @throws OutputError with the system's reason; an old file is then unchanged
void WriteWholeFile(const std::string& path, const std::string& text);

/// As WriteWholeFile, for files that a run names itself: follows no link, and replaces only regular
/// files. Call this on one rank only.
/// @throws OutputError with the system's reason; an old file is then unchanged
void ReplaceFile(const std::string& path, const std::string& text);

/// ReplaceFile for all ranks: root writes the file. Collective.
/// @throws OutputError on all ranks
void ReplaceFile(const Communicator& communicator, const std::string& path,
                 const std::string& text);

}  // namespace scree
