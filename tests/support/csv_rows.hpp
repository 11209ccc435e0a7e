/// \file  Reads the tests' reference data: CSV with a header row and '#' comment lines.
#pragma once

#include <string>
#include <vector>

#include "solvers/one_contact/one_contact.hpp"

namespace scree::test {

/// Rows of tests/data/<name>, without comments and header; throws if the file is missing.
std::vector<std::vector<std::string>> ReadRows(const std::string& name);

/// A, b and μ from 13 fields starting at `first`.
OneContact ContactFromFields(const std::vector<std::string>& fields, std::size_t first);

Vec3 VectorFromFields(const std::vector<std::string>& fields, std::size_t first);

}  // namespace scree::test
