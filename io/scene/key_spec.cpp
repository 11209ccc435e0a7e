#include "io/scene/key_spec.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "io/files/text_lines.hpp"
#include "io/scene/ini_file.hpp"
#include "io/scene/units.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

constexpr const char* kAxisNames = "xyz";

/// Requires that a value is in the key's range, and zero or at least kMinMagnitude. Coordinates
/// have no minimum magnitude, because rounding can make them tiny.
void CheckRange(const KeySpec& spec, double value) {
  if (!spec.range.Contains(value)) {
    throw InputError(Text("is out of range, expected ", spec.range.words));
  }
  constexpr std::array kComponentKinds = {Kind::kVector, Kind::kDirection, Kind::kList,
                                          Kind::kSpheres};
  const bool is_component = std::ranges::count(kComponentKinds, spec.kind) > 0;
  if (value == 0.0 || std::abs(value) >= kMinMagnitude || (is_component && !spec.range.open))
    return;
  throw InputError(Text("is out of range, ", kMagnitudes));
}

bool ReadWhole(std::string_view text, std::int64_t& number) {
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end;
}

/// @param from  position in the range's words at which the choices begin
std::string ReadChoice(const KeySpec& spec, const std::string& text, std::size_t from = 0) {
  std::vector<std::string> choices = Words(spec.range.words.substr(from));
  std::erase(choices, "|");
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return text;
  throw InputError(Text("expected ", spec.range.words, DidYouMean(text, choices)));
}

bool ReadYesNo(const std::string& text) {
  if (text == "yes" || text == "true" || text == "on") return true;
  if (text == "no" || text == "false" || text == "off") return false;
  throw InputError("expected yes or no");
}

double ReadNumber(const KeySpec& spec, const std::string& text) {
  const double value = ReadQuantities(text, 1, spec.dimension)[0];
  CheckRange(spec, value);
  return value;
}

bool BeginsLikeANumber(const std::string& text) {
  return std::string("+-.0123456789").find(text[0]) != std::string::npos;
}

/// Reads a number, or one of the words after the first | in the range.
KeyValue ReadNumberOrChoice(const KeySpec& spec, const std::string& text) {
  if (BeginsLikeANumber(text)) return ReadNumber(spec, text);
  return ReadChoice(spec, text, spec.range.words.find('|'));
}

Vec3 ReadVector(const KeySpec& spec, const std::string& text) {
  const std::vector<double> values = ReadQuantities(text, 3, spec.dimension);
  for (const double value : values) CheckRange(spec, value);
  return {values[0], values[1], values[2]};
}

/// Leaves a vector unchanged if it is a unit vector to rounding, so that a written direction reads
/// back bit by bit.
Vec3 ReadDirection(const KeySpec& spec, const std::string& text) {
  const Vec3 vector = ReadVector(spec, text);
  const double length = vector.stableNorm();
  if (length == 0.0) throw InputError("is the zero vector; expected a direction such as 0 0 1");
  constexpr double kRounding = 1e-15;
  return std::abs(length - 1.0) <= kRounding ? vector : vector.stableNormalized();
}

/// Reads numbers up to the unit. A word is a number if it begins with a digit, a sign or a point.
std::vector<double> ReadList(const KeySpec& spec, const std::string& text) {
  const std::vector<std::string> words = Words(text);
  const auto unit = std::find_if_not(words.begin(), words.end(), BeginsLikeANumber);
  const auto count = static_cast<std::size_t>(std::max<std::ptrdiff_t>(unit - words.begin(), 1));
  std::vector<double> values = ReadQuantities(text, count, spec.dimension);
  for (const double value : values) CheckRange(spec, value);
  return values;
}

/// Reads a list of x, y, z, r of spheres [m]. Each sphere may have a unit; if only the last one has
/// a unit, it applies to all.
std::vector<double> ReadSpheres(const KeySpec& spec, const std::string& text) {
  std::vector<std::string> spheres;
  for (const std::string_view sphere : Split(text, ',')) spheres.emplace_back(sphere);
  const std::vector<std::string> last_words = Words(spheres.back());
  const auto unit_of = [](const std::vector<std::string>& words) {
    return std::find_if_not(words.begin(), words.end(), BeginsLikeANumber);
  };
  std::string unit;
  for (auto word = unit_of(last_words); word != last_words.end(); ++word) unit += " " + *word;
  std::vector<double> values;
  for (std::size_t k = 0; k < spheres.size(); ++k) {
    const std::vector<std::string> words = Words(spheres[k]);
    const bool has_unit = unit_of(words) != words.end();
    try {
      const auto numbers =
          ReadQuantities(has_unit ? spheres[k] : spheres[k] + unit, 4, spec.dimension);
      for (const double number : numbers) CheckRange(spec, number);
      values.insert(values.end(), numbers.begin(), numbers.end());
    } catch (const InputError& error) {
      throw InputError(Text("sphere ", k + 1, ": ", error.what(),
                            "; expected x y z r of each sphere, separated by commas, such as "
                            "\"0 0 0 1, 1.5 0 0 1 mm\""));
    }
  }
  return values;
}

