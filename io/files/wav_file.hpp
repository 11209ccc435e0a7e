/// \file  Sound files: WAV with one channel of 24 bits, by libsndfile.
#pragma once

#include <span>
#include <string>

namespace scree {

/// Writes the samples, −1 to 1, as a whole file in place of what was there; to a link, a pipe or a
/// device as WriteWholeFile does.
/// @param rate  samples per second, 1 to 655350
/// @throws OutputError
void WriteWavFile(const std::string& path, std::span<const double> samples, int rate);

}  // namespace scree
