/// \file  Geometry of walls and obstacles: signed distance, outward normal, bounding box, and
///        triangles for pictures.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "engine/geometry/box.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// Half space. The normal points out of the solid.
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
  Vec3 to = Vec3::UnitZ();   // centre of the other end [m]
  double radius = 1.0;       // [m]
};

struct Ball {
  Vec3 centre = Vec3::Zero();  // [m]
  double radius = 1.0;         // [m]
};

// Sheets without thickness, which can be touched from both sides. A sphere touches a sheet only at
// the nearest point. For a sphere that fills a pipe or is stuck in a cone, use a mesh instead.

/// Lateral surface of a circular cylinder with open ends.
struct Pipe {
  Vec3 from = Vec3::Zero();  // centre of one end [m]
  Vec3 to = Vec3::UnitZ();   // centre of the other end [m]
  double radius = 1.0;       // [m]
};

/// Lateral surface of a truncated cone with open ends.
struct Cone {
  Vec3 from = Vec3::Zero();  // centre of one end [m]
  Vec3 to = Vec3::UnitZ();   // centre of the other end [m]
  double from_radius = 0.0;  // ≥ 0; at least one of the two radii is > 0 [m]
  double to_radius = 1.0;    // [m]
};

/// Flat disk with a round hole in the middle.
struct Disk {
  Vec3 centre = Vec3::Zero();   // [m]
  Vec3 normal = Vec3::UnitZ();  // unit vector
  double radius = 1.0;          // [m]
  double hole = 0.0;            // radius of the hole, ≥ 0, < radius [m]
};

/// Solid side of a closed surface; kNo for a sheet, whose two sides may be touched.
enum class MeshSolid { kNo, kInside, kOutside };
/// The names in scenes, in the order of the enumeration.
constexpr std::array<const char*, 3> NamesOf(MeshSolid) { return {"no", "inside", "outside"}; }

class TriangleMesh;

/// A surface of triangles (triangle_mesh). A sphere may touch it at several points at once.
struct Mesh {
  std::string file;              // name of the file
  double unit = 1.0;             // length of the file's unit [m]
  Vec3 scale = Vec3::Ones();     // factors along the file's axes, > 0
  Vec3 rotation = Vec3::Zero();  // rotates about the file's origin: axis times angle [rad]
  Vec3 offset = Vec3::Zero();    // position of the file's origin [m]
  bool flip = false;             // reverses the orientation of the triangles
  MeshSolid solid = MeshSolid::kNo;
  std::shared_ptr<const TriangleMesh> surface =
      nullptr;  // null: not loaded; the wall has no surface
};

using ShapePart = std::variant<Plane, Block, Cylinder, Ball, Pipe, Cone, Disk, Mesh>;

/// Whether a surface can curve towards the bodies that touch it. The triangles of a mesh are flat.
inline bool IsCurvedInward(const Plane&) { return false; }
inline bool IsCurvedInward(const Block&) { return false; }
inline bool IsCurvedInward(const Cylinder&) { return false; }
inline bool IsCurvedInward(const Ball&) { return false; }
inline bool IsCurvedInward(const Pipe&) { return true; }
inline bool IsCurvedInward(const Cone&) { return true; }
inline bool IsCurvedInward(const Disk&) { return false; }
inline bool IsCurvedInward(const Mesh&) { return false; }
inline bool IsHollowPart(const ShapePart& part) {
  return std::visit([](const auto& solid) { return IsCurvedInward(solid); }, part);
}

/// A solid: the union of its parts, with one contact at the nearest point of the union. If a sphere
/// has to touch two solids at a concave edge, make them two walls.
struct Shape {
  std::vector<ShapePart> parts;
};

inline bool IsHollow(const Shape& shape) { return std::ranges::any_of(shape.parts, IsHollowPart); }

/// The point of a surface nearest to a query point, relative to the query point.
struct SurfacePoint {
  double distance = std::numeric_limits<double>::infinity();  // negative inside the solid [m]
  Vec3 normal = Vec3::UnitZ();                                // unit vector out of the solid
};

/// Signed distance of x from the surface of the part, exact outside the part and inside it. The
/// distance from a sheet is never negative, and its normal points to the side of x.
SurfacePoint NearestSurface(const ShapePart& part, const Vec3& x);

/// Signed distance of x from the surface of a union. It is exact outside. Inside it is the distance
/// from the surface of the part in which x is deepest.
SurfacePoint NearestSurface(const Shape& shape, const Vec3& x);

/// Whether x is inside, or nearer to the surface than `limit` [m].
bool IsWithin(const Shape& shape, const Vec3& x, double limit);

/// The mesh of the shape; null if there is none or its surface is not loaded. A shape with a mesh
/// has no other parts.
const TriangleMesh* MeshOf(const Shape& shape);
/// The plane of the shape; null if the shape is not a single plane.
const Plane* PlaneOf(const Shape& shape);

/// False for a mesh whose surface is not loaded yet. Such a wall has no surface.
bool IsLoaded(const Shape& shape);

/// Box that contains the surface; infinite in all directions if a part is a plane.
Box BoundingBox(const Shape& shape);

/// Whether a rotation about this axis leaves the shape unchanged, to rounding.
/// @param direction  of the axis, not zero
bool IsAxisymmetric(const Shape& shape, const Vec3& point, const Vec3& direction);

struct SurfaceTriangles;

/// Adds triangles that show the surface of the part. Planes end at the domain, circles become
/// polygons, and meshes stay unchanged.
void AddTriangles(const ShapePart& part, const Box& domain, SurfaceTriangles& surface);

}  // namespace scree
