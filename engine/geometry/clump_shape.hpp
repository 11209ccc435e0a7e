/// \file  The shape of a rigid body: members, each a sphere or a rounded polyhedron (a solid),
/// which
///        may overlap; and its mass properties, each point inside counted once.
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

/// What a body's surface is: 0 a sphere, k > 0 the k-th of Scene::clumps.
using ShapeId = std::int32_t;
inline constexpr ShapeId kSphereShape = 0;

/// A sphere of a shape: four numbers in a line, as detection loads them.
struct alignas(32) Member {
  Vec3 centre = Vec3::Zero();
  double radius = 0.0;
};

/// Volume, centre and inertia of the union of spheres, by the divergence theorem over the parts of
/// their surfaces that no other sphere covers: on a circle of latitude these are arcs with ends in
/// closed form; between the latitudes where arcs appear, meet or vanish the rest is analytic, so
/// that quadrature has an error near rounding (1e-11 relative, spheres that touch or nearly
/// coincide included).
/// @pre radii > 0, at least one sphere
SolidMoments MomentsOfUnion(std::span<const Member> spheres);

/// What a user says about members of a shape: spheres, or the vertices of a solid, or its name; in
/// axes of the user's choice.
struct PartDescription {
  std::string name = {};
  std::vector<Member> spheres = {};  // [m]
  std::vector<Vec3> vertices = {};   // of the sharp solid, ...
  double unit = 1.0;                 // ... in multiples of this [m]
  Vec3 scale = Vec3::Ones();         // of the vertices, along their axes
  std::string solid = {};            // as of VerticesOfSolid, ...
  std::vector<double> size = {};     // ... [m]
  int sides = 0;
  double rounding = 0.0;         // of a solid, 0: kDefaultRounding [m]
  Vec3 turn = Vec3::Zero();      // about the origin, axis times angle; then the ...
  Vec3 position = Vec3::Zero();  // ... origin is here [m]

  bool IsSolid() const { return !solid.empty() || !vertices.empty(); }
  bool IsEmpty() const { return spheres.empty() && !IsSolid(); }
};

/// A shape, which is the first of its parts and may be that alone.
struct ClumpDescription : PartDescription {
  std::vector<PartDescription> parts = {};  // further ones
  bool apart = false;                       // members need not be connected
  double mass = 0.0;                        // [kg]; 0: by the density of the material
  // About axes through the centre of mass parallel to the user's [kg m²], with a mass only; zero:
  // that of the union of the members.
  Vec3 inertia = Vec3::Zero();
};

/// A member that is a rounded polyhedron. The balls at its vertices are members themselves.
///
/// Features of a shape are numbered: the balls of all solids, all spheres, then edges and faces of
/// one solid after the other.
struct SolidMember {
  Polyhedron core;               // about the centre of mass of the body [-]
  std::uint16_t first_ball = 0;  // at its vertices
  std::uint16_t first_edge = 0;  // feature; its faces follow
  std::uint16_t first_face = 0;  // among the faces of all solids
  Member bounds = {};            // a ball about it

  /// Of a feature as the core by itself numbers it.
  std::uint16_t FeatureOf(std::uint16_t of_core) const {
    const std::size_t vertices = core.vertices.size();
    return static_cast<std::uint16_t>(of_core < vertices ? first_ball + of_core
                                                         : first_edge + (of_core - vertices));
  }
};

/// A shape, scaled such that its bounding radius is 1: the largest distance from the centre of mass
/// to a point of the surface. A body of this shape has its bounding radius as its radius, and all
/// lengths are multiples of it. Body axes are the user's, moved to the centre of mass.
struct ClumpShape {
  ClumpDescription description;          // what it was made of
  std::vector<Member> members = {};      // balls at the vertices of solids, then spheres [-]
  std::vector<SolidMember> solids = {};  // empty: there are only spheres
  double bounding_radius = 1.0;          // as described [m]
  double volume = 1.0;                   // of the union, over r³ [-]
  Vec3 gyration = Vec3::Ones();          // principal moments over m r², ascending [-]
  Quaternion axes;  // turns principal axes into body axes; no rotation if they are these
  double smallest_member = 1.0;  // radius, of a solid its rounding, over r [-]

  /// Members that are balls of solids; spheres follow.
  std::size_t FirstSphere() const {
    return solids.empty() ? 0 : solids.back().first_ball + solids.back().core.vertices.size();
  }
  /// A single sphere with the mass of its material: bodies of it are treated as spheres are.
  bool IsSphere() const { return members.size() == 1 && description.mass == 0.0; }
  /// Mass of a body of this radius [kg].
  double Mass(double density, double radius) const;
  /// @param of_body  its mass [kg]
  PrincipalInertia Inertia(double of_body, double radius) const {
    return {of_body * radius * radius * gyration, axes};
  }
};

/// @throws InputError, a sentence that goes on after the shape's name: no spheres, a radius that is
///         not positive, numbers that are not finite, members apart unless allowed, a solid that is
///         flat, has no such name or a rounding that does not fit it, spheres and a solid in one
///         part, a mass or inertia that no body has
ClumpShape MakeClumpShape(const ClumpDescription& description);

}  // namespace scree
