#include "io/state/particle_csv.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/files/collective_call.hpp"
#include "io/files/row_share.hpp"
#include "io/files/text_file.hpp"
#include "io/files/text_lines.hpp"
#include "io/scene/table_columns.hpp"
#include "io/scene/units.hpp"
#include "io/state/text_state.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

constexpr std::array<std::string_view, 16> kQuantities = {
    "x",  "y",  "z",  "radius", "vx", "vy", "vz",    "wx",
    "wy", "wz", "qw", "qx",     "qy", "qz", "shape", "material"};
constexpr std::size_t kRadius = 3;
constexpr std::size_t kRequired = 4;
constexpr std::size_t kOrientation = 10;
constexpr std::size_t kShape = 14, kMaterial = 15;  // columns of names, not of numbers
constexpr std::size_t kNumbers = 14;

/// One row. Values without a column are zero or empty.
struct Row {
  std::array<double, kNumbers> numbers = {};
  std::string_view shape, material;
};

[[noreturn]] void Fail(const std::string& path, const TextLine& line, const std::string& error) {
  throw FileError(Text("'", path, "' line ", line.number, ": ", error));
}

Dimension DimensionOf(std::size_t quantity) {
  constexpr std::size_t kFirstVelocity = 4, kFirstSpin = 7;
  if (quantity >= kOrientation) return kPlain;
  return quantity >= kFirstSpin ? kAngularRate : quantity >= kFirstVelocity ? kSpeed : kLength;
}

/// The quantity and the unit of each column.
class Header {
 public:
  Header(const TextLine& line, const std::string& path)
      : path_(path), separator_(SeparatorOf(line.text)) {
    std::array<bool, kQuantities.size()> seen = {};
    for (const std::string_view head : Split(line.text, separator_)) {
      const ColumnName column(head);
      const std::string& name = column.name;
      const auto known = std::find(kQuantities.begin(), kQuantities.end(), name);
      const auto quantity = static_cast<std::size_t>(known - kQuantities.begin());
      if (known == kQuantities.end() || seen[quantity]) {
        Fail(line, Text("column '", name, "' ",
                        known == kQuantities.end() ? "is unknown" : "occurs twice",
                        "; expected x,y,z,radius and any of vx,vy,vz,wx,wy,wz,",
                        "qw,qx,qy,qz,shape,material, in SI or with a unit as in x_mm"));
      }
      seen[quantity] = true;
      units_.push_back(column.unit);
      RequireUnit(line, quantity, head);
      quantities_.push_back(quantity);
    }
    for (std::size_t quantity = 0; quantity < kRequired; ++quantity) {
      const bool has_default_radius = quantity == kRadius && seen[kShape];
      if (!seen[quantity] && !has_default_radius) {
        Fail(line, Text("column '", kQuantities[quantity],
                        "' is missing; expected a header line with x,y,z,radius"));
      }
    }
    for (std::size_t part = 1; part < 4; ++part) {
      if (seen[kOrientation] == seen[kOrientation + part]) continue;
      Fail(line, "an orientation has four columns; expected qw,qx,qy,qz or none of them");
    }
    has_orientation_ = seen[kOrientation];
    has_shape_ = seen[kShape];
  }

  bool HasOrientation() const { return has_orientation_; }

  Row Parse(const TextLine& line) const {
    const auto count = static_cast<std::size_t>(std::ranges::count(line.text, separator_)) + 1;
    if (count != quantities_.size()) {
      Fail(line,
           Text("found ", count, " columns, expected ", quantities_.size(), " as in the header"));
    }
    Row row;
    std::size_t column = 0;
    ForEachPiece(line.text, separator_, [&](std::string_view cell) {
      const std::string& unit = units_[column];
      const std::size_t quantity = quantities_[column++];
      if (quantity == kShape || quantity == kMaterial) {
        (quantity == kShape ? row.shape : row.material) = cell;
      } else if (!(has_shape_ && quantity == kRadius && cell.empty())) {
        row.numbers[quantity] = ReadNumber(line, quantity, cell, unit);
      }
    });
    return row;
  }

 private:
  /// Requires that the last of `units_` so far fits the column's quantity. Names and orientations
  /// have no unit.
  void RequireUnit(const TextLine& line, std::size_t quantity, std::string_view head) const {
    const std::string& unit = units_.back();
    if (unit.empty()) return;
    try {
      if (quantity < kOrientation &&
          Fits(scree::DimensionOf(std::string_view(unit)), DimensionOf(quantity))) {
        return;
      }
    } catch (const InputError&) {
    }
    const std::string si = SiUnit(DimensionOf(quantity));
    Fail(line, Text("column '", head, "': '", unit, "' is not a unit of ", kQuantities[quantity],
                    "; expected ", si.empty() ? "none" : si + " or the like"));
  }

  double ReadNumber(const TextLine& line, std::size_t quantity, std::string_view cell,
                    const std::string& unit) const {
    const std::optional<double> value = FiniteNumber(cell);
    if (!value || (quantity == kRadius && *value <= 0.0)) {
      Fail(line, Text("column '", kQuantities[quantity], "': '", cell, "'; expected a ",
                      quantity == kRadius ? "positive" : "finite", " number",
                      cell.find(',') == cell.npos ? "" : " with a decimal point"));
    }
    if (unit.empty()) return *value;
    return ReadQuantities(Text(cell, " ", unit), 1, DimensionOf(quantity)).front();
  }

  [[noreturn]] void Fail(const TextLine& line, const std::string& error) const {
    scree::Fail(path_, line, error);
  }

