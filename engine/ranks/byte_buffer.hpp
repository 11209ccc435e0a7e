/// \file  Conversion of values to bytes and back, for messages.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "solvers/base/check.hpp"

namespace scree {

/// Appends trivially copyable values, without padding between the values.
class ByteWriter {
 public:
  template <class Value>
  void Put(const Value& value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof(Value));
  }
  std::vector<std::byte> Take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads values in the order in which they were written.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class Value>
  Value Get() {
    SCREE_DEMAND(offset_ + sizeof(Value) <= bytes_.size());
    Value value;
    std::memcpy(reinterpret_cast<std::byte*>(&value), bytes_.data() + offset_, sizeof(Value));
    offset_ += sizeof(Value);
    return value;
  }
  bool IsAtEnd() const { return offset_ == bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
  std::size_t offset_ = 0;
};

}  // namespace scree
