/// \file  The layout of particle fields in a file: type, shape and dataset of each.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "engine/particles/particles.hpp"
#include "io/files/hdf5_file.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// A field's element is kColumns numbers of type Value, or a single number if kColumns is zero.
template <class Element>
struct Layout {
  using Value = Element;
  static constexpr std::size_t kColumns = 0;
};
template <>
struct Layout<Vec3> {
  using Value = double;
  static constexpr std::size_t kColumns = 3;
};
template <>
struct Layout<Quaternion> {
  using Value = double;
  static constexpr std::size_t kColumns = 4;
};

/// A field's elements as the numbers they consist of.
template <class Element>
std::span<const typename Layout<Element>::Value> Numbers(std::span<const Element> elements) {
  using Value = typename Layout<Element>::Value;
  static_assert(sizeof(Element) % sizeof(Value) == 0);
  return {reinterpret_cast<const Value*>(elements.data()),
          elements.size() * (sizeof(Element) / sizeof(Value))};
}

/// Path of a field's dataset in a snapshot, relative to the group of particles.
inline std::string DatasetOf(const Field& field) {
  return std::string(field.name) +
         (field.time_dependence == TimeDependence::kVarying ? "/value" : "");
}

/// The shape of a field's rows in a snapshot.
template <class Element>
RowShape ShapeOf(const Field& field) {
  return {Layout<Element>::kColumns, field.time_dependence == TimeDependence::kVarying};
}

/// True if the file has no such dataset and the field then has default values.
inline bool IsMissingWithDefault(const Field& field, const Hdf5Reader& file,
                                 const std::string& dataset) {
  return field.if_missing == IfFieldMissing::kIsDefault && !file.Has(dataset);
}

}  // namespace scree
