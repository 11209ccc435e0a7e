/// \file  Compresses text in gzip format, as input of the code under test.
#pragma once

#include <string>

namespace scree::test {

std::string Gzip(const std::string& text);

}  // namespace scree::test
