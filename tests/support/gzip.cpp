#include "tests/support/gzip.hpp"

#include <zlib.h>

#include "solvers/base/check.hpp"

namespace scree::test {

std::string Gzip(const std::string& text) {
  constexpr int kWindow = 15, kGzipHeader = 16, kMemory = 8;  // zlib's defaults, gzip's frame
  z_stream stream = {};
  SCREE_DEMAND(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kWindow + kGzipHeader,
                            kMemory, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string compressed(deflateBound(&stream, text.size()), '\0');
  std::string input = text;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(compressed.data());
  stream.avail_out = static_cast<uInt>(compressed.size());
  SCREE_DEMAND(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  compressed.resize(stream.total_out);
  deflateEnd(&stream);
  return compressed;
}

}  // namespace scree::test
