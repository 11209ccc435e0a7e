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
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "solvers/types.hpp"

namespace scree {

/// Unit quaternion (w, x, y, z): rotates body axes to world axes.
struct Quaternion {
  double w = 1.0, x = 0.0, y = 0.0, z = 0.0;
  friend bool operator==(const Quaternion&, const Quaternion&) = default;
};

/// Which copies of a particle have a field. All fields move with the particle when its owner
/// changes; afterwards ghosts need no messages, because they are moved by the same arithmetic on
/// the same bits as their owner's copy.
enum class Travels {
  kWithOwner,  // owned particles only; ghosts hold default values
  kToGhosts    // sent once when a ghost is made
};

struct Particles {
  std::vector<Vec3> position;           // of the owner's periodic image, for ghosts too [m]
  std::vector<Vec3> velocity;           // [m/s]
  std::vector<Vec3> angular_velocity;   // world axes [rad/s]
  std::vector<Quaternion> orientation;  // unit length
  std::vector<double> radius;           // [m]
  std::vector<ParticleId> id;
  std::vector<MaterialId> material;

  std::size_t owned = 0;  // the first `owned` entries of every array are this rank's

  std::size_t Size() const { return id.size(); }
};

/// Calls visit(name, travels, array) for every field, always in the same order; of several sets of
/// particles visit(name, travels, array of the first, array of the second, ...).
template <class Visit, class... ParticlesTypes>
void ForEachFieldOf(Visit&& visit, ParticlesTypes&... particles) {
  visit("position", Travels::kToGhosts, particles.position...);
  visit("velocity", Travels::kToGhosts, particles.velocity...);
  visit("angular_velocity", Travels::kToGhosts, particles.angular_velocity...);
  visit("orientation", Travels::kWithOwner, particles.orientation...);
  visit("radius", Travels::kToGhosts, particles.radius...);
  visit("id", Travels::kToGhosts, particles.id...);
  visit("material", Travels::kToGhosts, particles.material...);
}
template <class ParticlesType, class Visit>
void ForEachField(ParticlesType& particles, Visit&& visit) {
  ForEachFieldOf(visit, particles);
}

/// What is left of a particle that flowed out until the arrays are next compacted: this id, far
/// away from everything. Detection then needs no test for it.
inline constexpr ParticleId kGone = -1;

/// Changes the length of every array; new entries have default values.
inline void Resize(Particles& particles, std::size_t size) {
  ForEachField(particles, [size](const char*, Travels, auto& field) { field.resize(size); });
}

/// Rearranges the arrays to hold exactly the particles named, in that order, as owned ones.
/// @param order  indices into the present arrays, none twice
/// @param spare  memory to use; is left with the old arrays
inline void Select(Particles& particles, std::span<const Index> order, Particles& spare) {
  const auto select = [order](const char*, Travels, const auto& field, auto& selected) {
    selected.resize(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      selected[k] = field[static_cast<std::size_t>(order[k])];
    }
  };
  ForEachFieldOf(select, particles, spare);
  std::swap(particles, spare);
  particles.owned = order.size();
}
inline void Select(Particles& particles, std::span<const Index> order) {
  Particles spare;
  Select(particles, order, spare);
}

/// Drops all particles but those named.
/// @param kept  indices in ascending order
inline void Keep(Particles& particles, std::span<const Index> kept) {
  ForEachField(particles, [kept](const char*, Travels, auto& field) {
    for (std::size_t k = 0; k < kept.size(); ++k)
      field[k] = field[static_cast<std::size_t>(kept[k])];
    field.resize(kept.size());
  });
  particles.owned = kept.size();
}

}  // namespace scree
