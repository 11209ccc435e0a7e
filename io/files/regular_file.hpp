/// \file  Files that are files: what a run reads and writes of its own passes through no link and
///        waits in no pipe.
#pragma once

#include <string>

namespace scree {

/// Whether a path leads to a regular file, by links too.
bool IsRegularFile(const std::string& path);

/// Whether a file that is to be written is there.
/// @throws OutputError if something else has its name: a link, a pipe, a folder
bool RegularFileExists(const std::string& path);

/// Makes a file anew, in place of one that is there, whose other names (hard links) keep their
/// content.
/// @param folder  descriptor of the folder in which `name` is
/// @param path    for messages
/// @returns a descriptor for writing, or −1 with errno
/// @throws OutputError as RegularFileExists
int CreateNewFile(int folder, const std::string& name, const std::string& path);

/// The same of a path.
int CreateNewFile(const std::string& path);

}  // namespace scree
