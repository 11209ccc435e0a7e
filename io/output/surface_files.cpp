#include "io/output/surface_files.hpp"

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <numbers>
#include <variant>
#include <vector>

#include "engine/geometry/triangle_mesh.hpp"
#include "io/files/csv_table.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

constexpr int kSides = 64;  // of a circle

/// Triangles of all walls.
struct Surface {
  std::vector<Vec3> points;
  std::vector<std::array<std::size_t, 3>> triangles;
  std::vector<std::size_t> walls;  // one per triangle
  std::vector<std::size_t> parts;  // the same

  /// A convex polygon as a fan around its first corner.
  void AddPolygon(const std::vector<Vec3>& corners, std::size_t wall) {
    const std::size_t first = points.size();
    points.insert(points.end(), corners.begin(), corners.end());
    for (std::size_t k = 1; k + 1 < corners.size(); ++k) {
      triangles.push_back({first, first + k, first + k + 1});
      walls.push_back(wall);
    }
  }
};

/// The part of a convex polygon where side * (x[axis] - bound) <= slack: one step of the clipping
/// of I. E. Sutherland, G. W. Hodgman, "Reentrant polygon clipping", CACM 17 (1974).
std::vector<Vec3> CutAt(const std::vector<Vec3>& polygon, int axis, double bound, double side,
                        double slack) {
  std::vector<Vec3> kept;
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const Vec3& here = polygon[k];
    const Vec3& next = polygon[(k + 1) % polygon.size()];
    const double outside_here = side * (here[axis] - bound) - slack;
    const double outside_next = side * (next[axis] - bound) - slack;
    if (outside_here <= 0.0) kept.push_back(here);
    if ((outside_here < 0.0 && outside_next > 0.0) || (outside_here > 0.0 && outside_next < 0.0)) {
      kept.push_back(here + outside_here / (outside_here - outside_next) * (next - here));
    }
  }
  return kept;
}

void Add(const Plane& plane, const Box& domain, std::size_t wall, Surface& surface) {
  const double size = domain.Extent().norm();
  const Vec3 middle = 0.5 * (domain.lower + domain.upper);
  const Vec3 foot = middle - plane.normal.dot(middle - plane.point) * plane.normal;
  const Vec3 u = plane.normal.unitOrthogonal() * size;
  const Vec3 v = plane.normal.cross(u);
  std::vector<Vec3> polygon = {foot - u - v, foot + u - v, foot + u + v, foot - u + v};
  // Most planes lie in a face of the box; rounding must not cut them away.
  const double slack = 1e-9 * size;
  for (int axis = 0; axis < 3; ++axis) {
    polygon = CutAt(polygon, axis, domain.lower[axis], -1.0, slack);
    polygon = CutAt(polygon, axis, domain.upper[axis], 1.0, slack);
  }
  surface.AddPolygon(polygon, wall);
}

void Add(const Block& block, const Box&, std::size_t wall, Surface& surface) {
  const Box& box = block.box;
  for (int axis = 0; axis < 3; ++axis) {
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    for (const bool upper : {false, true}) {
      std::vector<Vec3> corners(4, upper ? box.upper : box.lower);
      for (std::size_t k = 0; k < 4; ++k) {
        // Counter-clockwise seen from outside: the lower face runs the other way round.
        const std::size_t turn = upper ? k : 3 - k;
        corners[k][u] = (turn == 1 || turn == 2) ? box.upper[u] : box.lower[u];
        corners[k][v] = turn >= 2 ? box.upper[v] : box.lower[v];
      }
      surface.AddPolygon(corners, wall);
    }
  }
}

/// A point of a profile: along an axis and away from it [m].
struct ProfilePoint {
  double along, away;
};

/// What the profile sweeps as it turns about the axis; polygons face to the left of its way, seen
/// with the axis to the right and the distance from it upwards.
void AddSwept(const Vec3& from, const Vec3& axis, const std::vector<ProfilePoint>& profile,
              std::size_t wall, Surface& surface) {
  const Vec3 u = axis.unitOrthogonal();
  const Vec3 v = axis.cross(u);
  const auto place = [&](const ProfilePoint& point, int side) -> Vec3 {
    const double angle = 2.0 * std::numbers::pi * (side % kSides) / kSides;
    return from + point.along * axis + point.away * (std::cos(angle) * u + std::sin(angle) * v);
  };
  for (std::size_t p = 0; p + 1 < profile.size(); ++p) {
    for (int side = 0; side < kSides; ++side) {
      std::vector<Vec3> corners;
      if (profile[p].away > 0.0) corners.push_back(place(profile[p], side));
      corners.push_back(place(profile[p], side + 1));
      corners.push_back(place(profile[p + 1], side + 1));
      if (profile[p + 1].away > 0.0) corners.push_back(place(profile[p + 1], side));
      surface.AddPolygon(corners, wall);
    }
  }
}

