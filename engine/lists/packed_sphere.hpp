/// \file  Positions, radii and motions of spheres, packed into half a cache line each. The searches
///        for pairs and contacts read them in packets of eight.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "engine/particles/particles.hpp"
#include "engine/ranks/halo.hpp"
#include "solvers/one_contact/sphere_contact.hpp"
#include "solvers/simd/simd.hpp"

namespace scree {

struct alignas(32) PackedSphere {
  double x, y, z, radius;  // [m]
};

/// Packs one entry per particle of this rank. Ghosts are at their shifted positions.
inline void PackSpheres(const Particles& particles, std::span<const Vec3> ghost_shift,
                        std::vector<PackedSphere>& packed) {
  packed.reserve(particles.Size() + kLanes);  // searches read whole packets, past the last entry
  packed.resize(particles.Size());
  for (std::size_t i = 0; i < particles.owned; ++i) {
    const Vec3& x = particles.position[i];
    packed[i] = {x.x(), x.y(), x.z(), particles.radius[i]};
  }
  for (std::size_t i = particles.owned; i < particles.Size(); ++i) {
    const Vec3 x = particles.position[i] + ghost_shift[i - particles.owned];
    packed[i] = {x.x(), x.y(), x.z(), particles.radius[i]};
  }
}

struct alignas(32) PackedMotion {
  double x, y, z;  // velocity [m/s]
  double change;   // ‖v' − v‖ of the last step [m/s]
};

/// Sets one motion per particle of this rank, ghosts included.
/// @param packed  the same particles, packed
/// @returns the maximum speed relative to the drift plus the mean flow, if there is one [m/s]
inline double SetMotions(const Particles& particles, std::span<const Vec3> velocities,
                         const Vec3& drift, const Domain& domain,
                         std::span<const PackedSphere> packed, std::vector<PackedMotion>& motions) {
  motions.resize(particles.Size());
  double max_squared = 0.0;
  for (std::size_t i = 0; i < motions.size(); ++i) {
    const Vec3& v = velocities[i];
    motions[i] = {v.x(), v.y(), v.z(), particles.velocity_change[i]};
    Vec3 relative = v - drift;
    if (domain.HasMeanFlow()) {
      relative -= domain.MeanFlow({packed[i].x, packed[i].y, packed[i].z});
    }
    max_squared = std::max(max_squared, relative.squaredNorm());
  }
  return std::sqrt(max_squared);
}

/// Motion of one sphere relative to eight others.
struct RelativeMotion8 {
  Vector3<Double8> velocity;  // of the sphere relative to each other one [m/s]
  Double8 change;             // sum of the two spheres' `change` [m/s]
};

SCREE_INLINE RelativeMotion8 RelativeMotion(const PackedMotion& motion,
                                            const PackedMotion* const (&others)[kLanes]) {
  const double* lines[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) lines[lane] = &others[lane]->x;
  const Fields4 other = LoadHalfLines(lines);
  return {{motion.x - other.field[0], motion.y - other.field[1], motion.z - other.field[2]},
          motion.change + other.field[3]};
}

/// Position of one sphere relative to eight others.
struct Separation8 {
  Vector3<Double8> d;  // from each other sphere's centre to the sphere's centre [m]
  Double8 squared;     // d² [m²]
  Double8 radii_sum;   // [m]
};

SCREE_INLINE Separation8 Separation(const PackedSphere& sphere,
                                    const PackedSphere* const (&others)[kLanes]) {
  const double* lines[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) lines[lane] = &others[lane]->x;
  const Fields4 other = LoadHalfLines(lines);
  Separation8 result;
  result.d = {sphere.x - other.field[0], sphere.y - other.field[1], sphere.z - other.field[2]};
  result.squared = Dot(result.d, result.d);
  result.radii_sum = sphere.radius + other.field[3];
  return result;
}

}  // namespace scree