Interval ReadInterval(const KeySpec& spec, const std::string& text) {
  if (text == "never") return {};
  const std::vector<std::string> words = Words(text);
  Interval interval;
  if (words.size() == 2 && (words[1] == "steps" || words[1] == "step")) {
    if (ReadWhole(words[0], interval.steps) && interval.steps >= 1) return interval;
    throw InputError("expected a whole number of steps, at least 1, such as \"100 steps\"");
  }
  try {
    interval.time = ReadNumber(spec, text);
  } catch (const InputError& error) {
    throw InputError(
        Text(error.what(), "; expected a time > 0 such as \"10 ms\", \"100 steps\" ", "or never"));
  }
  return interval;
}

std::int64_t ReadBalance(const std::string& text) {
  if (text == "auto") return kBalanceWhenWorthwhile;
  if (text == "never") return kNeverBalance;
  const std::vector<std::string> words = Words(text);
  std::int64_t steps = 0;
  if (words.size() == 3 && words[0] == "every" && (words[2] == "steps" || words[2] == "step") &&
      ReadWhole(words[1], steps) && steps >= 1) {
    return steps;
  }
  throw InputError("expected auto, never, or a whole number of steps such as \"every 1000 steps\"");
}

/// Reads an interval, or wall-clock time such as "30 min wall".
Interval ReadIntervalOrWallTime(const KeySpec& spec, const std::string& text) {
  constexpr std::string_view kWall = " wall";
  if (!text.ends_with(kWall)) return ReadInterval(spec, text);
  try {
    Interval interval;
    interval.wall = ReadNumber(spec, text.substr(0, text.size() - kWall.size()));
    return interval;
  } catch (const InputError& error) {
    throw InputError(Text(error.what(), "; expected a time > 0 such as \"30 min wall\""));
  }
}

std::array<bool, 3> ReadAxes(const std::string& text) {
  std::array<bool, 3> axes = {};
  if (text == "none") return axes;
  for (const std::string& word : Words(text)) {
    const std::size_t axis = std::string(kAxisNames).find(word);
    if (word.size() != 1 || axis == std::string::npos || axes[axis]) {
      throw InputError("expected none or any of x y z, each once and separated by blanks");
    }
    axes[axis] = true;
  }
  return axes;
}

OutflowFaces ReadFaces(const std::string& text) {
  OutflowFaces faces = {};
  if (text == "none") return faces;
  for (const std::string& word : Words(text)) {
    const std::size_t axis = std::string(kAxisNames).find(word[0]);
    const bool is_face = word.size() == 2 && (word[1] == '-' || word[1] == '+');
    if (!is_face || axis == std::string::npos || faces[axis][word[1] == '+']) {
      throw InputError("expected none or any of x- x+ y- y+ z- z+, each once");
    }
    faces[axis][word[1] == '+'] = true;
  }
  return faces;
}

/// Reads 16x10x4, or three numbers with blanks.
std::array<int, 3> ReadGrid(const std::string& text, const char* expected) {
  std::array<int, 3> grid = {0, 0, 0};
  std::string spaced = text;
  std::replace(spaced.begin(), spaced.end(), 'x', ' ');
  const std::vector<std::string> words = Words(spaced);
  bool is_valid = words.size() == 3;
  for (std::size_t axis = 0; is_valid && axis < 3; ++axis) {
    std::int64_t number = 0;
    is_valid = ReadWhole(words[axis], number) && number >= 1 && number <= 1'000'000;
    grid[axis] = static_cast<int>(number);
  }
  if (!is_valid) throw InputError(expected);
  return grid;
}

struct Writer {
  const KeySpec& spec;

