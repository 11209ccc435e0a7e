#include "io/files/obj_file.hpp"

#include <charconv>
#include <span>
#include <string>

#include "io/files/text_lines.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// Removes the first word of a text and returns it; empty at the end.
std::string_view TakeWord(std::string_view& text) {
  text = Trimmed(text);
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  text.remove_prefix(word.size());
  return word;
}

[[noreturn]] void Fail(std::size_t line, std::string_view word, const std::string& expected) {
  throw InputError(
      Text("line ", line, " has \"", word.substr(0, 40), "\" where ", expected, " was expected"));
}

Vec3 ReadVertex(std::string_view rest, std::size_t line) {
  Vec3 x;
  for (double& coordinate : x) {
    const std::string_view word = TakeWord(rest);
    const std::optional<double> number = FiniteNumber(word);
    if (!number) Fail(line, word, "a coordinate");
    coordinate = *number;
  }
  return x;
}

/// The vertex in "7", "7/2", "7/2/3" or "7//3", counted from 1, or from the last one if negative.
std::size_t ReadCorner(std::string_view word, std::size_t vertices, std::size_t line) {
  const std::string_view number = word.substr(0, word.find('/'));
  long index = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), index);
  const auto count = static_cast<long>(vertices);
  if (index < 0) index += count + 1;
  if (read.ec != std::errc() || read.ptr != number.data() + number.size() || index < 1 ||
      index > count) {
    Fail(line, word, Text("one of the ", vertices, " vertices of earlier lines"));
  }
  return static_cast<std::size_t>(index) - 1;
}

/// Adds a face as a fan of triangles about its first corner from which all of them lie inside.
void AddFace(std::span<const Vec3> corners, std::size_t line, std::vector<Triangle>& triangles) {
  constexpr double kRounding = 1e-9;
  const std::size_t count = corners.size();
  const auto fan_triangle = [&](std::size_t first, std::size_t k) {
    return Triangle{corners[first], corners[(first + k - 1) % count], corners[(first + k) % count]};
  };
  const auto area = [](const Triangle& t) { return Vec3((t[1] - t[0]).cross(t[2] - t[0])); };
  Vec3 total = Vec3::Zero();
  for (std::size_t k = 2; k < count; ++k) total += area(fan_triangle(0, k));
  for (std::size_t first = 0; first < count; ++first) {
    bool is_inside = true;
    for (std::size_t k = 2; k < count; ++k) {
      const double share = area(fan_triangle(first, k)).dot(total);
      is_inside = is_inside && share >= -kRounding * total.squaredNorm();
    }
    if (!is_inside) continue;
    for (std::size_t k = 2; k < count; ++k) triangles.push_back(fan_triangle(first, k));
    return;
  }
  Fail(line, "f", "a convex face");
}

}  // namespace

std::vector<Triangle> ReadObj(std::string_view bytes) {
  std::string copy;
  const std::string_view text = PlainText(bytes, copy);
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  std::size_t line = 0;
  ForEachPiece(text, '\n', [&](std::string_view rest) {
    ++line;
    const std::string_view word = TakeWord(rest);
    if (word == "v") vertices.push_back(ReadVertex(rest, line));
    if (word != "f") return;
    std::vector<Vec3> corners;
    for (std::string_view corner = TakeWord(rest); !corner.empty(); corner = TakeWord(rest)) {
      corners.push_back(vertices[ReadCorner(corner, vertices.size(), line)]);
    }
    if (corners.size() < 3) Fail(line, "f", "a face of three corners or more");
    AddFace(corners, line, triangles);
  });
  if (triangles.empty()) throw InputError("has no faces; expected an OBJ file with lines v and f");
  return triangles;
}

}  // namespace scree
