/// \file  Convex polyhedra with rounded edges and corners: all points within ρ of a convex core.
///
/// A sharp polyhedron is eroded by ρ to get the core, so that the faces of the body keep their
/// planes.
#pragma once

#include <span>
#include <string>

#include "engine/geometry/polyhedron.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// Mass properties of a solid of density 1.
struct SolidMoments {
  double volume = 0.0;          // [m³]
  Vec3 centre = Vec3::Zero();   // of mass [m]
  Mat3 inertia = Mat3::Zero();  // about the centre of mass [m⁵]
};

struct RoundedPolyhedron {
  Polyhedron core;
  double rounding = 0.0;  // ρ [m]
};

/// Exact volume, centre and inertia: sums over the core, a prism on each face, a wedge at each edge
/// and a sector of a ball at each vertex. The volume is Steiner's V₀ + S₀ ρ + M₀ ρ² + 4/3 π ρ³,
/// with the core's volume V₀ and surface S₀, and half the sum M₀ of (edge length times exterior
/// angle).
SolidMoments MomentsOf(const RoundedPolyhedron& body);

/// Default, minimum and maximum of the rounding, as fractions of the radius of the largest
/// inscribed ball about the centre of mass.
inline constexpr double kDefaultRounding = 0.05, kMinRounding = 0.01, kMaxRounding = 0.9;

/// Rounds the edges of a polyhedron.
/// @param sharp     the polyhedron with sharp edges
/// @param rounding  ρ [m]; 0: kDefaultRounding of the inscribed radius
/// @throws InputError, whose message the caller puts after the name of the shape: a rounding too
///         small or too large
RoundedPolyhedron Rounded(const Polyhedron& sharp, double rounding);

/// Vertices of a named solid, centred at the origin:
///
///     box           size = edges along x, y, z, or one edge of a cube
///     tetrahedron, octahedron, dodecahedron   size = edge
///     prism         size = diameter of the circumcircle of its ends, length along z
///     cylinder      size as for a prism, but with the diameter of the incircle of the ends
///
/// @param sides  of a prism or cylinder; 0: 6 for a prism, 24 for a cylinder
/// @throws InputError, whose message the caller puts after the name of the shape: an unknown name,
///         too few or too many sizes, an impossible number of sides
std::vector<Vec3> VerticesOfSolid(const std::string& name, std::span<const double> size, int sides);

}  // namespace scree
