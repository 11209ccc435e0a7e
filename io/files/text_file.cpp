#include "io/files/text_file.hpp"

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// Reads a file piece by piece, and decompresses a gzip file.
class PackedFile {
 public:
  explicit PackedFile(const std::string& path) : path_(path), file_(gzopen(path.c_str(), "rb")) {
    if (file_ == nullptr) Fail(std::strerror(errno));
  }
  ~PackedFile() { gzclose_r(file_); }
  PackedFile(const PackedFile&) = delete;
  PackedFile& operator=(const PackedFile&) = delete;

  /// Appends the next piece of text; false at the end.
  bool Append(std::string& text) {
    constexpr unsigned kPiece = 1 << 20;
    const std::size_t before = text.size();
    text.resize(before + kPiece);
    const int count = gzread(file_, text.data() + before, kPiece);
    text.resize(before + static_cast<std::size_t>(count < 0 ? 0 : count));
    if (count == static_cast<int>(kPiece)) return true;
    // A truncated gzip file ends like a complete one, except for the state of the stream.
    int state = Z_OK;
    const char* message = gzerror(file_, &state);
    if (state == Z_ERRNO) Fail(std::strerror(errno));
    if (state != Z_OK && state != Z_STREAM_END) Fail(Text("damaged gzip file (", message, ")"));
    return false;
  }

 private:
  [[noreturn]] void Fail(const std::string& message) const {
    throw FileError(Text("cannot read '", path_, "': ", message));
  }

  std::string path_;
  gzFile file_;
};

}  // namespace

std::string ReadTextFile(const std::string& path) {
  // A text is sent between ranks as one MPI message, whose length is an int.
  constexpr auto kMax = static_cast<std::size_t>(std::numeric_limits<int>::max());
  PackedFile file(path);
  std::string text;
  bool has_more = true;
  while (has_more) {
    has_more = file.Append(text);
    if (text.size() > kMax) {
      throw FileError(Text("'", path, "' has 2 GiB of text or more; use an HDF5 snapshot"));
    }
  }
  return text;
}

}  // namespace scree
