/// \file  Clump shapes of spheres, boxes or both, made in code, and bodies of these shapes.
#pragma once

#include <cmath>
#include <vector>

#include "tests/support/scenes.hpp"

namespace scree::test {

/// Two touching spheres along x.
inline std::vector<Member> Dumbbell(double r) {
  return {{Vec3(-r, 0.0, 0.0), r}, {Vec3(r, 0.0, 0.0), r}};
}

/// Four spheres that overlap in the middle.
inline std::vector<Member> Tetrapod(double r) {
  const double c = r * std::sqrt(0.5);
  return {{Vec3(c, c, c), r}, {Vec3(c, -c, -c), r}, {Vec3(-c, c, -c), r}, {Vec3(-c, -c, c), r}};
}

/// A shape without any symmetry.
inline std::vector<Member> AsymmetricShape(double r) {
  return {{Vec3(0.0, 0.0, 0.0), r},
          {Vec3(1.4 * r, 0.1 * r, 0.0), 0.8 * r},
          {Vec3(1.5 * r, 1.2 * r, 0.3 * r), 0.7 * r},
          {Vec3(-0.2 * r, 0.4 * r, 0.9 * r), 0.6 * r}};
}

inline ShapeId AddShape(Scene& scene, const std::vector<Member>& members) {
  ClumpDescription description;
  description.name = "shape";
  description.spheres = members;
  scene.clumps.push_back(MakeClumpShape(description));
  return static_cast<ShapeId>(scene.clumps.size());
}

inline PartDescription BoxPart(const Vec3& lower, const Vec3& upper) {
  const Vec3 size = upper - lower;
  PartDescription part;
  part.solid = "box";
  part.size = {size.x(), size.y(), size.z()};
  part.position = 0.5 * (lower + upper);
  return part;
}

/// Two touching boxes that form an L. Ell, Barbell and Cross are not convex, and 2 r to 3 r long.
inline ClumpDescription Ell(double r) {
  ClumpDescription ell;
  ell.name = "ell";
  ell.parts = {BoxPart(Vec3::Zero(), r * Vec3(2, 1, 1)),
               BoxPart(r * Vec3(0, 0, 1), r * Vec3(1, 1, 3))};
  return ell;
}
/// A box with a ball at each end that overlaps it.
inline ClumpDescription Barbell(double r) {
  ClumpDescription barbell;
  barbell.name = "barbell";
  barbell.spheres = {{Vec3(-r, 0.0, 0.0), 0.7 * r}, {Vec3(r, 0.0, 0.0), 0.6 * r}};
  barbell.parts = {BoxPart(-r * Vec3(1, 0.3, 0.4), r * Vec3(1, 0.3, 0.4))};
  return barbell;
}
/// A prism with a bar through it.
inline ClumpDescription Cross(double r) {
  ClumpDescription cross;
  cross.name = "cross";
  cross.solid = "prism";
  cross.size = {r, 2.4 * r};
  cross.parts = {BoxPart(-r * Vec3(1.2, 0.3, 0.3), r * Vec3(1.2, 0.3, 0.3))};
  cross.parts[0].rotation = Vec3(0.3, 0.2, 0.1);
  return cross;
}

inline ShapeId AddShape(Scene& scene, const ClumpDescription& description) {
  scene.clumps.push_back(MakeClumpShape(description));
  return static_cast<ShapeId>(scene.clumps.size());
}

inline void AddClump(const Scene& scene, Particles& particles, ParticleId id, ShapeId shape,
                     const Vec3& position, const Quaternion& orientation,
                     const Vec3& velocity = Vec3::Zero(), const Vec3& omega = Vec3::Zero()) {
  AddSphere(particles, id, position, scene.ClumpOf(shape).bounding_radius, velocity, omega);
  particles.shape.back() = shape;
  particles.orientation.back() = Normalized(orientation);
}

}  // namespace scree::test
