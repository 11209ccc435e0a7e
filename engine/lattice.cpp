#include "engine/lattice.hpp"

#include <cmath>

#include "engine/random.hpp"

namespace scree {
namespace {

bool TouchesWall(const Scene& scene, const Vec3& center, double radius) {
  for (const Wall& wall : scene.walls) {
    if (IsNearer(wall.shape, center, radius)) return true;
  }
  return false;
}

ParticleId SiteCount(const Lattice& lattice) {
  const auto sites = lattice.Sites();
  return sites[0] * sites[1] * sites[2];
}

}  // namespace

std::array<std::int64_t, 3> Lattice::Sites() const {
  constexpr double kRounding = 1e-9;  // of a site: 0.065 / 0.001 is not quite 65
  std::array<std::int64_t, 3> sites;
  for (int axis = 0; axis < 3; ++axis) {
    sites[static_cast<std::size_t>(axis)] = static_cast<std::int64_t>(
        std::floor((region.upper[axis] - region.lower[axis]) / spacing + kRounding));
  }
  return sites;
}

Vec3 LatticeSite(const Lattice& lattice, const std::array<std::int64_t, 3>& site) {
  const Vec3 number(static_cast<double>(site[0]), static_cast<double>(site[1]),
                    static_cast<double>(site[2]));
  return lattice.region.lower + lattice.spacing * (number + Vec3::Constant(0.5));
}

void MakeParticle(const GrainTemplate& grain, const Vec3& position, ParticleId id,
                  std::uint64_t seed, Particles& particles) {
  Vec3 velocity = grain.velocity;
  for (int axis = 0; axis < 3; ++axis) {
    velocity[axis] +=
        grain.jitter[axis] * UniformAroundZero(seed, id, static_cast<std::uint64_t>(axis));
  }
  particles.position.push_back(position);
  particles.velocity.push_back(velocity);
  particles.angular_velocity.push_back(Vec3::Zero());
  particles.orientation.push_back({});
  particles.radius.push_back(grain.radius);
  particles.id.push_back(id);
  particles.material.push_back(grain.material);
}

void MakeFills(const Scene& scene, const OwnsPlace& owns, Particles& particles) {
  SCREE_DEMAND(particles.owned == particles.Size());
  ParticleId id = 0;
  for (const LatticeFill& fill : scene.fills) {
    const auto sites = fill.lattice.Sites();
    for (std::int64_t k = 0; k < sites[2]; ++k) {
      for (std::int64_t j = 0; j < sites[1]; ++j) {
        for (std::int64_t i = 0; i < sites[0]; ++i, ++id) {
          const Vec3 place = LatticeSite(fill.lattice, {i, j, k});
          if (!owns(place) || TouchesWall(scene, place, fill.grain.radius)) continue;
          MakeParticle(fill.grain, place, id, scene.seed, particles);
        }
      }
    }
  }
  particles.owned = particles.Size();
}

ParticleId FillSites(const Scene& scene) {
  ParticleId sites = 0;
  for (const LatticeFill& fill : scene.fills) sites += SiteCount(fill.lattice);
  return sites;
}

}  // namespace scree
