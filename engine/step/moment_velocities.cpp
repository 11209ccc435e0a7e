#include "engine/step/moment_velocities.hpp"

namespace scree {

InstantaneousVelocities FindInstantaneousVelocities(const StepSetup& setup, double last_length,
                                                    const StepForces& forces,
                                                    std::span<const double> inverse_masses,
                                                    const Particles& particles) {
  const RotatingFrame& frame = setup.scene.frame;
  InstantaneousVelocities result;
  if (last_length == 0.0 || !frame.IsRotating()) return result;
  result.of_owned.assign(particles.velocity.begin(),
                         particles.velocity.begin() + static_cast<std::ptrdiff_t>(particles.owned));
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    const Vec3& before = particles.velocity[i];
    Vec3& v = result.of_owned[i];
    v = InstantaneousVelocity(frame, particles.position[i], before, last_length);
    const bool is_new = i >= forces.contact_kicks.size();
    if (!is_new && i < inverse_masses.size()) {
      constexpr double kNegligible = 1e-6, kHit = 5.0;  // times the kick of all other forces
      const Vec3 &kick = forces.kicks[i].v, &contact_kicks = forces.contact_kicks[i];
      const double kick_size = kick.norm(), contact_size = contact_kicks.norm();
      const bool has_drag = forces.kicks[i].inverse_mass < (1.0 - kNegligible) * inverse_masses[i];
      const bool is_guided =
          contact_size <= kHit * kick_size && (has_drag || contact_size > kNegligible * kick_size);
      if (is_guided) v = before + 0.5 * (kick + contact_kicks);
    }
    if (i >= inverse_masses.size()) continue;  // inserted just before the run failed
    result.gained += 0.5 * (v - before).dot(v + before) / inverse_masses[i];
  }
  return result;
}

}  // namespace scree
