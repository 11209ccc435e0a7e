/// \file  Sparse exchange of plain values.
#pragma once

#include <map>
#include <vector>

#include "engine/ranks/byte_buffer.hpp"
#include "engine/ranks/communicator.hpp"

namespace scree {

/// Sends each rank its values. Collective. @returns the values sent to this rank, ordered by sender
template <class Value>
std::vector<Value> SendValues(const Communicator& communicator, std::map<int, ByteWriter>& to) {
  std::vector<Communicator::Message> messages;
  for (auto& [rank, bytes] : to) messages.push_back({rank, bytes.Take()});
  std::vector<Value> values;
  for (const Communicator::Message& message : communicator.ExchangeSparse(messages)) {
    for (ByteReader in(message.bytes); !in.IsAtEnd();) values.push_back(in.Get<Value>());
  }
  return values;
}

}  // namespace scree
