/// \file  Makes particles on lattice sites: the fills of a scene at time zero.
#pragma once

#include <functional>

#include "engine/particles.hpp"
#include "engine/scene.hpp"

namespace scree {

/// Says which places are this rank's; with it each rank makes its own particles and no others.
using OwnsPlace = std::function<bool(const Vec3&)>;

/// Centre of site (i, j, k) [m].
Vec3 LatticeSite(const Lattice& lattice, const std::array<std::int64_t, 3>& site);

/// Appends one particle whose velocity jitter follows from the seed and its id.
void MakeParticle(const GrainTemplate& grain, const Vec3& position, ParticleId id,
                  std::uint64_t seed, Particles& particles);

/// Appends the particles of all fills that this rank owns. The id is the number of the lattice
/// site, counted over all fills, x fastest; sites whose sphere would overlap a wall stay empty but
/// keep their number.
void MakeFills(const Scene& scene, const OwnsPlace& owns, Particles& particles);

/// Lattice sites of all fills: the first id that no fill uses.
ParticleId FillSites(const Scene& scene);

}  // namespace scree
