#include "engine/contact_detection.hpp"

#include <algorithm>
#include <cmath>

namespace scree {
namespace {

double GreatestSpeed(const Particles& particles) {
  double squared = 0.0;
  for (const Vec3& v : particles.velocity) squared = std::max(squared, v.squaredNorm());
  return std::sqrt(squared);
}

void DetectPairs(const Particles& particles, const Halo& halo, const NeighborList& list,
                 const ParticipationRule& rule, std::vector<DetectedContact>& contacts) {
  const double reach = rule.Reach(2.0 * GreatestSpeed(particles));
  for (std::size_t i = 0; i < particles.owned; ++i) {
    const Vec3 x = particles.position[i];
    const Vec3 v = particles.velocity[i];
    const double radius = particles.radius[i];
    for (Index k = list.first[i]; k < list.first[i + 1]; ++k) {
      const Index partner = list.partner[static_cast<std::size_t>(k)];
      const auto j = static_cast<std::size_t>(partner);
      Vec3 d = x - particles.position[j];
      if (j >= particles.owned) d -= halo.shift[j - particles.owned];
      const double touch = radius + particles.radius[j];
      const double squared = d.squaredNorm();
      if (squared > (touch + reach) * (touch + reach)) continue;

      const double distance = std::sqrt(squared);
      // Coinciding centres have no direction; any one separates them.
      const Vec3 normal = distance > 0.0 ? Vec3(d / distance) : Vec3::UnitZ();
      const double gap = distance - touch;
      // Gravity acts on both alike, so the velocity before the forces is the one after them.
      if (!rule.TakesPart(gap, (v - particles.velocity[j]).dot(normal))) continue;
      contacts.push_back({normal, gap, static_cast<Index>(i), partner});
    }
  }
}

void DetectWalls(const Particles& particles, const NeighborList& list, const Scene& scene,
                 const std::vector<Vec3>& walls, const ParticipationRule& rule,
                 std::vector<DetectedContact>& contacts) {
  const auto first_wall = static_cast<Index>(particles.Size());
  for (const WallCandidate& candidate : list.walls) {
    const auto i = static_cast<std::size_t>(candidate.particle);
    const auto w = static_cast<std::size_t>(candidate.wall);
    if (particles.id[i] == kGone) continue;
    const SurfacePoint surface =
        NearestSurface(scene.walls[w].shape, particles.position[i] - walls[w]);
    const double gap = surface.distance - particles.radius[i];
    const double m = (particles.velocity[i] - scene.walls[w].velocity).dot(surface.normal);
    const double after_forces = m + rule.dt * scene.gravity.dot(surface.normal);
    if (!rule.TakesPart(gap, std::min(m, after_forces))) continue;
    contacts.push_back({surface.normal, gap, candidate.particle, first_wall + candidate.wall});
  }
}

}  // namespace

ParticipationRule MakeParticipationRule(const Scene& scene, const StepParameters& parameters) {
  const double dt = parameters.dt;
  return {dt, 5.0 * scene.gravity.norm() * dt * dt, parameters.speculative};
}

void DetectContacts(const Particles& particles, const Halo& halo, const NeighborList& list,
                    const Scene& scene, const std::vector<Vec3>& walls,
                    const ParticipationRule& rule, std::vector<DetectedContact>& contacts) {
  contacts.clear();
  DetectPairs(particles, halo, list, rule, contacts);
  DetectWalls(particles, list, scene, walls, rule, contacts);
}

}  // namespace scree
