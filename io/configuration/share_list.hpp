/// \file  Values that are names with shares: "glass 0.7, steel 0.3".
#pragma once

#include <string>
#include <vector>

namespace scree {

struct NamedShare {
  std::string name;
  double share = 1.0;  // > 0; their sum need not be 1
};

/// Reads names with shares, or one name alone.
/// @param noun     what is named, "shape"
/// @param example  "rod 0.3, tetrapod 0.7"
/// @throws InputError if it is no such list, or names something twice
std::vector<NamedShare> ReadShares(const std::string& text, const std::string& noun,
                                   const std::string& example);

/// The text that ReadShares takes.
std::string WriteShares(const std::vector<NamedShare>& shares);

}  // namespace scree
