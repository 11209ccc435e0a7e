#include "tests/support/csv_rows.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace scree::test {

std::vector<std::vector<std::string>> ReadRows(const std::string& name) {
  const std::string path = std::string(SCREE_TEST_DATA) + "/" + name;
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<std::vector<std::string>> rows;
  bool is_header_read = false;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    if (!is_header_read) {
      is_header_read = true;
      continue;
    }
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
    rows.push_back(fields);
  }
  return rows;
}

OneContact ContactFromFields(const std::vector<std::string>& fields, std::size_t first) {
  OneContact contact;
  for (std::size_t i = 0; i < 9; ++i) {
    contact.a(static_cast<Eigen::Index>(i / 3), static_cast<Eigen::Index>(i % 3)) =
        std::stod(fields.at(first + i));
  }
  contact.b = VectorFromFields(fields, first + 9);
  contact.mu = std::stod(fields.at(first + 12));
  return contact;
}

Vec3 VectorFromFields(const std::vector<std::string>& fields, std::size_t first) {
  return {std::stod(fields.at(first)), std::stod(fields.at(first + 1)),
          std::stod(fields.at(first + 2))};
}

}  // namespace scree::test
