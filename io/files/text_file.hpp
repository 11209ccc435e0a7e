/// \file  Whole text files, plain or gzip. Only this code uses zlib.
#pragma once

#include <string>

namespace scree {

/// Reads the text of a file, and unpacks a gzip file of any name.
/// @throws FileError if it cannot be read, is a damaged gzip file, or contains 2 GiB of text or
/// more
std::string ReadTextFile(const std::string& path);

}  // namespace scree