  std::string WithUnit(const std::string& number) const {
    const std::string unit = SiUnit(spec.dimension);
    return unit.empty() ? number : number + " " + unit;
  }
  std::string operator()(bool yes) const { return yes ? "yes" : "no"; }
  std::string operator()(std::int64_t whole) const {
    if (spec.kind == Kind::kAutoWhole && whole < 0) return "auto";
    if (spec.kind != Kind::kBalance) return std::to_string(whole);
    if (whole == kBalanceWhenWorthwhile) return "auto";
    return whole == kNeverBalance ? "never" : Text("every ", whole, " steps");
  }
  std::string operator()(double number) const {
    if (spec.kind == Kind::kAutoNumber && number < 0.0) return "auto";
    return WithUnit(ShortestText(number));
  }
  std::string operator()(const Vec3& v) const {
    return WithUnit(ShortestText(v[0]) + " " + ShortestText(v[1]) + " " + ShortestText(v[2]));
  }
  std::string operator()(const std::vector<double>& list) const {
    std::string numbers;
    for (std::size_t k = 0; k < list.size(); ++k) {
      const bool begins_sphere = spec.kind == Kind::kSpheres && k % 4 == 0;
      numbers += std::string(k == 0 ? "" : begins_sphere ? ", " : " ") + ShortestText(list[k]);
    }
    return WithUnit(numbers);
  }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(const Table& table) const { return WriteTable(table); }
  std::string operator()(const Interval& interval) const {
    if (interval.steps > 0) return std::to_string(interval.steps) + " steps";
    if (interval.wall > 0.0) return WithUnit(ShortestText(interval.wall)) + " wall";
    return interval.time > 0.0 ? WithUnit(ShortestText(interval.time)) : "never";
  }
  std::string operator()(const std::array<bool, 3>& axes) const {
    std::string text;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (axes[axis]) text += std::string(text.empty() ? "" : " ") + kAxisNames[axis];
    }
    return text.empty() ? "none" : text;
  }
  std::string operator()(const OutflowFaces& faces) const {
    std::string text;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (const std::size_t side : {0u, 1u}) {
        if (!faces[axis][side]) continue;
        text += std::string(text.empty() ? "" : " ") + kAxisNames[axis] + "-+"[side];
      }
    }
    return text.empty() ? "none" : text;
  }
  std::string operator()(const std::array<int, 3>& grid) const {
    return grid[0] == 0 ? "auto" : Text(grid[0], "x", grid[1], "x", grid[2]);
  }
};

std::string ReadName(const std::string& text) {
  const bool is_valid = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (!is_valid) throw InputError("expected a name of letters, digits and _");
  return text;
}

std::int64_t ReadCount(const KeySpec& spec, const std::string& text) {
  std::int64_t whole = 0;
  if (!ReadWhole(text, whole))
    throw InputError(Text("expected a whole number, ", spec.range.words));
  CheckRange(spec, static_cast<double>(whole));
  return whole;
}

}  // namespace

Range Between(double lower, double upper, const std::string& more) {
  const auto text_of = [](double number) {
    const auto whole = static_cast<std::int64_t>(number);
    return static_cast<double>(whole) == number ? std::to_string(whole) : ShortestText(number);
  };
  return {text_of(lower) + " to " + text_of(upper) + more, lower, false, upper};
}

bool IsNone(const KeySpec& spec, const KeyValue& value) {
  const auto is_invalid = [&](double number) {
    return !std::isfinite(number) || !spec.range.Contains(number);
  };
  if (const auto* number = std::get_if<double>(&value)) return is_invalid(*number);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    return is_invalid(static_cast<double>(*whole));
  }
  if (const auto* vector = std::get_if<Vec3>(&value)) {
    return is_invalid(vector->minCoeff()) || (spec.kind == Kind::kDirection && vector->isZero(0.0));
  }
  if (const auto* list = std::get_if<std::vector<double>>(&value)) return list->empty();
  if (const auto* table = std::get_if<Table>(&value)) return table->IsEmpty();
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr && text->empty();
}

KeyValue ReadValue(const KeySpec& spec, const std::string& text) {
  if (text.empty()) throw InputError("has no value");
  SCREE_DEMAND(spec.kind.has_value());
  switch (*spec.kind) {
    case Kind::kText:
      return text;
    case Kind::kName:
      return ReadName(text);
    case Kind::kChoice:
      return ReadChoice(spec, text);
    case Kind::kYesNo:
      return ReadYesNo(text);
    case Kind::kWhole:
      return ReadCount(spec, text);
    case Kind::kAutoWhole:
      return text == "auto" ? std::int64_t{-1} : ReadCount(spec, text);
    case Kind::kAutoNumber:
      return text == "auto" ? kAuto : ReadNumber(spec, text);
    case Kind::kNumber:
      return ReadNumber(spec, text);
    case Kind::kRestitution:
      return ReadNumberOrChoice(spec, text);
    case Kind::kVector:
      return ReadVector(spec, text);
    case Kind::kDirection:
      return ReadDirection(spec, text);
    case Kind::kList:
      return ReadList(spec, text);
    case Kind::kSpheres:
      return ReadSpheres(spec, text);
    case Kind::kInterval:
      return ReadInterval(spec, text);
    case Kind::kBalance:
      return ReadBalance(text);
    case Kind::kIntervalOrWallTime:
      return ReadIntervalOrWallTime(spec, text);
    case Kind::kFields:
      return ReadFields(text);
    case Kind::kTable:
      return ReadTable(text);
    case Kind::kAxes:
      return ReadAxes(text);
    case Kind::kFaces:
      return ReadFaces(text);
    case Kind::kGrid:
      if (text == "auto") return std::array<int, 3>{0, 0, 0};
      return ReadGrid(text, "expected auto or subdomains along x, y and z such as 16x10x4");
    case Kind::kCells:
      return ReadGrid(text, "expected cells along x, y and z, at least 1 each, such as 150x65x1");
  }
  SCREE_DEMAND(false);
  return {};
}

std::string WriteValue(const KeySpec& spec, const KeyValue& value) {
  return std::visit(Writer{spec}, value);
}

}  // namespace scree
