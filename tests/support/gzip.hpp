/// \file  Packs text as gzip does, to be unpacked by what is tested.
#pragma once

#include <string>

namespace scree::test {

std::string Gzip(const std::string& text);

}  // namespace scree::test
