/// \file  A lattice of positions for new particles.
#pragma once

#include <array>
#include <cstdint>

#include "engine/geometry/region.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// A cubic lattice with sites at lower + (i + 1/2) spacing that lie inside the region.
struct Lattice {
  Region region;
  double spacing = 0.0;  // [m], > 0

  /// Number of sites along each axis of the region's bounds. A width of n spacings, to
  /// rounding, has exactly n sites.
  std::array<std::int64_t, 3> Sites() const;
};

/// Centre of site (i, j, k) [m].
Vec3 LatticeSite(const Lattice& lattice, const std::array<std::int64_t, 3>& site);

}  // namespace scree
