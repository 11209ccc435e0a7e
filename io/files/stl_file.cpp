#include "io/files/stl_file.hpp"

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>

#include "solvers/check.hpp"

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

/// Binary files may begin with "solid" too, but their length fits, or they hold bytes that no text
/// has.
bool IsText(std::string_view bytes) {
  if (!bytes.starts_with("solid")) return false;
  if (bytes.size() < kBegin) return true;
  const std::size_t binary_size = kBegin + kPerTriangle * std::size_t{CountIn(bytes)};
  return bytes.size() != binary_size && bytes.substr(0, 1000).find('\0') == bytes.npos;
}

std::vector<Triangle> ReadBinary(std::string_view bytes) {
  if (bytes.size() < kBegin) {
    throw InputError(Text("has ", bytes.size(),
                          " bytes and does not begin with \"solid\"; expected ",
                          "an ASCII STL file, or a binary one of at least ", kBegin, " bytes"));
  }
  const std::uint32_t count = CountIn(bytes);
  const std::size_t expected = kBegin + kPerTriangle * std::size_t{count};
  if (bytes.size() != expected) {
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
  explicit TextReader(std::string_view text) : text_(text) {}

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
    for (int k = 0; k < 3; ++k) Number();
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

  static bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

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

  static bool Is(std::string_view word, std::string_view keyword) {
    if (word.size() != keyword.size()) return false;
    for (std::size_t k = 0; k < word.size(); ++k) {
      const char lower =
          word[k] >= 'A' && word[k] <= 'Z' ? static_cast<char>(word[k] - 'A' + 'a') : word[k];
      if (lower != keyword[k]) return false;
    }
    return true;
  }

  void Expect(std::string_view keyword) {
    const std::string_view word = Word();
    if (!Is(word, keyword)) Complain(word, std::string(keyword));
  }

  double Number() {
    std::string_view word = Word();
    const std::string_view whole = word;
    if (word.starts_with('+')) word.remove_prefix(1);
    double value = 0.0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
    if (read.ec != std::errc() || read.ptr != word.data() + word.size())
      Complain(whole, "a number");
    return value;
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
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

std::vector<Triangle> ReadStl(std::string_view bytes) {
  return IsText(bytes) ? TextReader(bytes).Read() : ReadBinary(bytes);
}

}  // namespace scree
