/// \file  The particles of one rank: one array per quantity, owned particles first, then ghosts.
///
///     index    0 ........ owned-1 | owned ........ Size()-1
///              owned, sorted      | ghosts: copies of other ranks' particles, or periodic images
///              along cells        | of owned particles, in the order of the halo's plan
///
/// `kParticleFields` is the only list of the fields. Resizing, sorting, halo, migration, snapshots,
/// the snapshot index, checkpoints, `output.fields` and memory estimates all iterate over it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/geometry/clump_shape.hpp"
#include "engine/geometry/quaternion.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// Which copies of a particle have a field. All fields migrate with the particle. Between
/// migrations ghosts need no messages, because they and their originals move by the same arithmetic
/// on the same bits; only ghosts that are moving images need messages (GatherMotion).
enum class FieldScope {
  kOwnedOnly,  // owned particles only; ghosts hold default values
  kWithGhosts  // sent once, when the ghost is made
};

enum class TimeDependence {
  kVarying,  // an H5MD element with step and time
  kConstant  // a plain dataset
};

/// How to read a file that lacks the field.
enum class IfFieldMissing {
  kIsAnError,  // the field is required
  kIsDefault   // older files lack the field, which then gets its default value
};

/// Description of a field. Type and shape follow from its array.
struct Field {
  const char* name;  // in scenes and files
  const char* unit;  // in files, in H5MD notation; empty: dimensionless
  FieldScope scope;
  TimeDependence time_dependence;
  int code;  // number in checkpoints; it must never be changed or reused
  IfFieldMissing if_missing = IfFieldMissing::kIsAnError;
};

struct Particles {
  std::vector<Vec3> position;          // of ghosts: the owner's value, not shifted (Halo) [m]
  std::vector<Vec3> velocity;          // [m/s]
  std::vector<Vec3> angular_velocity;  // world axes [rad/s]
  std::vector<Quaternion>
      orientation;             // unit length; ghost spheres keep the value of the last rebuild
  std::vector<double> radius;  // of a sphere, or the bounding radius of a clump [m]
  std::vector<ParticleId> id;
  std::vector<MaterialId> material;
  std::vector<ShapeId> shape;
  std::vector<double> velocity_change;  // ‖v' − v‖ of the last step, dt g included [m/s]

  std::size_t owned = 0;  // the first `owned` entries of every array belong to this rank

  std::size_t Size() const { return id.size(); }
};

/// All fields with their arrays, in the order used in messages and files.
inline constexpr auto kParticleFields = [] {
  using enum FieldScope;
  using enum TimeDependence;
  return std::tuple{
      std::pair{Field{"position", "m", kWithGhosts, kVarying, 1}, &Particles::position},
      std::pair{Field{"velocity", "m s-1", kWithGhosts, kVarying, 2}, &Particles::velocity},
      std::pair{Field{"angular_velocity", "rad s-1", kWithGhosts, kVarying, 3},
                &Particles::angular_velocity},
      std::pair{Field{"orientation", "", kWithGhosts, kVarying, 4}, &Particles::orientation},
      std::pair{Field{"radius", "m", kWithGhosts, kConstant, 5}, &Particles::radius},
      std::pair{Field{"id", "", kWithGhosts, kConstant, 6}, &Particles::id},
      std::pair{Field{"material", "", kWithGhosts, kConstant, 7}, &Particles::material},
      std::pair{Field{"shape", "", kWithGhosts, kConstant, 8, IfFieldMissing::kIsDefault},
                &Particles::shape},
      std::pair{
          Field{"velocity_change", "m s-1", kWithGhosts, kVarying, 9, IfFieldMissing::kIsDefault},
          &Particles::velocity_change},
  };
}();

static_assert(sizeof(Particles) ==
                  std::tuple_size_v<decltype(kParticleFields)> * sizeof(std::vector<Vec3>) +
                      sizeof(std::size_t),
              "an array of Particles is not in kParticleFields, or an entry has no array");

