/// \file  The shape of a rigid body. It consists of members, which are spheres or rounded polyhedra
///        (solids) and may overlap. Overlaps count once in the mass properties.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/geometry/free_rotation.hpp"
#include "engine/geometry/quaternion.hpp"
#include "engine/geometry/rounded_polyhedron.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// The shape of a body: 0 for a sphere, k > 0 for the k-th entry of Scene::clumps.
using ShapeId = std::int32_t;
inline constexpr ShapeId kSphereShape = 0;

/// A sphere of a shape, or the ball at a vertex of a solid. Contact detection loads the four
/// numbers at once.
struct alignas(32) Member {
  Vec3 centre = Vec3::Zero();
  double radius = 0.0;
};

/// Volume, centre and inertia of the union of spheres. The divergence theorem turns them into
/// integrals over the parts of the spheres' surfaces that no other sphere covers. A circle of
/// latitude crosses these parts in arcs whose ends have a closed form. Arcs appear, meet or vanish
/// only at certain latitudes. Between these latitudes the integrand is analytic, so the error of
/// the quadrature is near rounding (1e-11 relative, also for spheres that touch or nearly
/// coincide).
/// @pre radii > 0, at least one sphere
SolidMoments MomentsOfUnion(std::span<const Member> spheres);

/// The user's description of members of a shape: spheres, or the vertices of a solid, or the name
/// of a solid. Coordinates are in axes of the user's choice.
struct PartDescription {
  std::string name = {};
  std::vector<Member> spheres = {};  // [m]
  std::vector<Vec3> vertices = {};   // of a solid with sharp edges, in multiples of `unit`
  double unit = 1.0;                 // [m]
  Vec3 scale = Vec3::Ones();         // factors of the vertices' coordinates
  std::string solid = {};            // name, size and sides as in VerticesOfSolid; empty: none
  std::vector<double> size = {};     // [m]
  int sides = 0;
  double rounding = 0.0;         // of a solid; 0: the default of Rounded() [m]
  Vec3 rotation = Vec3::Zero();  // about the origin: axis times angle [rad]
  Vec3 position = Vec3::Zero();  // of the origin, after the rotation [m]

  bool IsSolid() const { return !solid.empty() || !vertices.empty(); }
  bool IsEmpty() const { return spheres.empty() && !IsSolid(); }
};

/// A shape: its first part, which is the base class, and any further parts.
struct ClumpDescription : PartDescription {
  std::vector<PartDescription> parts = {};  // in addition to the first part
  bool allows_gaps = false;                 // true: members need not be connected
  double mass = 0.0;                        // [kg]; 0: from the density of the material
  // Inertia about axes through the centre of mass that are parallel to the user's axes [kg m²].
  // Only allowed with a mass. Zero: the inertia of the union of the members.
  Vec3 inertia = Vec3::Zero();
};

/// A member that is a rounded polyhedron. The balls at its vertices are members as well.
///
/// Features of a shape are numbered in this order: the balls of all solids, all spheres, then the
/// edges and faces of each solid in turn.
struct SolidMember {
  Polyhedron core;               // relative to the centre of mass of the body [-]
  std::uint16_t first_ball = 0;  // member at the first vertex of the core
  std::uint16_t first_edge = 0;  // feature number; the faces follow the edges
  std::uint16_t first_face = 0;  // index among the faces of all solids
  Member bounds = {};            // a bounding ball

  /// Converts the number of a feature in the core to its number in the shape.
  std::uint16_t FeatureOf(std::uint16_t core_feature) const {
    const std::size_t vertices = core.vertices.size();
    return static_cast<std::uint16_t>(core_feature < vertices
                                          ? first_ball + core_feature
                                          : first_edge + (core_feature - vertices));
  }
};

/// A shape, scaled to a bounding radius of 1. The bounding radius is the largest distance from the
/// centre of mass to a point of the surface. The radius r of a body of this shape is its bounding
/// radius, and all lengths are multiples of r. Body axes are parallel to the user's axes, with the
/// origin at the centre of mass.
struct ClumpShape {
  ClumpDescription description;          // the user's input
  std::vector<Member> members = {};      // balls at the vertices of solids, then spheres [-]
  std::vector<SolidMember> solids = {};  // empty: only spheres
  double bounding_radius = 1.0;          // of the description [m]
  double volume = 1.0;                   // of the union, divided by r³ [-]
  Vec3 scaled_moments = Vec3::Ones();    // principal moments divided by m r², ascending [-]
  Quaternion axes;               // rotates principal axes into body axes; identity if they coincide
  double smallest_member = 1.0;  // smallest radius of a sphere or rounding of a solid [-]
  double smallest_ball = 1.0;    // smallest radius of a sphere or of a solid's inscribed ball [-]

  /// Number of members that are balls of solids; the spheres follow them.
  std::size_t FirstSphere() const {
    return solids.empty() ? 0 : solids.back().first_ball + solids.back().core.vertices.size();
  }
  /// Whether this is a single sphere with the mass of its material. Such bodies are treated as
  /// spheres.
  bool IsSphere() const { return members.size() == 1 && description.mass == 0.0; }
  /// Mass of a body of this radius [kg].
  double Mass(double density, double radius) const;
  /// Principal moments of a body of this mass [kg] and radius.
  PrincipalInertia Inertia(double mass, double radius) const {
    return {mass * radius * radius * scaled_moments, axes};
  }
};

/// @throws InputError, whose message the caller puts after the name of the shape: no members,
///         a radius that is not positive, numbers that are not finite, unconnected members unless
///         allowed, a flat solid, a solid with an unknown name or an unsuitable rounding, spheres
///         and a solid in one part, an impossible mass or inertia
ClumpShape MakeClumpShape(const ClumpDescription& description);

}  // namespace scree
