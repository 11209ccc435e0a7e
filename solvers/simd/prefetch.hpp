/// \file  Prefetches cache lines that a loop will change, where the hardware prefetcher does not
///        predict them.
#pragma once

#include <cstddef>

#include "solvers/simd/simd.hpp"

namespace scree {

/// Prefetches all lines of an object. (Inlining is forced, because GCC removes calls of a function
/// that only prefetches.)
template <class Object>
SCREE_INLINE void PrefetchToWrite(const Object* object) {
  const auto* start = reinterpret_cast<const std::byte*>(object);
  for (std::size_t line = 0; line < sizeof(Object); line += 64) {
    __builtin_prefetch(start + line, 1);
  }
}

}  // namespace scree
