/// \file  Regular files: when a run writes its own files, it must not follow links or wait for
/// pipes.
#pragma once

#include <string>

namespace scree {

/// Whether a path leads to a regular file, possibly through links.
bool IsRegularFile(const std::string& path);

/// Requires that the name of a file to write belongs to a regular file or to nothing.
/// @throws OutputError if the name belongs to a link, a pipe, a folder, a socket or a device
void RequireRegularFileOrNone(const std::string& path);

/// Creates a file and replaces an existing one. Other hard links of the old file keep its content.
/// @param folder  descriptor of the folder of `name`
/// @param path    for messages
/// @returns a descriptor for writing, or −1 with errno
/// @throws OutputError as RequireRegularFileOrNone
int CreateNewFile(int folder, const std::string& name, const std::string& path);

/// CreateNewFile in the folder of `path`.
int CreateNewFile(const std::string& path);

}  // namespace scree
