#include "engine/observation/wall_loads.hpp"

#include "engine/contacts/contact_partner.hpp"
#include "engine/contacts/detected_contact.hpp"
#include "engine/contacts/wall_impulse.hpp"

namespace scree {

std::optional<WallImpulse> WallImpulseOf(const Particles& particles, const ContactSpan& contacts,
                                         std::span<const WallBody> bodies,
                                         const ContactBatches& batches, std::size_t j) {
  const ContactBodies contact_bodies(particles, bodies);
  const DetectedContact& contact = contacts[j];
  if (!contact_bodies.IsWall(contact.b)) return {};
  const auto a = static_cast<std::size_t>(contact.a);
  const WallBody& wall = contact_bodies.WallOf(contact.b);
  // The parameters of additional laws are lengths; for spheres, which have no geometry, in radii.
  const double radius = contacts.geometry.empty() ? particles.radius[a] : 1.0;
  const Wrench on_a = WrenchOnA(batches, j, radius);
  return WallImpulse{static_cast<std::size_t>(wall.wall), -on_a.impulse,
                     particles.position[a] + contacts.GeometryOf(j, particles).arms.a - wall.shift,
                     -on_a.angular};
}

void FindWallLoads(const Particles& particles, const ContactSpan& contacts,
                   std::span<const WallBody> bodies, std::span<const WallPose> poses,
                   const ContactBatches& batches, double dt, std::vector<WallLoad>& loads) {
  loads.assign(poses.size(), {});
  for (std::size_t j = 0; j < contacts.size(); ++j) {
    const auto wall_impulse = WallImpulseOf(particles, contacts, bodies, batches, j);
    if (!wall_impulse) continue;
    const Vec3 force = wall_impulse->impulse / dt;
    WallLoad& load = loads[wall_impulse->wall];
    load.force += force;
    load.torque +=
        (wall_impulse->position - poses[wall_impulse->wall].CurrentCentre()).cross(force);
    load.torque += wall_impulse->moment / dt;
  }
}

}  // namespace scree