void Add(const Cylinder& cylinder, const Box&, std::size_t wall, Surface& surface) {
  const double length = (cylinder.to - cylinder.from).norm(), radius = cylinder.radius;
  AddSwept(cylinder.from, (cylinder.to - cylinder.from) / length,
           {{0.0, 0.0}, {0.0, radius}, {length, radius}, {length, 0.0}}, wall, surface);
}

void Add(const Ball& ball, const Box&, std::size_t wall, Surface& surface) {
  std::vector<ProfilePoint> profile = {{-ball.radius, 0.0}};
  for (int k = 1; k < kSides / 2; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / kSides;
    profile.push_back({-ball.radius * std::cos(angle), ball.radius * std::sin(angle)});
  }
  profile.push_back({ball.radius, 0.0});
  AddSwept(ball.centre, Vec3::UnitZ(), profile, wall, surface);
}

void Add(const Pipe& pipe, const Box&, std::size_t wall, Surface& surface) {
  const double length = (pipe.to - pipe.from).norm();
  AddSwept(pipe.from, (pipe.to - pipe.from) / length, {{0.0, pipe.radius}, {length, pipe.radius}},
           wall, surface);
}

void Add(const Cone& cone, const Box&, std::size_t wall, Surface& surface) {
  const double length = (cone.to - cone.from).norm();
  AddSwept(cone.from, (cone.to - cone.from) / length,
           {{0.0, cone.from_radius}, {length, cone.to_radius}}, wall, surface);
}

void Add(const Disk& disk, const Box&, std::size_t wall, Surface& surface) {
  AddSwept(disk.centre, disk.normal, {{0.0, disk.radius}, {0.0, disk.hole}}, wall, surface);
}

void Add(const Mesh& mesh, const Box&, std::size_t wall, Surface& surface) {
  if (!mesh.surface) return;
  const std::size_t first = surface.points.size();
  const std::vector<Vec3>& vertices = mesh.surface->Vertices();
  surface.points.insert(surface.points.end(), vertices.begin(), vertices.end());
  for (const auto& [a, b, c] : mesh.surface->Corners()) {
    surface.triangles.push_back({first + static_cast<std::size_t>(a),
                                 first + static_cast<std::size_t>(b),
                                 first + static_cast<std::size_t>(c)});
    surface.walls.push_back(wall);
  }
}

std::string VtkText(const Surface& surface) {
  std::string text = Text("# vtk DataFile Version 3.0\nwalls at time zero [m]\nASCII\n",
                          "DATASET POLYDATA\nPOINTS ", surface.points.size(), " double\n");
  for (const Vec3& x : surface.points) {
    text += ToText(x.x()) + ' ' + ToText(x.y()) + ' ' + ToText(x.z()) + '\n';
  }
  text += Text("POLYGONS ", surface.triangles.size(), ' ', 4 * surface.triangles.size(), '\n');
  for (const auto& [a, b, c] : surface.triangles) text += Text("3 ", a, ' ', b, ' ', c, '\n');
  text += Text("CELL_DATA ", surface.walls.size(), '\n');
  for (const auto& [name, rows] :
       {std::pair("wall", &surface.walls), std::pair("part", &surface.parts)}) {
    text += Text("SCALARS ", name, " int 1\nLOOKUP_TABLE default\n");
    for (const std::size_t row : *rows) text += Text(row, '\n');
  }
  return text;
}

}  // namespace

std::string WallsAsVtk(const Scene& scene) {
  Surface surface;
  for (std::size_t wall = 0; wall < scene.walls.size(); ++wall) {
    const std::vector<ShapePart>& parts = scene.walls[wall].shape.parts;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      std::visit([&](const auto& shape) { Add(shape, scene.domain.box, wall, surface); },
                 parts[part]);
      surface.parts.resize(surface.walls.size(), part);
    }
  }
  return VtkText(surface);
}

}  // namespace scree