  std::string path_;
  char separator_;
  std::vector<std::size_t> quantities_;  // one per column
  std::vector<std::string> units_;       // one per column; empty: SI
  bool has_orientation_ = false, has_shape_ = false;
};

/// The box that a comment "box lx ly lz" gives; nothing if no number follows the word "box".
std::optional<Box> ReadBox(const TextLine& comment, const std::string& path) {
  constexpr std::string_view kWord = "box";
  constexpr std::string_view kNumberStarts = "+-.0123456789";
  if (!comment.text.starts_with(kWord)) return std::nullopt;
  std::string_view rest = comment.text.substr(kWord.size());
  const bool has_space = !rest.empty() && (rest.front() == ' ' || rest.front() == '\t');
  rest = Trimmed(rest);
  if (!has_space || rest.empty() || kNumberStarts.find(rest.front()) == kNumberStarts.npos) {
    return std::nullopt;
  }
  Box box;
  int axis = 0;
  for (; !rest.empty(); ++axis) {
    const std::size_t end = std::min(rest.find_first_of(" \t"), rest.size());
    const std::optional<double> length = FiniteNumber(rest.substr(0, end));
    if (axis == 3 || !length || *length <= 0.0) break;
    box.upper[axis] = *length;
    rest = Trimmed(rest.substr(end));
  }
  if (axis != 3 || !rest.empty()) {
    Fail(path, comment, "expected three positive lengths after 'box'");
  }
  return box;
}

std::optional<Box> FindBox(const std::vector<TextLine>& comments, const std::string& path) {
  std::optional<Box> only_box;
  for (const TextLine& comment : comments) {
    const std::optional<Box> box = ReadBox(comment, path);
    if (only_box && box) Fail(path, comment, "a second box; expected one");
    if (box) only_box = box;
  }
  return only_box;
}

/// The number of a name in the list of known names, counted from `first`; 0 for an empty name.
std::int32_t NumberOf(std::string_view name, std::span<const std::string> known, std::int32_t first,
                      const char* column, const std::string& path, const TextLine& line) {
  if (name.empty()) return 0;
  std::string known_names;
  for (std::size_t k = 0; k < known.size(); ++k) {
    if (known[k] == name) return first + static_cast<std::int32_t>(k);
    known_names += (k == 0 ? "" : ", ") + known[k];
  }
  Fail(path, line,
       Text("column '", column, "': '", name, "' is not in the scene; expected ",
            known_names.empty() ? "none" : known_names));
}

/// Parses this rank's part of the rows.
Particles ParseRows(const std::vector<TextLine>& lines, const RowShare& share,
                    const std::string& path, const TableNames& names) {
  const Header header(lines.front(), path);
  Particles particles;
  Resize(particles, share.count);
  particles.owned = share.count;
  for (std::size_t i = 0; i < share.count; ++i) {
    const TextLine& line = lines[1 + share.first + i];
    const Row row = header.Parse(line);
    const auto [x, y, z, radius, vx, vy, vz, wx, wy, wz, qw, qx, qy, qz] = row.numbers;
    particles.position[i] = Vec3(x, y, z);
    particles.velocity[i] = Vec3(vx, vy, vz);
    particles.angular_velocity[i] = Vec3(wx, wy, wz);
    particles.id[i] = static_cast<ParticleId>(share.first + i);
    particles.material[i] = NumberOf(row.material, names.materials, 0, "material", path, line);
    if (row.shape != "sphere") {
      particles.shape[i] = NumberOf(row.shape, names.shapes, 1, "shape", path, line);
    }
    const bool has_described_size = radius == 0.0 && particles.shape[i] != kSphereShape;
    particles.radius[i] =
        has_described_size ? names.radii[static_cast<std::size_t>(particles.shape[i]) - 1] : radius;
    if (!(particles.radius[i] > 0.0)) Fail(path, line, "a sphere has no radius");
    if (!header.HasOrientation()) continue;
    constexpr double kRounding = 1e-6;
    if (!(std::abs(std::hypot(std::hypot(qw, qx), std::hypot(qy, qz)) - 1.0) < kRounding)) {
      Fail(path, line, "qw,qx,qy,qz is not a unit quaternion");
    }
    particles.orientation[i] = Normalized({qw, qx, qy, qz});
  }
  return particles;
}

std::string RowsText(const Particles& particles) {
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

ParticleTable ReadParticleCsv(const Communicator& communicator, const std::string& path,
                              const TableNames& names) {
  std::string text;
  CallOnRoot<FileError>(communicator, [&] {
    text = ReadTextFile(path);
    if (IsTextStateName(path)) text = TableOfTextState(text, path, names.materials);
  });
  text = communicator.Broadcast(std::move(text));
  ParticleTable table;
  CallOnAll<FileError>(communicator, [&] {
    std::string copy;
    const TableLines lines = LinesOfTable(PlainText(text, copy));
    if (lines.values.empty()) {
      throw FileError(Text("'", path, "' is empty; expected a header line with x,y,z,radius"));
    }
    table.box = FindBox(lines.comments, path);
    table.particles =
        ParseRows(lines.values, ShareOf(communicator, lines.values.size() - 1), path, names);
  });
  return table;
}

void WriteParticleCsv(const Communicator& communicator, const std::string& path,
                      const Particles& particles, const Vec3& box) {
  std::string text =
      "# box " + ShortestText(box[0]) + " " + ShortestText(box[1]) + " " + ShortestText(box[2]);
  text += "\nx,y,z,radius,vx,vy,vz,wx,wy,wz\n";
  for (const std::string& rows : communicator.GatherAtRoot(RowsText(particles))) text += rows;
  CallOnRoot<OutputError>(communicator, [&] { WriteWholeFile(path, text); });
}

}  // namespace scree
