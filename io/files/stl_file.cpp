#include "io/files/stl_file.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "io/files/text_lines.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

static_assert(std::endian::native == std::endian::little, "binary STL is little endian");

constexpr std::size_t kHeader = 80;          // bytes before the number of triangles
constexpr std::size_t kBegin = kHeader + 4;  // bytes before the triangles
constexpr std::size_t kPerTriangle = 50;     // normal, three corners, and two unused bytes

std::uint32_t ReadCount(std::string_view bytes) {
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + kHeader, sizeof count);
  return count;
}

/// Whether the size matches the count. Some programs write extra bytes after the last triangle, but
/// fewer than a triangle has.
bool HasMatchingSize(std::string_view bytes) {
  const std::size_t min_size = kBegin + kPerTriangle * std::size_t{ReadCount(bytes)};
  return min_size <= bytes.size() && bytes.size() < min_size + kPerTriangle;
}

bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

/// Whether a byte cannot be part of a text.
bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 && !IsSpace(c); }

/// @param keyword  in lower case
bool IsKeyword(std::string_view word, std::string_view keyword) {
  return std::ranges::equal(word, keyword, [](char c, char expected) {
    return (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) == expected;
  });
}

/// Whether the file is ASCII. A binary file may also begin with "solid". In that case its length
/// matches its count of triangles, or some of its bytes cannot be text.
bool IsText(std::string_view bytes) {
  if (bytes.size() >= kBegin && HasMatchingSize(bytes)) return false;
  std::string copy;
  constexpr std::size_t kTestedBytes = 1000;
  return std::ranges::none_of(PlainText(bytes, copy).substr(0, kTestedBytes), IsControl);
}

std::vector<Triangle> ReadBinary(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    throw InputError("is text in UTF-16; expected an STL file in ASCII or UTF-8, or a binary one");
  }
  if (bytes.size() < kBegin) {
    throw InputError(Text("has ", bytes.size(), " bytes and is not text; expected an ASCII STL ",
                          "file, or a binary one of at least ", kBegin, " bytes"));
  }
  const std::uint32_t count = ReadCount(bytes);
  const std::size_t expected = kBegin + kPerTriangle * std::size_t{count};
  if (!HasMatchingSize(bytes)) {
    const auto* const control = std::ranges::find_if(bytes, IsControl);
    if (control != bytes.end() && bytes.find("vertex") != bytes.npos) {
      throw InputError(Text("has words of an ASCII STL file, but its byte ",
                            control - bytes.begin() + 1, " is ",
                            static_cast<int>(static_cast<unsigned char>(*control)),
                            ", which is not allowed in text; remove that byte"));
    }
    throw InputError(Text("is not text, and as a binary STL file it has ", count,
                          " triangles, which take ", expected, " bytes, but has ", bytes.size(),
                          " bytes: it is ", bytes.size() < expected ? "truncated" : "damaged",
                          ", or not an STL file"));
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

/// Reads an ASCII file word by word.
class TextReader {
 public:
  explicit TextReader(std::string_view text) : text_(text) {}

  /// Skips comments before and between words, and any text after a solid.
  std::vector<Triangle> Read() {
    std::vector<Triangle> triangles;
    Expect("solid");
    SkipName();
    for (;;) {
      const std::string_view word = ReadWord();
      if (IsKeyword(word, "facet")) {
        triangles.push_back(ReadFacet());
      } else if (!IsKeyword(word, "endsolid")) {
        Fail(word, "facet or endsolid");
      } else if (!SkipToSolid()) {
        return triangles;
      }
    }
  }

 private:
  Triangle ReadFacet() {
    Expect("normal");
    for (int k = 0; k < 3; ++k) SkipNormal();
    Expect("outer");
    Expect("loop");
    Triangle triangle;
    for (Vec3& corner : triangle) {
      Expect("vertex");
      for (double& coordinate : corner) coordinate = ReadNumber();
    }
    Expect("endloop");
    Expect("endfacet");
    return triangle;
  }

  /// Reads the first line of the next solid. @returns whether there is one. @throws if a facet is
  /// outside a solid
  bool SkipToSolid() {
    for (;;) {
      if (SkipName()) return true;  // the whole file is one line, with the next solid in it
      const std::string_view word = ReadWord();
      if (word.empty()) return false;
      if (IsKeyword(word, "facet")) Fail(word, "solid");
      if (!IsKeyword(word, "solid")) continue;
      SkipName();
      return true;
    }
  }

  bool IsAtComment() const {
    const std::string_view remaining = text_.substr(position_);
    return remaining.starts_with('#') || remaining.starts_with(';') || remaining.starts_with("//");
  }

  /// The next word; empty at the end.
  std::string_view ReadWord() {
    while (position_ < text_.size() && (IsSpace(text_[position_]) || IsAtComment())) {
      if (!IsSpace(text_[position_])) {
        SkipLine();
      } else {
        line_ += text_[position_++] == '\n';
      }
    }
    const std::size_t begin = position_;
    while (position_ < text_.size() && !IsSpace(text_[position_])) ++position_;
    return text_.substr(begin, position_ - begin);
  }

  void SkipLine() {
    while (position_ < text_.size() && text_[position_] != '\n') ++position_;
  }

  /// Skips the rest of the line up to a facet. @returns whether a facet begins in the line
  bool SkipName() {
    for (const std::size_t end = text_.find('\n', position_);
         position_ < std::min(end, text_.size()); ++position_) {
      if (!IsSpace(text_[position_])) continue;
      const std::size_t word_begin = position_, line = line_;
      const bool is_facet =
          IsKeyword(ReadWord(), "facet") && line_ == line && IsKeyword(ReadWord(), "normal");
      position_ = word_begin;
      line_ = line;
      if (is_facet) return true;
    }
    return false;
  }

  void Expect(std::string_view keyword) {
    const std::string_view word = ReadWord();
    if (!IsKeyword(word, keyword)) Fail(word, std::string(keyword));
  }

  double ReadNumber() {
    const std::string_view word = ReadWord();
    const std::optional<double> value = NumberIn(word);
    if (!value) Fail(word, "a number");
    return *value;
  }

  /// Instead of a number, some programs write "-1.#IND" for triangles without an area.
  void SkipNormal() {
    const std::string_view word = ReadWord();
    const bool is_no_number =
        word.substr(word.find_first_not_of("+-") == 1 ? 1 : 0).starts_with("1.#");
    if (!is_no_number && !NumberIn(word)) Fail(word, "a number");
  }

  static std::optional<double> NumberIn(std::string_view word) {
    if (word.starts_with('+')) word.remove_prefix(1);
    double value = 0.0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool is_number = read.ec == std::errc() && read.ptr == word.data() + word.size();
    return is_number ? std::optional(value) : std::nullopt;
  }

  [[noreturn]] void Fail(std::string_view word, const std::string& expected) const {
    if (word.empty()) {
      throw InputError(
          Text("ends in line ", line_, " where ", expected, " was expected: it is truncated"));
    }
    throw InputError(Text("line ", line_, " has \"", word.substr(0, 40), "\" where ", expected,
                          " was expected"));
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

std::vector<Triangle> ReadStl(std::string_view bytes) {
  if (!IsText(bytes)) return ReadBinary(bytes);
  std::string copy;
  return TextReader(PlainText(bytes, copy)).Read();
}

}  // namespace scree
