#include "io/files/stl_file.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

static_assert(std::endian::native == std::endian::little, "binary STL is little endian");

constexpr std::size_t kHeader = 80;          // of a binary file, then the number of triangles
constexpr std::size_t kBegin = kHeader + 4;  // of the triangles
constexpr std::size_t kPerTriangle = 50;     // normal, three corners, two bytes more

std::uint32_t CountIn(std::string_view bytes) {
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + kHeader, sizeof count);
  return count;
}

/// Bytes that other programs leave after the last triangle: fewer than would hold one more.
bool FitsCount(std::string_view bytes) {
  const std::size_t least = kBegin + kPerTriangle * std::size_t{CountIn(bytes)};
  return least <= bytes.size() && bytes.size() < least + kPerTriangle;
}

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// @param keyword  in lower case
bool Is(std::string_view word, std::string_view keyword) {
  return std::ranges::equal(word, keyword, [](char c, char expected) {
    return (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) == expected;
  });
}

/// What text may begin with before its first word: blanks, empty lines, a byte order mark.
std::string_view WithoutBlanks(std::string_view bytes) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  while (!bytes.empty() && IsSpace(bytes.front())) bytes.remove_prefix(1);
  return bytes;
}

/// Binary files may begin with "solid" too, but their length fits, or they hold bytes that no text
/// has.
bool IsText(std::string_view bytes) {
  constexpr std::string_view kSolid = "solid";
  if (!Is(WithoutBlanks(bytes).substr(0, kSolid.size()), kSolid)) return false;
  if (bytes.size() < kBegin) return true;
  return !FitsCount(bytes) && bytes.substr(0, 1000).find('\0') == bytes.npos;
}

std::vector<Triangle> ReadBinary(std::string_view bytes) {
  if (bytes.size() < kBegin) {
    throw InputError(Text("has ", bytes.size(),
                          " bytes and does not begin with \"solid\"; expected ",
                          "an ASCII STL file, or a binary one of at least ", kBegin, " bytes"));
  }
  const std::uint32_t count = CountIn(bytes);
  const std::size_t expected = kBegin + kPerTriangle * std::size_t{count};
  if (!FitsCount(bytes)) {
    throw InputError(Text("is a binary STL file of ", count, " triangles, which takes ", expected,
                          " bytes, but has ", bytes.size(), " bytes: it is ",
                          bytes.size() < expected ? "truncated" : "damaged"));
  }
  std::vector<Triangle> triangles(count);
  for (std::size_t t = 0; t < count; ++t) {
    float numbers[12];
    std::memcpy(numbers, bytes.data() + kBegin + kPerTriangle * t, sizeof numbers);
    for (std::size_t k = 0; k < 3; ++k) {
      triangles[t][k] = Eigen::Vector3f(numbers + 3 + 3 * k).cast<double>();
    }
  }
  return triangles;
}

/// Reads word after word.
class TextReader {
 public:
  explicit TextReader(std::string_view text)
      : text_(text), at_(text.size() - WithoutBlanks(text).size()) {
    line_ += static_cast<std::size_t>(std::ranges::count(text.substr(0, at_), '\n'));
  }

  std::vector<Triangle> Read() {
    std::vector<Triangle> triangles;
    Expect("solid");
    SkipLine();
    for (;;) {
      const std::string_view word = Word();
      if (Is(word, "facet")) {
        triangles.push_back(Facet());
      } else if (Is(word, "endsolid")) {
        SkipLine();
        if (Word().empty()) return triangles;
        SkipLine();  // the name of a further solid
      } else {
        Complain(word, "facet or endsolid");
      }
    }
  }

 private:
  Triangle Facet() {
    Expect("normal");
    for (int k = 0; k < 3; ++k) SkipNormal();
    Expect("outer");
    Expect("loop");
    Triangle triangle;
    for (Vec3& corner : triangle) {
      Expect("vertex");
      for (double& part : corner) part = Number();
    }
    Expect("endloop");
    Expect("endfacet");
    return triangle;
  }

  /// Empty at the end.
  std::string_view Word() {
    while (at_ < text_.size() && IsSpace(text_[at_])) line_ += text_[at_++] == '\n';
    const std::size_t begin = at_;
    while (at_ < text_.size() && !IsSpace(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void SkipLine() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }

  void Expect(std::string_view keyword) {
    const std::string_view word = Word();
    if (!Is(word, keyword)) Complain(word, std::string(keyword));
  }

  double Number() {
    const std::string_view word = Word();
    const std::optional<double> value = NumberIn(word);
    if (!value) Complain(word, "a number");
    return *value;
  }

  /// Of triangles without an area some programs write no number, but "-1.#IND".
  void SkipNormal() {
    const std::string_view word = Word();
    const bool is_no_number =
        word.substr(word.find_first_not_of("+-") == 1 ? 1 : 0).starts_with("1.#");
    if (!is_no_number && !NumberIn(word)) Complain(word, "a number");
  }

  static std::optional<double> NumberIn(std::string_view word) {
    if (word.starts_with('+')) word.remove_prefix(1);
    double value = 0.0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool whole = read.ec == std::errc() && read.ptr == word.data() + word.size();
    return whole ? std::optional(value) : std::nullopt;
  }

  [[noreturn]] void Complain(std::string_view word, const std::string& expected) const {
    if (word.empty()) {
      throw InputError(
          Text("ends in line ", line_, " where ", expected, " was expected: it is truncated"));
    }
    throw InputError(Text("line ", line_, " has \"", word.substr(0, 40), "\" where ", expected,
                          " was expected"));
  }

  std::string_view text_;
  std::size_t at_;
  std::size_t line_ = 1;
};

}  // namespace

std::vector<Triangle> ReadStl(std::string_view bytes) {
  return IsText(bytes) ? TextReader(bytes).Read() : ReadBinary(bytes);
}

}  // namespace scree
