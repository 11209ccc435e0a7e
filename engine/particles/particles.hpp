/// \file  The particles of one rank: one array per quantity, owned ones first, then ghosts.
///
///     index    0 ........ owned-1 | owned ........ Size()-1
///              owned, sorted      | ghosts: copies of other ranks' particles (or of periodic
///              along cells        | images of our own), in the order of the halo's plan
///
/// `kParticleFields` is the only list of the fields: resizing, sorting, halo, migration, snapshots,
/// their index, checkpoints, `output.fields` and estimates all walk it, so a new field is a member
/// and a line of that list, both in this file.
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

/// Which copies of a particle have a field. All fields move with the particle when its owner
/// changes; afterwards ghosts need no messages, because they are moved by the same arithmetic on
/// the same bits as their owner's copy.
enum class FieldScope {
  kOwnedOnly,  // owned particles only; ghosts hold default values
  kWithGhosts  // sent once when a ghost is made
};

enum class TimeDependence {
  kVarying,  // an H5MD element with step and time
  kConstant  // a plain dataset
};

/// What to make of a file without the field.
enum class IfFieldMissing {
  kIsAnError,  // a particle is nothing without it
  kIsDefault   // a file of a time before there was the field stands for default values
};

/// What all who handle particles know of a field. Its type and shape are those of its array.
struct Field {
  const char* name;  // in scenes and files
  const char* unit;  // in files, in the words of H5MD; empty: a pure number
  FieldScope travels;
  TimeDependence changes;
  int code;  // in checkpoints; lasting: never changed, never given to another field
  IfFieldMissing absent = IfFieldMissing::kIsAnError;
};

struct Particles {
  std::vector<Vec3> position;           // of the owner's periodic image, for ghosts too [m]
  std::vector<Vec3> velocity;           // [m/s]
  std::vector<Vec3> angular_velocity;   // world axes [rad/s]
  std::vector<Quaternion> orientation;  // unit length; a ghost sphere keeps that of the last list
  std::vector<double> radius;           // of a sphere, or the bounding radius of a clump [m]
  std::vector<ParticleId> id;
  std::vector<MaterialId> material;
  std::vector<ShapeId> shape;
  std::vector<double> velocity_change;  // ‖v' − v‖ of the last step, dt g included [m/s]

  std::size_t owned = 0;  // the first `owned` entries of every array are this rank's

  std::size_t Size() const { return id.size(); }
};

/// Every field with its array, in the order of messages and files.
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
              "an array of Particles is not in kParticleFields, or a line has none");

/// No array, name or code is there twice; codes are those of bits, see SnapshotFormat.
consteval bool FieldsDiffer() {
  constexpr int kLargestCode = 62;
  const auto same = []<class A, class B>(const A& a, const B& b) {
    bool equal = std::string_view(a.first.name) == b.first.name || a.first.code == b.first.code;
    if constexpr (std::same_as<A, B>) equal = equal || a.second == b.second;
    return equal;
  };
  int met = 0, fields = 0;
  bool in_range = true;
  const auto check = [&](const auto& one) {
    std::apply([&](const auto&... other) { ((met += same(one, other)), ...); }, kParticleFields);
    in_range = in_range && one.first.code >= 1 && one.first.code <= kLargestCode;
    ++fields;
  };
  std::apply([&](const auto&... one) { (check(one), ...); }, kParticleFields);
  return in_range && met == fields;  // each met itself
}
static_assert(FieldsDiffer(),
              "kParticleFields repeats an array, a name or a code, or a code is no bit");

/// Calls visit(field, array) for every field, always in the same order; of several sets of
/// particles visit(field, array of the first, array of the second, ...).
template <class Visit, class... ParticlesTypes>
void ForEachFieldOf(Visit&& visit, ParticlesTypes&... particles) {
  const auto call = [&](const Field& field, auto array) { visit(field, particles.*array...); };
  std::apply([&](const auto&... one) { (call(one.first, one.second), ...); }, kParticleFields);
}
template <class ParticlesType, class Visit>
void ForEachField(ParticlesType& particles, Visit&& visit) {
  ForEachFieldOf(visit, particles);
}

/// What one particle's entry in an array of fields is.
template <class Array>
using ElementOf = typename std::remove_cvref_t<Array>::value_type;

/// Of one particle in all arrays, and in files of full precision.
inline constexpr std::size_t kBytesPerParticle = std::apply(
    [](const auto&... one) {
      return (sizeof(ElementOf<decltype(std::declval<Particles>().*one.second)>) + ...);
    },
    kParticleFields);

/// Default values are zero, but for the orientation, which is no rotation.
template <class Element>
Element DefaultElement() {
  if constexpr (std::same_as<Element, Vec3>) {
    return Vec3::Zero();  // Eigen's own default is whatever the memory held
  } else {
    return Element{};
  }
}

/// What is left of a particle that flowed out until the arrays are next compacted: this id, far
/// away from everything. Detection then needs no test for it.
inline constexpr ParticleId kRemovedId = -1;

/// Changes the length of every array; new entries have default values.
inline void Resize(Particles& particles, std::size_t size) {
  ForEachField(particles, [size](const Field&, auto& array) {
    array.resize(size, DefaultElement<ElementOf<decltype(array)>>());
  });
}

/// Adds the particles of `more` at the end.
inline void Append(Particles& particles, const Particles& more) {
  ForEachFieldOf([](const Field&, auto& array,
                    const auto& added) { array.insert(array.end(), added.begin(), added.end()); },
                 particles, more);
}

/// One array for all fields of a type, to sort them into one after the other: memory that is used
/// again and again.
using SpareArrays = std::tuple<std::vector<Vec3>, std::vector<Quaternion>, std::vector<double>,
                               std::vector<ParticleId>, std::vector<Index>>;

/// Rearranges the arrays to hold exactly the particles named, in that order, as owned ones. Each
/// has as much room as before.
/// @param order  indices into the present arrays, none twice
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

/// Drops all particles but those named.
/// @param kept  indices in ascending order
inline void Keep(Particles& particles, std::span<const Index> kept) {
  std::size_t first = 0;  // that moves
  while (first < kept.size() && static_cast<std::size_t>(kept[first]) == first) ++first;
  ForEachField(particles, [kept, first](const Field&, auto& array) {
    for (std::size_t k = first; k < kept.size(); ++k)
      array[k] = array[static_cast<std::size_t>(kept[k])];
    array.resize(kept.size());
  });
  particles.owned = kept.size();
}

}  // namespace scree
