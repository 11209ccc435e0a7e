#include "io/state/particle_csv.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "io/configuration/units.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/collective_call.hpp"
#include "io/files/row_share.hpp"
#include "io/files/text_file.hpp"
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

struct Lines {
  std::vector<Line> values;    // the header line first
  std::vector<Line> comments;  // without the sign
};

Lines SplitLines(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Lines lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trim(text.substr(0, end));
    if (line.starts_with('#')) {
      lines.comments.push_back({number, Trim(line.substr(1))});
    } else if (!line.empty()) {
      lines.values.push_back({number, line});
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

[[noreturn]] void Fail(const std::string& path, const Line& line, const std::string& what) {
  throw FileError(Text("'", path, "' line ", line.number, ": ", what));
}

/// A whole text that is a finite number.
std::optional<double> FiniteNumber(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
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
    const std::optional<double> value = FiniteNumber(cell);
    if (!value || (quantity == kRadius && *value <= 0.0)) {
      Fail(line, Text("column '", kQuantities[quantity], "': '", cell, "'; expected a ",
                      quantity == kRadius ? "positive" : "finite", " number"));
    }
    return *value;
  }

  [[noreturn]] void Fail(const Line& line, const std::string& what) const {
    scree::Fail(path_, line, what);
  }

  std::string path_;
  std::vector<std::size_t> quantities_;  // one per column
};

/// The box of a comment "box lx ly lz"; a comment in which no number follows the word has none.
std::optional<Box> BoxIn(const Line& comment, const std::string& path) {
  constexpr std::string_view kWord = "box";
  constexpr std::string_view kNumberBegins = "+-.0123456789";
  if (!comment.text.starts_with(kWord)) return std::nullopt;
  std::string_view rest = comment.text.substr(kWord.size());
  const bool separate = !rest.empty() && (rest.front() == ' ' || rest.front() == '\t');
  rest = Trim(rest);
  if (!separate || rest.empty() || kNumberBegins.find(rest.front()) == kNumberBegins.npos) {
    return std::nullopt;
  }
  Box box;
  int axis = 0;
  for (; !rest.empty(); ++axis) {
    const std::size_t end = std::min(rest.find_first_of(" \t"), rest.size());
    const std::optional<double> length = FiniteNumber(rest.substr(0, end));
    if (axis == 3 || !length || *length <= 0.0) break;
    box.upper[axis] = *length;
    rest = Trim(rest.substr(end));
  }
  if (axis != 3 || !rest.empty()) {
    Fail(path, comment, "expected three positive lengths after 'box'");
  }
  return box;
}

std::optional<Box> FindBox(const std::vector<Line>& comments, const std::string& path) {
  std::optional<Box> found;
  for (const Line& comment : comments) {
    const std::optional<Box> box = BoxIn(comment, path);
    if (found && box) Fail(path, comment, "a second box; expected one");
    if (box) found = box;
  }
  return found;
}

/// This rank's share of the rows.
Particles ParseRows(const std::vector<Line>& lines, const RowShare& share,
                    const std::string& path) {
  const Header header(lines.front(), path);
  Particles particles;
  Resize(particles, share.count);
  particles.owned = share.count;
  for (std::size_t i = 0; i < share.count; ++i) {
    const auto [x, y, z, radius, vx, vy, vz, wx, wy, wz] = header.Parse(lines[1 + share.first + i]);
    particles.position[i] = Vec3(x, y, z);
    particles.velocity[i] = Vec3(vx, vy, vz);
    particles.angular_velocity[i] = Vec3(wx, wy, wz);
    particles.radius[i] = radius;
    particles.id[i] = static_cast<ParticleId>(share.first + i);
  }
  return particles;
}

std::string AsRows(const Particles& particles) {
  std::string rows;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    const Vec3& x = particles.position[i];
    const Vec3& v = particles.velocity[i];
    const Vec3& w = particles.angular_velocity[i];
    for (const double value :
         {x[0], x[1], x[2], particles.radius[i], v[0], v[1], v[2], w[0], w[1], w[2]}) {
      rows += ShortestText(value) + ",";
    }
    rows.back() = '\n';
  }
  return rows;
}

}  // namespace

ParticleTable ReadParticleCsv(const Communicator& communicator, const std::string& path) {
  std::string text;
  CallOnRoot<FileError>(communicator, [&] { text = ReadTextFile(path); });
  text = communicator.Broadcast(text);
  ParticleTable table;
  CallOnAll<FileError>(communicator, [&] {
    const Lines lines = SplitLines(text);
    if (lines.values.empty()) {
      throw FileError(Text("'", path, "' is empty; expected a header line with x,y,z,radius"));
    }
    table.box = FindBox(lines.comments, path);
    table.particles = ParseRows(lines.values, ShareOf(communicator, lines.values.size() - 1), path);
  });
  return table;
}

void WriteParticleCsv(const Communicator& communicator, const std::string& path,
                      const Particles& particles, const Vec3& box) {
  std::string text =
      "# box " + ShortestText(box[0]) + " " + ShortestText(box[1]) + " " + ShortestText(box[2]);
  text += "\nx,y,z,radius,vx,vy,vz,wx,wy,wz\n";
  for (const std::string& rows : communicator.GatherAtRoot(AsRows(particles))) text += rows;
  WriteWholeFile(communicator, path, text);
}

}  // namespace scree
