#include "io/files/ply_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <variant>

#include "io/files/text_lines.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

using Scalar = std::variant<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                            std::uint32_t, float, double>;
constexpr std::array<std::array<const char*, 2>, std::variant_size_v<Scalar>> kTypes = {
    {{"char", "int8"},
     {"uchar", "uint8"},
     {"short", "int16"},
     {"ushort", "uint16"},
     {"int", "int32"},
     {"uint", "uint32"},
     {"float", "float32"},
     {"double", "float64"}}};

struct Property {
  std::string name;
  std::size_t type = 0;
  std::optional<std::size_t> count_type = {};  // of a list
};
struct Element {
  std::string name;
  std::size_t count = 0;
  std::vector<Property> properties;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes)
      : rest_(bytes),
        line_end_(bytes.starts_with("ply\r") && !bytes.starts_with("ply\r\n") ? '\r' : '\n') {}

  PlyContent Read() {
    ReadHeader();
    PlyContent content;
    for (const Element& element : elements_) {
      for (std::size_t row = 0; row < element.count; ++row) ReadRow(element, row, content);
    }
    if (content.points.empty()) throw InputError("has no vertices; expected some");
    return content;
  }

 private:
  std::string_view Line() {
    const std::size_t end = rest_.find(line_end_);
    if (end == rest_.npos) throw InputError("ends in its header: it is truncated");
    const std::string_view line = Trimmed(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return line;
  }

  static std::vector<std::string> WordsOf(std::string_view line) {
    std::vector<std::string> words;
    ForEachPiece(line, ' ', [&](std::string_view word) {
      if (!word.empty()) words.emplace_back(word);
    });
    return words;
  }

  void ReadHeader() {
    if (Line() != "ply") throw InputError("does not begin with \"ply\"; expected a PLY file");
    for (;;) {
      const std::string_view line = Line();
      const std::vector<std::string> words = WordsOf(line);
      if (words.empty() || words[0] == "comment" || words[0] == "obj_info") continue;
      if (words[0] == "end_header") return;
      if (words[0] == "format" && words.size() > 1 && words[1] != "binary_big_endian") {
        is_text_ = words[1] == "ascii";
        if (is_text_ || words[1] == "binary_little_endian") continue;
      } else if (words[0] == "element" && words.size() == 3) {
        const std::optional<double> count = FiniteNumber(words[2]);
        if (count && *count >= 0.0 && *count < 1e9 && *count == std::floor(*count)) {
          elements_.push_back({words[1], static_cast<std::size_t>(*count), {}});
          continue;
        }
      } else if (words[0] == "property" && !elements_.empty()) {
        if (const auto property = PropertyOf(words)) {
          elements_.back().properties.push_back(*property);
          continue;
        }
      }
      throw InputError(Text("has \"", line.substr(0, 60),
                            "\" in its header; expected format ascii or binary_little_endian, "
                            "element, property or end_header"));
    }
  }

  static std::optional<std::size_t> TypeNamed(const std::string& name) {
    for (std::size_t k = 0; k < kTypes.size(); ++k) {
      if (name == kTypes[k][0] || name == kTypes[k][1]) return k;
    }
    return {};
  }

  static std::optional<Property> PropertyOf(const std::vector<std::string>& words) {
    if (words.size() == 3) {
      if (const auto type = TypeNamed(words[1])) return Property{words[2], *type};
    } else if (words.size() == 5 && words[1] == "list") {
      const auto count = TypeNamed(words[2]), type = TypeNamed(words[3]);
      if (count && type) return Property{words[4], *type, *count};
    }
    return {};
  }

  double Number(std::size_t type, const Element& element, std::size_t row) {
    const auto fail = [&](const std::string& what) {
      throw InputError(
          Text(what, " in row ", row + 1, " of ", element.count, " of ", element.name));
    };
    if (is_text_) {
      const std::size_t begin = rest_.find_first_not_of(" \t\r\n");
      if (begin == rest_.npos) fail("ends");
      const std::size_t end = std::min(rest_.find_first_of(" \t\r\n", begin), rest_.size());
      const std::string_view word = rest_.substr(begin, end - begin);
      rest_.remove_prefix(end);
      const std::optional<double> number = FiniteNumber(word);
      if (!number) fail(Text("has \"", word.substr(0, 40), "\" in place of a number"));
      return *number;
    }
    double number = 0.0;
    const auto take = [&]<std::size_t k>(std::integral_constant<std::size_t, k>) {
      if (k != type) return;
      std::variant_alternative_t<k, Scalar> value;
      if (rest_.size() < sizeof value) fail("ends");
      std::memcpy(&value, rest_.data(), sizeof value);
      rest_.remove_prefix(sizeof value);
      number = static_cast<double>(value);
    };
    [&]<std::size_t... k>(std::index_sequence<k...>) {
      (take(std::integral_constant<std::size_t, k>{}), ...);
    }
    (std::make_index_sequence<std::variant_size_v<Scalar>>{});
    if (!std::isfinite(number)) fail("has a number that is not finite");
    return number;
  }

  void ReadRow(const Element& element, std::size_t row, PlyContent& content) {
    Vec3 place = Vec3::Zero();
    int parts = 0;
    for (const Property& property : element.properties) {
      if (!property.count_type) {
        const double value = Number(property.type, element, row);
        for (int axis = 0; axis < 3; ++axis) {
          if (property.name != std::string(1, "xyz"[axis])) continue;
          place[axis] = value;
          ++parts;
        }
        continue;
      }
      std::vector<double> list;
      const double count = Number(*property.count_type, element, row);
      for (double k = 0.0; k < count; ++k) list.push_back(Number(property.type, element, row));
      const bool is_face = property.name == "vertex_indices" || property.name == "vertex_index";
      if (element.name == "face" && is_face) AddFace(list, row, content);
    }
    if (element.name != "vertex") return;
    if (parts != 3) throw InputError("has vertices without x, y and z; expected these");
    content.points.push_back(place);
  }

  static void AddFace(const std::vector<double>& corners, std::size_t row, PlyContent& content) {
    const auto at = [&](double corner) {
      if (!(corner >= 0.0 && corner < static_cast<double>(content.points.size()))) {
        throw InputError(Text("has the corner ", corner, " in face ", row + 1,
                              "; expected one of the ", content.points.size(),
                              " vertices before, from 0"));
      }
      return content.points[static_cast<std::size_t>(corner)];
    };
    for (std::size_t k = 2; k < corners.size(); ++k) {
      content.triangles.push_back({at(corners[0]), at(corners[k - 1]), at(corners[k])});
    }
  }

  std::string_view rest_;
  char line_end_;  // of the header
  bool is_text_ = true;
  std::vector<Element> elements_;
};

}  // namespace

PlyContent ReadPly(std::string_view bytes) { return Reader(bytes).Read(); }

}  // namespace scree
