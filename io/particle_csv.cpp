#include "io/particle_csv.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "io/collective_call.hpp"
#include "io/row_share.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

constexpr std::array<std::string_view, 10> kQuantities = {"x",  "y",  "z",  "radius", "vx",
                                                          "vy", "vz", "wx", "wy",     "wz"};
constexpr std::size_t kRadius = 3;
constexpr std::size_t kRequired = 4;

/// A line that holds values, and where it stands in the file.
struct Line {
  std::size_t number = 0;
  std::string_view text;
};

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<Line> ValueLines(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<Line> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trim(text.substr(0, end));
    if (!line.empty() && line.front() != '#') lines.push_back({number, line});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string_view> Split(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t comma = line.find(',');
    cells.push_back(Trim(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

/// Which quantity stands in which column.
class Header {
 public:
  Header(const Line& line, const std::string& path) : path_(path) {
    std::array<bool, kQuantities.size()> seen = {};
    for (const std::string_view name : Split(line.text)) {
      const auto found = std::find(kQuantities.begin(), kQuantities.end(), name);
      const auto quantity = static_cast<std::size_t>(found - kQuantities.begin());
      if (found == kQuantities.end() || seen[quantity]) {
        Fail(line, Text("column '", name, "' ",
                        found == kQuantities.end() ? "is unknown" : "occurs twice",
                        "; expected x,y,z,radius and any of vx,vy,vz,wx,wy,wz"));
      }
      seen[quantity] = true;
      quantities_.push_back(quantity);
    }
    for (std::size_t quantity = 0; quantity < kRequired; ++quantity) {
      if (!seen[quantity]) {
        Fail(line, Text("column '", kQuantities[quantity],
                        "' is missing; expected a header line with x,y,z,radius"));
      }
    }
  }

  /// The values of one row, in the order of kQuantities.
  std::array<double, kQuantities.size()> Parse(const Line& line) const {
    const std::vector<std::string_view> cells = Split(line.text);
    if (cells.size() != quantities_.size()) {
      Fail(line, Text("found ", cells.size(), " columns, expected ", quantities_.size(),
                      " as in the header"));
    }
    std::array<double, kQuantities.size()> values = {};
    for (std::size_t k = 0; k < cells.size(); ++k) {
      values[quantities_[k]] = Number(line, quantities_[k], cells[k]);
    }
    return values;
  }

 private:
  double Number(const Line& line, std::size_t quantity, std::string_view cell) const {
    std::string_view digits = cell;
    if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
    double value = 0.0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool whole = error == std::errc() && end == digits.data() + digits.size();
    if (!whole || !std::isfinite(value) || (quantity == kRadius && value <= 0.0)) {
      Fail(line, Text("column '", kQuantities[quantity], "': '", cell, "'; expected a ",
                      quantity == kRadius ? "positive" : "finite", " number"));
    }
    return value;
  }

  [[noreturn]] void Fail(const Line& line, const std::string& what) const {
    throw FileError(Text("'", path_, "' line ", line.number, ": ", what));
  }

  std::string path_;
  std::vector<std::size_t> quantities_;  // one per column
};

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) {
    throw FileError(Text("cannot read '", path, "': ", std::strerror(errno)));
  }
  // The text travels as one MPI message, whose length is an int.
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw FileError(Text("'", path, "' has ", text.size(),
                         " bytes; expected less than 2 GiB, use an HDF5 snapshot for more"));
  }
  return text;
}

}  // namespace

Particles ReadParticleCsv(const Communicator& communicator, const std::string& path) {
  std::string text;
  CallOnRoot<FileError>(communicator, [&] { text = ReadText(path); });
  text = communicator.Broadcast(text);
  const std::vector<Line> lines = ValueLines(text);
  Particles particles;
  CallOnAll<FileError>(communicator, [&] {
    if (lines.empty()) {
      throw FileError(Text("'", path, "' is empty; expected a header line with x,y,z,radius"));
    }
    const Header header(lines.front(), path);
    const RowShare share = ShareOf(communicator, lines.size() - 1);
    Resize(particles, share.count);
    particles.owned = share.count;
    for (std::size_t i = 0; i < share.count; ++i) {
      const auto [x, y, z, radius, vx, vy, vz, wx, wy, wz] =
          header.Parse(lines[1 + share.first + i]);
      particles.position[i] = Vec3(x, y, z);
      particles.velocity[i] = Vec3(vx, vy, vz);
      particles.angular_velocity[i] = Vec3(wx, wy, wz);
      particles.radius[i] = radius;
      particles.id[i] = static_cast<ParticleId>(share.first + i);
    }
  });
  return particles;
}

}  // namespace scree
