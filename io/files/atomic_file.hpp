/// \file  Files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <future>
#include <string>
#include <vector>

#include "engine/ranks/communicator.hpp"

namespace scree {

/// The name under which a file is written until it is whole.
std::string TemporaryName(const std::string& path);

/// Finds out whether a file of this many bytes fits beside path, by reserving it for a moment: also
/// quotas are seen. To be asked before a collective write, because MPI libraries are known to hang
/// or crash when the disk is full. Says nothing where the file system cannot reserve. One rank
/// only.
/// @throws OutputError with the system's reason
void CheckSpace(const std::string& path, std::size_t bytes);

/// Gives the closed file TemporaryName(path) its own name: fsync, rename, fsync of the directory,
/// so that after a crash either the old file or the whole new one is there. One rank only.
/// @throws OutputError with the system's reason
void CommitFile(const std::string& path);

/// The same for several files of one directory, which get their names in this order.
/// @pre all have been synced
void CommitSynced(const std::vector<std::string>& paths);

/// Waits until what was written to the files is on disk, for all of them together: the disk needs
/// hardly longer for a few than for one. One rank only.
/// @throws OutputError with the system's reason
void SyncFiles(const std::vector<std::string>& paths);

/// Deletes files, in this order, that may be missing. Their names are gone when this returns;
/// giving the space back takes some file systems a millisecond per megabyte, so that a thread waits
/// for it. One rank only.
/// @returns waits until the space is free, at the latest when it is destroyed
/// @throws OutputError with the system's reason; later files are then still there
[[nodiscard]] std::future<void> RemoveFiles(const std::vector<std::string>& paths);

/// Writes the text to TemporaryName(path), a new file, and does not wait for the disk. One rank
/// only.
/// @throws OutputError with the system's reason, or if something that is no file has the name
void WriteTemporary(const std::string& path, const std::string& text);

/// Writes the text as a whole file in place of what was there. Links stay, what they point to is
/// replaced; a pipe, a device or a descriptor of this process (/dev/stdout) cannot be replaced and
/// is written to as it is. For files that a user names. One rank only.
/// @throws OutputError with the system's reason; an old file is then untouched
void WriteWholeFile(const std::string& path, const std::string& text);

/// The same for files that a run names itself: no link is followed, and what is no regular file is
/// not replaced. One rank only.
/// @throws OutputError with the system's reason; what was there is then untouched
void ReplaceFile(const std::string& path, const std::string& text);

/// The same by root for all ranks. Collective.
/// @throws OutputError on all ranks
void ReplaceFile(const Communicator& communicator, const std::string& path,
                 const std::string& text);

}  // namespace scree
