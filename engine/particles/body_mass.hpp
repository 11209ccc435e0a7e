/// \file  Volume and mass of a particle, sphere or clump.
#pragma once

#include <cstddef>

#include "engine/particles/particles.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// Volume of the sphere, or of the union of a clump's members [m³].
/// @param radius  of a sphere, or the bounding radius of a clump [m]
inline double VolumeOf(const Scene& scene, ShapeId shape, double radius) {
  if (shape == kSphereShape || scene.ClumpOf(shape).IsSphere()) return SphereVolume(radius);
  return scene.ClumpOf(shape).volume * radius * radius * radius;
}
inline double VolumeOf(const Particles& particles, std::size_t i, const Scene& scene) {
  return VolumeOf(scene, particles.shape[i], particles.radius[i]);
}

/// Mass of a particle [kg].
/// @param radius  as in VolumeOf
inline double MassOf(const Scene& scene, MaterialId material, ShapeId shape, double radius) {
  const double density = scene.materials[material].density;
  if (shape == kSphereShape || scene.ClumpOf(shape).IsSphere()) {
    return density * SphereVolume(radius);
  }
  return scene.ClumpOf(shape).Mass(density, radius);
}
inline double MassOf(const Particles& particles, std::size_t i, const Scene& scene) {
  return MassOf(scene, particles.material[i], particles.shape[i], particles.radius[i]);
}

}  // namespace scree
