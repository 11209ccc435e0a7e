/// \file  Places of lattice sites.
#pragma once

#include "engine/scene/scene.hpp"

namespace scree {

/// Centre of site (i, j, k) [m].
Vec3 LatticeSite(const Lattice& lattice, const std::array<std::int64_t, 3>& site);

}  // namespace scree
