#include "engine/contacts/rolling_assembly.hpp"

#include "solvers/effective_mass.hpp"
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

void AssembleRolling(const ContactInput& input, const SolverParameters& solver,
                     ContactBatches& batches) {
  const Particles& particles = input.particles;
  const ContactBodies bodies = input.Bodies();
  batches.BeginRolling();
  std::size_t j = 0;
  const auto add = [&](const DetectedContact& found) {
    const auto a = static_cast<std::size_t>(found.a), b = static_cast<std::size_t>(found.b);
    const PairRolling& pair =
        input.scene.materials.Rolling(particles.material[a], input.MaterialOf(found.b));
    RollingContact rolling = {pair.rolling, pair.spinning};
    SetShares(particles, found, rolling);
    // A_w of each body alone takes the place of the inverse mass.
    const double weight_a = RollingBlock(rolling, input.inverse_masses[a], 0.0);
    const double weight_b = RollingBlock(rolling, 0.0, input.inverse_masses[b]);
    rolling.effective_mass =
        input.counts.empty()
            ? 1.0 / (weight_a + weight_b)
            : EffectiveRollingMass(solver, weight_a, weight_b, input.counts[a], input.counts[b]);
    Vec3 start = Vec3::Zero();
    if (input.warm_start != nullptr) {
      start = OnRollingCones(found.normal, rolling, batches.Impulse(j),
                             input.warm_start->RollingOf(found.a, bodies.PartnerOf(found.b)));
    }
    batches.SetRolling(j++, rolling, start);
  };
  for (const DetectedContact& found : input.detected) add(found);
  for (const DetectedContact& found : input.mirrors) add(found);
}

void TurnPatches(std::span<const DetectedContact> contacts, const Particles& particles,
                 std::span<const WallBody> walls, std::span<const WallPose> poses,
                 std::vector<SphereBody>& bodies) {
  const ContactBodies numbers(particles, walls);
  for (const DetectedContact& contact : contacts) {
    if (!numbers.IsWall(contact.b)) continue;
    const WallPose& pose = poses[static_cast<std::size_t>(numbers.WallOf(contact.b).wall)];
    if (!pose.Rotates()) continue;
    SphereBody& patch = bodies[static_cast<std::size_t>(contact.b)];
    patch.radius = particles.radius[static_cast<std::size_t>(contact.a)];
    patch.u = patch.radius * pose.angular_velocity;
    patch.v -= patch.u.cross(contact.normal);
  }
}

}  // namespace scree
