/// \file  Triangles of simple bodies, and STL files with them.
#pragma once

#include <cstring>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "engine/geometry/box.hpp"
#include "engine/geometry/triangle_tree.hpp"

namespace scree::test {

/// Two triangles that form the parallelogram at `corner`, facing along u × v.
inline void AddParallelogram(const Vec3& corner, const Vec3& u, const Vec3& v,
                             std::vector<Triangle>& triangles) {
  triangles.push_back({corner, corner + u, corner + u + v});
  triangles.push_back({corner, corner + u + v, corner + v});
}

/// A plane at z = height divided into count x count squares, facing up.
inline std::vector<Triangle> Sheet(double lower, double upper, double height, int count) {
  std::vector<Triangle> triangles;
  const double width = (upper - lower) / count;
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < count; ++j) {
      AddParallelogram(Vec3(lower + i * width, lower + j * width, height), width * Vec3::UnitX(),
                       width * Vec3::UnitY(), triangles);
    }
  }
  return triangles;
}

/// The surface of a box, facing outwards.
inline std::vector<Triangle> BoxSurface(const Box& box) {
  std::vector<Triangle> triangles;
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 u = box.Extent()[(axis + 1) % 3] * Vec3::Unit((axis + 1) % 3);
    const Vec3 v = box.Extent()[(axis + 2) % 3] * Vec3::Unit((axis + 2) % 3);
    AddParallelogram(box.upper - u - v, u, v, triangles);
    AddParallelogram(box.lower, v, u, triangles);
  }
  return triangles;
}

inline std::vector<Triangle> Reversed(std::vector<Triangle> triangles) {
  for (Triangle& triangle : triangles) std::swap(triangle[1], triangle[2]);
  return triangles;
}

inline std::string BinaryStl(const std::vector<Triangle>& triangles,
                             const std::string& title = "made by a test") {
  std::string bytes = title;
  bytes.resize(80, ' ');
  const auto append = [&bytes](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  append(static_cast<std::uint32_t>(triangles.size()));
  for (const Triangle& triangle : triangles) {
    for (int k = 0; k < 3; ++k) append(0.0f);
    for (const Vec3& corner : triangle) {
      for (const double part : corner) append(static_cast<float>(part));
    }
    append(std::uint16_t{0});
  }
  return bytes;
}

inline std::string TextStl(const std::vector<Triangle>& triangles) {
  std::ostringstream text;
  text.precision(9);
  text << "solid made by a test\n";
  for (const Triangle& triangle : triangles) {
    text << " facet normal 0 0 +1e0\n  outer loop\n";
    for (const Vec3& corner : triangle) text << "   vertex " << corner.transpose() << '\n';
    text << "  endloop\n endfacet\n";
  }
  text << "endsolid made by a test\n";
  return text.str();
}

}  // namespace scree::test
