/// \file  Prefetches cache lines that a loop will change and that the processor does not predict.
#pragma once

#include <cstddef>

#include "solvers/simd/simd.hpp"

namespace scree {

/// All lines of an object. (Inlined by force: a call that only prefetches has no effect for GCC,
/// which takes it away.)
template <class Object>
SCREE_INLINE void PrefetchToWrite(const Object* object) {
  const auto* start = reinterpret_cast<const std::byte*>(object);
  for (std::size_t line = 0; line < sizeof(Object); line += 64) {
    __builtin_prefetch(start + line, 1);
  }
}

}  // namespace scree
