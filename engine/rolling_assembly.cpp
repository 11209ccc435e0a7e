#include "engine/rolling_assembly.hpp"

#include "engine/effective_mass.hpp"
#include "solvers/rolling.hpp"

namespace scree {
namespace {

/// R/r of both bodies, 1/R = 1/r_a + 1/r_b.
void SetShares(const Particles& particles, const DetectedContact& found, RollingContact& rolling) {
  rolling.share_a = rolling.share_b = 1.0;  // a wall is flat
  const auto a = static_cast<std::size_t>(found.a), b = static_cast<std::size_t>(found.b);
  if (b >= particles.Size()) return;
  const double sum = particles.radius[a] + particles.radius[b];
  rolling.share_a = particles.radius[b] / sum;
  rolling.share_b = particles.radius[a] / sum;
}

}  // namespace

void AssembleRolling(std::span<const DetectedContact> detected,
                     std::span<const DetectedContact> mirrors, const Particles& particles,
                     const Scene& scene, std::span<const WallBody> walls,
                     const SolverParameters& solver, std::span<const double> inverse_masses,
                     std::span<const Index> counts, const WarmStart* warm_start,
                     ContactBatches& batches) {
  batches.BeginRolling();
  std::size_t j = 0;
  const auto add = [&](const DetectedContact& found) {
    const auto a = static_cast<std::size_t>(found.a), b = static_cast<std::size_t>(found.b);
    const MaterialId material =
        b < particles.Size()
            ? particles.material[b]
            : scene.walls[static_cast<std::size_t>(walls[b - particles.Size()].wall)].material;
    const PairRolling& pair = scene.materials.Rolling(particles.material[a], material);
    RollingContact rolling = {pair.rolling, pair.spinning};
    SetShares(particles, found, rolling);
    // A_w of each body alone takes the place of the inverse mass.
    const double weight_a = RollingBlock(rolling, inverse_masses[a], 0.0);
    const double weight_b = RollingBlock(rolling, 0.0, inverse_masses[b]);
    rolling.effective_mass =
        counts.empty() ? 1.0 / (weight_a + weight_b)
                       : EffectiveRollingMass(solver, weight_a, weight_b, counts[a], counts[b]);
    Vec3 start = Vec3::Zero();
    if (warm_start != nullptr) {
      const Index name = LastingName(found.b, particles.Size(), walls);
      start = OnRollingCones(found.normal, rolling, batches.Impulse(j),
                             warm_start->RollingOf(found.a, name));
    }
    batches.SetRolling(j++, rolling, start);
  };
  for (const DetectedContact& found : detected) add(found);
  for (const DetectedContact& found : mirrors) add(found);
}

void TurnPatches(std::span<const DetectedContact> contacts, const Particles& particles,
                 std::span<const WallBody> walls, std::span<const WallPose> poses,
                 std::vector<SphereBody>& bodies) {
  for (const DetectedContact& contact : contacts) {
    const auto b = static_cast<std::size_t>(contact.b);
    if (b < particles.Size()) continue;
    const WallPose& pose = poses[static_cast<std::size_t>(walls[b - particles.Size()].wall)];
    if (!pose.Rotates()) continue;
    SphereBody& patch = bodies[b];
    patch.radius = particles.radius[static_cast<std::size_t>(contact.a)];
    patch.u = patch.radius * pose.angular_velocity;
    patch.v -= patch.u.cross(contact.normal);
  }
}

}  // namespace scree
