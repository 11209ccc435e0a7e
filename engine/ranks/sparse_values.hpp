/// \file  Sparse exchange of plain values.
#pragma once

#include <map>
#include <vector>

#include "engine/ranks/byte_buffer.hpp"
#include "engine/ranks/communicator.hpp"

namespace scree {

/// Sends values to other ranks and empties the messages. Collective.
/// @param messages  values of one type, by receiver
/// @returns the values sent to this rank, ordered by sender
template <class Value>
std::vector<Value> SendValues(const Communicator& communicator,
                              std::map<int, ByteWriter>& messages) {
  std::vector<Communicator::Message> sent;
  for (auto& [rank, bytes] : messages) sent.push_back({rank, bytes.Take()});
  std::vector<Value> values;
  for (const Communicator::Message& message : communicator.ExchangeSparse(sent)) {
    for (ByteReader in(message.bytes); !in.IsAtEnd();) values.push_back(in.Get<Value>());
  }
  return values;
}

}  // namespace scree
