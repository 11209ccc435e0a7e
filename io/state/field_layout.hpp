/// \file  How the values of a particle's field lie in a file.
#pragma once

#include <cstddef>

#include "engine/particles/particles.hpp"
#include "solvers/types.hpp"

namespace scree {

/// A field's element is kColumns numbers of type Value, or a single one where that is zero.
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

}  // namespace scree
