#include "engine/observation/observables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/contacts/detected_contact.hpp"

namespace scree {
Observables Observe(const Communicator& communicator, const Particles& particles,
                    const std::vector<double>& inverse_masses,
                    std::span<const DetectedContact> contacts, const std::vector<Vec3>& impulses,
                    double closed_gap, std::size_t first_wall, std::vector<WallLoad> wall_loads,
                    std::span<const ClumpShape> clumps, std::span<const Vec3> velocities) {
  // Particles; contacts: all, closed, loaded, open, closed with a wall.
  std::array<std::int64_t, 6> counts = {};
  std::vector<double> sums(4, 0.0);    // energy, velocity; then the loads of the walls
  std::array<double, 2> largest = {};  // penetration, speed

  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    const Vec3& stored = particles.velocity[i];
    const Vec3& v = velocities.empty() ? stored : velocities[i];
    ++counts[0];
    sums[0] += KineticEnergyOf(particles, i, inverse_masses[i], clumps);
    if (!velocities.empty()) sums[0] += 0.5 * (v - stored).dot(v + stored) / inverse_masses[i];
    for (std::size_t axis = 0; axis < 3; ++axis) sums[1 + axis] += v[static_cast<int>(axis)];
    largest[1] = std::max(largest[1], v.norm());
  }
  for (std::size_t j = 0; j < contacts.size(); ++j) {
    const DetectedContact& contact = contacts[j];
    const bool is_closed = contact.gap <= closed_gap;
    const bool with_wall = static_cast<std::size_t>(contact.b) >= first_wall;
    counts[1] += 1;
    counts[2] += is_closed;
    const bool is_loaded = impulses[j].dot(contact.normal) > 0.0;
    counts[3] += is_loaded;
    counts[4] += is_loaded && !is_closed;
    counts[5] += is_closed && with_wall;
    largest[0] = std::max(largest[0], -contact.gap);
  }
  for (const WallLoad& load : wall_loads) {
    sums.insert(sums.end(), load.force.begin(), load.force.end());
    sums.insert(sums.end(), load.torque.begin(), load.torque.end());
  }
  communicator.Sum(counts);
  communicator.Sum(sums);
  communicator.Max(largest);

  Observables observed;
  observed.particles = counts[0];
  observed.contacts = counts[1];
  observed.closed_contacts = counts[2];
  observed.loaded_contacts = counts[3];
  observed.open_contacts = counts[4];
  observed.wall_contacts = counts[5];
  observed.kinetic_energy = sums[0];
  if (counts[0] > 0) {
    observed.mean_velocity = Vec3(sums[1], sums[2], sums[3]) / static_cast<double>(counts[0]);
  }
  for (std::size_t w = 0; w < wall_loads.size(); ++w) {
    const double* sum = sums.data() + 4 + 6 * w;
    wall_loads[w] = {Vec3(sum[0], sum[1], sum[2]), Vec3(sum[3], sum[4], sum[5])};
  }
  observed.wall_loads = std::move(wall_loads);
  observed.max_penetration = largest[0];
  observed.max_speed = largest[1];
  return observed;
}

}  // namespace scree
