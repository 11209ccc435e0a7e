/// \file  The particles of one rank: one array per quantity, owned ones first, then ghosts.
///
///     index    0 ........ owned-1 | owned ........ Size()-1
///              owned, sorted      | ghosts: copies of other ranks' particles (or of periodic
///              along cells        | images of our own), in the order of the halo's plan
///
/// `ForEachField` is the only list of the fields: resizing, halo, migration, snapshots and
/// checkpoints all walk it, so a new field is added here and nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solvers/types.hpp"

namespace scree {

/// Unit quaternion (w, x, y, z): rotates body axes to world axes.
struct Quaternion {
  double w = 1.0, x = 0.0, y = 0.0, z = 0.0;
  friend bool operator==(const Quaternion&, const Quaternion&) = default;
};

/// When a field travels to the ranks that hold a ghost of the particle. All fields travel with
/// the particle when it changes its owner.
enum class Travels {
  kWithOwner,     // never to ghosts
  kToNewGhosts,   // once, when the ghost is made
  kAtEveryGather  // whenever owners refresh their ghosts
};

struct Particles {
  std::vector<Vec3> position;            // of the owner's image, world axes [m]
  std::vector<Vec3> velocity;            // [m/s]
  std::vector<Vec3> angular_velocity;    // world axes [rad/s]
  std::vector<Quaternion> orientation;   // unit length
  std::vector<double> radius;            // [m]
  std::vector<ParticleId> id;
  std::vector<MaterialId> material;

  std::size_t owned = 0;  // the first `owned` entries of every array are this rank's

  std::size_t Size() const { return id.size(); }
};

/// Calls visit(name, travels, array) for every field, always in the same order.
template <class ParticlesType, class Visit>
void ForEachField(ParticlesType& particles, Visit&& visit) {
  visit("position", Travels::kAtEveryGather, particles.position);
  visit("velocity", Travels::kAtEveryGather, particles.velocity);
  visit("angular_velocity", Travels::kAtEveryGather, particles.angular_velocity);
  visit("orientation", Travels::kWithOwner, particles.orientation);
  visit("radius", Travels::kToNewGhosts, particles.radius);
  visit("id", Travels::kToNewGhosts, particles.id);
  visit("material", Travels::kToNewGhosts, particles.material);
}

/// Changes the length of every array; new entries have default values.
inline void Resize(Particles& particles, std::size_t size) {
  ForEachField(particles, [size](const char*, Travels, auto& field) { field.resize(size); });
}

}  // namespace scree
