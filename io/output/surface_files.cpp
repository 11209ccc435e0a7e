#include "io/output/surface_files.hpp"

#include <vector>

#include "engine/geometry/surface_triangles.hpp"
#include "io/files/csv_table.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

/// @param walls  one per triangle
std::string VtkText(const SurfaceTriangles& surface, const std::vector<std::size_t>& walls) {
  std::string text = Text("# vtk DataFile Version 3.0\nwalls at time zero [m]\nASCII\n",
                          "DATASET POLYDATA\nPOINTS ", surface.points.size(), " double\n");
  for (const Vec3& x : surface.points) {
    text += ToText(x.x()) + ' ' + ToText(x.y()) + ' ' + ToText(x.z()) + '\n';
  }
  text += Text("POLYGONS ", surface.triangles.size(), ' ', 4 * surface.triangles.size(), '\n');
  for (const auto& [a, b, c] : surface.triangles) text += Text("3 ", a, ' ', b, ' ', c, '\n');
  text += Text("CELL_DATA ", walls.size(), "\nSCALARS wall int 1\nLOOKUP_TABLE default\n");
  for (const std::size_t wall : walls) text += Text(wall, '\n');
  return text;
}

}  // namespace

std::string WallsAsVtk(const Scene& scene) {
  SurfaceTriangles surface;
  std::vector<std::size_t> walls;
  for (std::size_t wall = 0; wall < scene.walls.size(); ++wall) {
    for (const ShapePart& part : scene.walls[wall].shape.parts) {
      AddTriangles(part, scene.domain.box, surface);
    }
    walls.resize(surface.triangles.size(), wall);
  }
  return VtkText(surface, walls);
}

}  // namespace scree
