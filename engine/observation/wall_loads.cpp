#include "engine/observation/wall_loads.hpp"

#include "engine/contacts/contact_partner.hpp"
#include "engine/contacts/detected_contact.hpp"
#include "engine/contacts/wall_impulse.hpp"

namespace scree {

void FindWallLoads(const Particles& particles, const ContactSpan& contacts,
                   std::span<const WallBody> bodies, std::span<const WallPose> poses,
                   const ContactBatches& batches, double dt, std::vector<WallLoad>& loads) {
  const ContactBodies numbers(particles, bodies);
  loads.assign(poses.size(), {});
  for (std::size_t j = 0; j < contacts.size(); ++j) {
    const DetectedContact& contact = contacts[j];
    if (!numbers.IsWall(contact.b)) continue;
    const auto a = static_cast<std::size_t>(contact.a);
    const WallBody& wall = numbers.WallOf(contact.b);
    const auto w = static_cast<std::size_t>(wall.wall);
    // The shares of clumps are lengths.
    const double radius = contacts.geometry.empty() ? particles.radius[a] : 1.0;
    const Wrench on_a = WrenchOnA(batches, j, radius);
    const Vec3 force = -on_a.impulse / dt;
    const Vec3 place =
        particles.position[a] + contacts.GeometryOf(j, particles).arms.a - wall.shift;
    loads[w].force += force;
    loads[w].torque += (place - poses[w].CentreNow()).cross(force);
    loads[w].torque -= on_a.angular / dt;
  }
}

}  // namespace scree
