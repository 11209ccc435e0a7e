/// \file  The geometry of walls and obstacles: signed distance and outward normal,
///        bounds, and triangles to draw.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "engine/geometry/box.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// Half space; solid on the side that the normal points away from.
struct Plane {
  Vec3 point = Vec3::Zero();    // [m]
  Vec3 normal = Vec3::UnitZ();  // unit vector out of the solid

  double Distance(const Vec3& x) const { return normal.dot(x - point); }
};

/// Solid axis-aligned box.
struct Block {
  Box box;
};

/// Solid circular cylinder with flat ends.
struct Cylinder {
  Vec3 from = Vec3::Zero();  // centre of one end [m]
  Vec3 to = Vec3::UnitZ();   // centre of the other [m]
  double radius = 1.0;       // [m]
};

/// Solid ball.
struct Ball {
  Vec3 centre = Vec3::Zero();  // [m]
  double radius = 1.0;         // [m]
};

// Sheets without thickness that both sides may touch. A sphere touches one at its nearest point
// only: one that fills a pipe or sticks in a cone needs finer geometry, such as a mesh.

/// Mantle of a circular cylinder, open at its ends.
struct Pipe {
  Vec3 from = Vec3::Zero();  // centre of one end [m]
  Vec3 to = Vec3::UnitZ();   // centre of the other [m]
  double radius = 1.0;       // [m]
};

/// Mantle of a truncated cone, open at its ends.
struct Cone {
  Vec3 from = Vec3::Zero();  // centre of one end [m]
  Vec3 to = Vec3::UnitZ();   // centre of the other [m]
  double from_radius = 0.0;  // ≥ 0, one of them > 0 [m]
  double to_radius = 1.0;    // [m]
};

/// Flat disk with a round hole in the middle.
struct Disk {
  Vec3 centre = Vec3::Zero();   // [m]
  Vec3 normal = Vec3::UnitZ();  // unit vector
  double radius = 1.0;          // [m]
  double hole = 0.0;            // radius of the hole, ≥ 0, < radius [m]
};

/// Which side of a closed surface is solid; none of a sheet, which both sides may touch.
enum class MeshSolid { kNo, kInside, kOutside };
/// The names in scenes, in the order of the enumeration.
constexpr std::array<const char*, 3> NamesOf(MeshSolid) { return {"no", "inside", "outside"}; }

class TriangleMesh;

/// A surface of triangles (triangle_mesh). A sphere may touch it at several places at a time.
struct Mesh {
  std::string file;            // that names it
  double unit = 1.0;           // length of the file's unit [m]
  Vec3 scale = Vec3::Ones();   // factors along the file's axes, > 0
  Vec3 turn = Vec3::Zero();    // about the file's origin: axis times angle [rad]
  Vec3 offset = Vec3::Zero();  // where the file's origin is [m]
  bool flip = false;           // triangles face to the other side than in the file
  MeshSolid solid = MeshSolid::kNo;
  std::shared_ptr<const TriangleMesh> surface = nullptr;  // none: not loaded, and nowhere
};

using ShapePart = std::variant<Plane, Block, Cylinder, Ball, Pipe, Cone, Disk, Mesh>;

/// A solid: the union of its parts, which is one surface with one contact at its nearest point.
/// Solids that meet in a concave edge, where a sphere rests on both, are better two walls.
struct Shape {
  std::vector<ShapePart> parts;
};

/// The point of a surface nearest to a query point, as seen from there.
struct SurfacePoint {
  double distance = std::numeric_limits<double>::infinity();  // negative inside the solid [m]
  Vec3 normal = Vec3::UnitZ();                                // unit vector out of the solid
};

/// Signed distance of x from the part's surface; exact outside and, for a single part, inside. From
/// a sheet it is never negative, and the normal points to the side of x.
SurfacePoint NearestSurface(const ShapePart& part, const Vec3& x);

/// The same for a union: exact outside; inside, the depth below the deepest part's surface.
SurfacePoint NearestSurface(const Shape& shape, const Vec3& x);

/// True if x is nearer to the surface than `limit`, or inside.
bool IsWithin(const Shape& shape, const Vec3& x, double limit);

/// The mesh that a shape consists of; null if it is none. Meshes have no other parts beside them.
const TriangleMesh* MeshOf(const Shape& shape);
/// The plane, if the shape is one; else null.
const Plane* PlaneOf(const Shape& shape);

/// False for a mesh that waits for its surface: such a wall is nowhere.
bool IsLoaded(const Shape& shape);

/// Box that holds the solid; infinite along the directions in which it is unbounded.
Box BoundingBox(const Shape& shape);

/// Whether the shape stays the same when it turns about this axis, to rounding.
/// @param direction  of the axis, not zero
bool IsAxisymmetric(const Shape& shape, const Vec3& point, const Vec3& direction);

struct SurfaceTriangles;

/// Adds triangles that show the part's surface: a plane as far as it lies in the domain, what is
/// round as a polygon, a mesh as it is.
void AddTriangles(const ShapePart& part, const Box& domain, SurfaceTriangles& surface);

}  // namespace scree
