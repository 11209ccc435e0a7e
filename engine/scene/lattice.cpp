#include "engine/scene/lattice.hpp"

#include <cmath>

namespace scree {

std::array<std::int64_t, 3> Lattice::Sites() const {
  const Box bounds = BoundsOf(region);
  constexpr double kRounding = 1e-9;  // in spacings: 0.065 / 0.001 is not exactly 65
  std::array<std::int64_t, 3> sites;
  for (int axis = 0; axis < 3; ++axis) {
    sites[static_cast<std::size_t>(axis)] = static_cast<std::int64_t>(
        std::floor((bounds.upper[axis] - bounds.lower[axis]) / spacing + kRounding));
  }
  return sites;
}

Vec3 LatticeSite(const Lattice& lattice, const std::array<std::int64_t, 3>& site) {
  const Vec3 number(static_cast<double>(site[0]), static_cast<double>(site[1]),
                    static_cast<double>(site[2]));
  return BoundsOf(lattice.region).lower + lattice.spacing * (number + Vec3::Constant(0.5));
}

}  // namespace scree
