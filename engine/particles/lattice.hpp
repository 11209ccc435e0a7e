/// \file  Places of lattice sites, and particles on them.
#pragma once

#include <functional>

#include "engine/particles/particles.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// Says which places are this rank's; with it each rank makes its own particles and no others.
using OwnsPlace = std::function<bool(const Vec3&)>;

/// Centre of site (i, j, k) [m].
Vec3 LatticeSite(const Lattice& lattice, const std::array<std::int64_t, 3>& site);

/// Shape, orientation and radius [m] of the particle with this id; they follow from the seed too.
ShapeId ShapeOf(const GrainTemplate& grain, ParticleId id, std::uint64_t seed);
Quaternion OrientationOf(const GrainTemplate& grain, ParticleId id, std::uint64_t seed);
double RadiusOf(const GrainTemplate& grain, ParticleId id, std::uint64_t seed);

/// Appends one particle whose size, shape, orientation and velocity jitter follow from the seed and
/// its id.
void MakeParticle(const GrainTemplate& grain, const Vec3& position, ParticleId id,
                  std::uint64_t seed, Particles& particles);

}  // namespace scree
