/// \file  Convex polyhedra with rounded edges and corners: all points within ρ of a convex core.
///
/// Sharp input is eroded by ρ first, so that the planes of its faces are those of the body.
#pragma once

#include <span>
#include <string>

#include "engine/geometry/polyhedron.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// Of a solid of density 1.
struct SolidMoments {
  double volume = 0.0;          // [m³]
  Vec3 centre = Vec3::Zero();   // of mass [m]
  Mat3 inertia = Mat3::Zero();  // about the centre of mass [m⁵]
};

struct RoundedPolyhedron {
  Polyhedron core;
  double rounding = 0.0;  // ρ [m]
};

/// Volume, centre and inertia, exactly: the core, a prism on each face, a wedge at each edge and a
/// sector of a ball at each vertex. The volume is Steiner's V₀ + S₀ ρ + M₀ ρ² + 4/3 π ρ³, M₀ being
/// half the sum of the edges' lengths times their exterior angles.
SolidMoments MomentsOf(const RoundedPolyhedron& body);

/// The share of the radius of the greatest ball about the centre of mass that is rounded if nothing
/// is said, and the least and the greatest that may be.
inline constexpr double kDefaultRounding = 0.05, kMinRounding = 0.01, kMaxRounding = 0.9;

/// @param sharp     its planes are those of the body
/// @param rounding  ρ [m]; 0: kDefaultRounding
/// @throws InputError, a sentence that goes on after the shape's name: a rounding too small or
///         large
RoundedPolyhedron Rounded(const Polyhedron& sharp, double rounding);

/// The vertices of solids with a name, in the middle of which the origin is:
///
///     box           size = edges along x, y, z, or one of a cube
///     tetrahedron, octahedron, dodecahedron   size = edge
///     prism         size = diameter of the circle round its ends, length along z
///     cylinder      the same, about which the sides stand: its circle touches them
///
/// @param sides  of prism and cylinder; 0: 6 and 24
/// @throws InputError, a sentence that goes on after the shape's name: another name, too few or
///         many sizes, sides that there cannot be
std::vector<Vec3> VerticesOfSolid(const std::string& name, std::span<const double> size, int sides);

}  // namespace scree
