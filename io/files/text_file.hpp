/// \file  Whole text files, plain or gzip. The only place that knows zlib.
#pragma once

#include <string>

namespace scree {

/// The text of a file; one that gzip packed is unpacked, whatever its name.
/// @throws FileError if it cannot be read, is a damaged gzip file, or holds 2 GiB of text or more
std::string ReadTextFile(const std::string& path);

}  // namespace scree