/// Whether no array, name or code occurs twice and all codes are bit numbers of SnapshotFormat.
consteval bool AreFieldsDistinct() {
  constexpr int kLargestCode = 62;
  const auto matches = []<class A, class B>(const A& a, const B& b) {
    bool equal = std::string_view(a.first.name) == b.first.name || a.first.code == b.first.code;
    if constexpr (std::same_as<A, B>) equal = equal || a.second == b.second;
    return equal;
  };
  int match_count = 0, field_count = 0;
  bool in_range = true;
  const auto check = [&](const auto& entry) {
    std::apply([&](const auto&... other) { ((match_count += matches(entry, other)), ...); },
               kParticleFields);
    in_range = in_range && entry.first.code >= 1 && entry.first.code <= kLargestCode;
    ++field_count;
  };
  std::apply([&](const auto&... entry) { (check(entry), ...); }, kParticleFields);
  return in_range && match_count == field_count;  // each field matches itself
}
static_assert(AreFieldsDistinct(),
              "kParticleFields repeats an array, a name or a code, or a code is no bit number");

/// Calls visit(field, array) for every field in a fixed order. For several sets of particles it
/// calls visit(field, array of the first set, array of the second set, ...).
template <class Visit, class... ParticlesTypes>
void ForEachFieldOf(Visit&& visit, ParticlesTypes&... particles) {
  const auto call = [&](const Field& field, auto array) { visit(field, particles.*array...); };
  std::apply([&](const auto&... entry) { (call(entry.first, entry.second), ...); },
             kParticleFields);
}
template <class ParticlesType, class Visit>
void ForEachField(ParticlesType& particles, Visit&& visit) {
  ForEachFieldOf(visit, particles);
}

/// Type of one particle's entry in an array.
template <class Array>
using ElementOf = typename std::remove_cvref_t<Array>::value_type;

/// Size of one particle in all arrays, and in files of full precision [bytes].
inline constexpr std::size_t kBytesPerParticle = std::apply(
    [](const auto&... entry) {
      return (sizeof(ElementOf<decltype(std::declval<Particles>().*entry.second)>) + ...);
    },
    kParticleFields);

/// Default value of a field: zero, and the identity for orientations.
template <class Element>
Element DefaultElement() {
  if constexpr (std::same_as<Element, Vec3>) {
    return Vec3::Zero();  // Eigen's default constructor leaves memory uninitialised
  } else {
    return Element{};
  }
}

/// Id of a removed particle until the arrays are compacted. Until then the particle is far away
/// from all others, so contact detection needs no test for it.
inline constexpr ParticleId kRemovedId = -1;

/// Changes the length of every array; new entries have default values.
inline void Resize(Particles& particles, std::size_t size) {
  ForEachField(particles, [size](const Field&, auto& array) {
    array.resize(size, DefaultElement<ElementOf<decltype(array)>>());
  });
}

inline void Append(Particles& particles, const Particles& more) {
  ForEachFieldOf([](const Field&, auto& array,
                    const auto& added) { array.insert(array.end(), added.begin(), added.end()); },
                 particles, more);
}

/// One scratch array per type of field, reused for sorting the fields one after the other.
using SpareArrays = std::tuple<std::vector<Vec3>, std::vector<Quaternion>, std::vector<double>,
                               std::vector<ParticleId>, std::vector<Index>>;

/// Rearranges the arrays to contain exactly these particles in this order. All of them are owned
/// afterwards. Capacities do not change.
/// @param order  indices into the current arrays, each at most once
inline void Select(Particles& particles, std::span<const Index> order, SpareArrays& spare) {
  ForEachField(particles, [&](const Field&, auto& array) {
    auto& selected = std::get<std::remove_cvref_t<decltype(array)>>(spare);
    selected.reserve(array.capacity());
    selected.resize(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      selected[k] = array[static_cast<std::size_t>(order[k])];
    }
    array.swap(selected);
  });
  particles.owned = order.size();
}
inline void Select(Particles& particles, std::span<const Index> order) {
  SpareArrays spare;
  Select(particles, order, spare);
}

/// Removes all particles except these.
/// @param kept  ascending indices; all of them are owned afterwards
inline void Keep(Particles& particles, std::span<const Index> kept) {
  std::size_t first = 0;  // the first particle that moves
  while (first < kept.size() && static_cast<std::size_t>(kept[first]) == first) ++first;
  ForEachField(particles, [kept, first](const Field&, auto& array) {
    for (std::size_t k = first; k < kept.size(); ++k)
      array[k] = array[static_cast<std::size_t>(kept[k])];
    array.resize(kept.size());
  });
  particles.owned = kept.size();
}

}  // namespace scree
