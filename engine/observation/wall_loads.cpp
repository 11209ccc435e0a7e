#include "engine/observation/wall_loads.hpp"

#include "engine/contacts/contact_partner.hpp"

namespace scree {

void FindWallLoads(const Particles& particles, std::span<const DetectedContact> contacts,
                   std::span<const WallBody> bodies, std::span<const WallPose> poses,
                   const ContactBatches& batches, double dt, std::vector<WallLoad>& loads) {
  const ContactBodies numbers(particles, bodies);
  loads.assign(poses.size(), {});
  for (std::size_t j = 0; j < contacts.size(); ++j) {
    const DetectedContact& contact = contacts[j];
    if (!numbers.IsWall(contact.b)) continue;
    const auto a = static_cast<std::size_t>(contact.a);
    const auto w = static_cast<std::size_t>(numbers.WallOf(contact.b).wall);
    const Vec3 force = -batches.Impulse(j) / dt;
    const Vec3 place = particles.position[a] - (particles.radius[a] + contact.gap) * contact.normal;
    loads[w].force += force;
    loads[w].torque += (place - poses[w].CentreNow()).cross(force);
    if (batches.Rolls()) loads[w].torque -= particles.radius[a] * batches.RollingImpulse(j) / dt;
  }
}

}  // namespace scree
