#include "io/configuration/share_list.hpp"

#include <algorithm>
#include <sstream>

#include "io/configuration/units.hpp"
#include "solvers/base/check.hpp"

namespace scree {

std::vector<NamedShare> ReadShares(const std::string& text, const std::string& noun,
                                   const std::string& example) {
  std::vector<NamedShare> shares;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    std::istringstream words(part);
    std::string share, rest;
    NamedShare one;
    words >> one.name >> share >> rest;
    if (!share.empty()) one.share = ReadQuantities(share, 1, kPlain)[0];
    const bool alone = shares.empty() && parts.eof();
    if (!rest.empty() || !(one.share > 0.0) || (share.empty() && !alone)) {
      throw InputError(Text("\"", part, "\" is no ", noun,
                            " with its share; expected a name, or names with shares above 0 such ",
                            "as ", example));
    }
    if (std::ranges::count(shares, one.name, &NamedShare::name) > 0) {
      throw InputError(Text("names ", one.name, " twice; expected each ", noun, " once"));
    }
    shares.push_back(one);
  }
  return shares;
}

std::string WriteShares(const std::vector<NamedShare>& shares) {
  std::string text;
  for (const NamedShare& one : shares) {
    text += (text.empty() ? "" : ", ") + one.name;
    if (shares.size() > 1) text += " " + ShortestText(one.share);
  }
  return text;
}

}  // namespace scree
