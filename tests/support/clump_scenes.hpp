/// \file  Shapes of several spheres, and bodies of them, made in code.
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

/// Without any symmetry.
inline std::vector<Member> Crooked(double r) {
  return {{Vec3(0.0, 0.0, 0.0), r},
          {Vec3(1.4 * r, 0.1 * r, 0.0), 0.8 * r},
          {Vec3(1.5 * r, 1.2 * r, 0.3 * r), 0.7 * r},
          {Vec3(-0.2 * r, 0.4 * r, 0.9 * r), 0.6 * r}};
}

/// @returns its number
inline ShapeId AddShape(Scene& scene, const std::vector<Member>& members) {
  ClumpDescription description;
  description.name = "shape";
  description.spheres = members;
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
