#include "io/files/wav_file.hpp"

#include <sndfile.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "io/files/atomic_file.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// A file in memory, for libsndfile would write to a path in its own way.
struct Memory {
  std::string bytes;
  sf_count_t at = 0;
};

sf_count_t Length(void* memory) {
  return static_cast<sf_count_t>(static_cast<Memory*>(memory)->bytes.size());
}

sf_count_t Seek(sf_count_t offset, int whence, void* memory) {
  auto& file = *static_cast<Memory*>(memory);
  const sf_count_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? file.at : Length(memory);
  return file.at = from + offset;
}

sf_count_t Read(void* to, sf_count_t count, void* memory) {
  auto& file = *static_cast<Memory*>(memory);
  count = std::clamp<sf_count_t>(Length(memory) - file.at, 0, count);
  std::memcpy(to, file.bytes.data() + file.at, static_cast<std::size_t>(count));
  file.at += count;
  return count;
}

sf_count_t Write(const void* from, sf_count_t count, void* memory) {
  auto& file = *static_cast<Memory*>(memory);
  const auto end = static_cast<std::size_t>(file.at + count);
  if (end > file.bytes.size()) file.bytes.resize(end);
  std::memcpy(file.bytes.data() + file.at, from, static_cast<std::size_t>(count));
  file.at += count;
  return count;
}

sf_count_t Tell(void* memory) { return static_cast<Memory*>(memory)->at; }

}  // namespace

void WriteWavFile(const std::string& path, std::span<const double> samples, int rate) {
  Memory memory;
  SF_VIRTUAL_IO calls{Length, Seek, Read, Write, Tell};
  SF_INFO info{};
  info.samplerate = rate;
  info.channels = 1;
  info.format = SF_FORMAT_WAV | SF_FORMAT_PCM_24;
  SNDFILE* file = sf_open_virtual(&calls, SFM_WRITE, &info, &memory);
  if (file == nullptr) {
    throw OutputError(Text("cannot write '", path, "' as WAV: ", sf_strerror(nullptr)));
  }
  const auto count = static_cast<sf_count_t>(samples.size());
  const bool is_written = sf_writef_double(file, samples.data(), count) == count;
  const bool is_closed = sf_close(file) == 0;
  if (!is_written || !is_closed) {
    throw OutputError(Text("cannot write '", path, "' as WAV: libsndfile took not all samples"));
  }
  WriteWholeFile(path, memory.bytes);
}

}  // namespace scree
