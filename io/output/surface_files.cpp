#include "io/output/surface_files.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/geometry/surface_triangles.hpp"
#include "io/files/csv_table.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// For each triangle, the row of its wall, and the row of its part in the shape of the wall.
struct Origins {
  std::vector<std::size_t> walls, parts;
};

std::string VtkText(const SurfaceTriangles& surface, const Origins& origins) {
  std::string text = Text("# vtk DataFile Version 3.0\nwalls at time zero [m]\nASCII\n",
                          "DATASET POLYDATA\nPOINTS ", surface.points.size(), " double\n");
  for (const Vec3& x : surface.points) {
    text += ToText(x.x()) + ' ' + ToText(x.y()) + ' ' + ToText(x.z()) + '\n';
  }
  text += Text("POLYGONS ", surface.triangles.size(), ' ', 4 * surface.triangles.size(), '\n');
  // Prints numbers without streams, because meshes have millions of them.
  for (const auto& triangle : surface.triangles) {
    text += '3';
    for (const std::size_t corner : triangle) text += ' ' + std::to_string(corner);
    text += '\n';
  }
  text += Text("CELL_DATA ", surface.triangles.size(), '\n');
  for (const auto& [name, rows] :
       {std::pair("wall", &origins.walls), std::pair("part", &origins.parts)}) {
    text += Text("SCALARS ", name, " int 1\nLOOKUP_TABLE default\n");
    for (const std::size_t row : *rows) text += std::to_string(row) + '\n';
  }
  return text;
}

}  // namespace

int CircleSides(const Scene& scene) {
  std::ptrdiff_t balls = 0;
  for (const Wall& wall : scene.walls) {
    balls += std::ranges::count_if(
        wall.shape.parts, [](const ShapePart& part) { return std::holds_alternative<Ball>(part); });
  }
  return CircleSides(static_cast<std::size_t>(balls));
}

std::string WallsAsVtk(const Scene& scene) {
  SurfaceTriangles surface;
  surface.sides = CircleSides(scene);
  Origins origins;
  for (std::size_t wall = 0; wall < scene.walls.size(); ++wall) {
    const std::vector<ShapePart>& parts = scene.walls[wall].shape.parts;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      AddTriangles(parts[part], scene.domain.box, surface);
      origins.walls.resize(surface.triangles.size(), wall);
      origins.parts.resize(surface.triangles.size(), part);
    }
  }
  return VtkText(surface, origins);
}

}  // namespace scree
