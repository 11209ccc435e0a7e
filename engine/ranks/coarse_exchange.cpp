#include "engine/ranks/coarse_exchange.hpp"

namespace scree {

void CoarseExchange::AddGhosts(std::span<BasisImpulses> bodies) {
  if (plan_.IsEmpty()) return;
  const auto ghost_value = [&](Index ghost) {
    const BasisImpulses& basis = bodies[static_cast<std::size_t>(ghost)];
    return BasisValues{{basis.by_basis[0].v, basis.by_basis[0].u, basis.by_basis[1].v,
                        basis.by_basis[1].u, basis.by_basis[2].v, basis.by_basis[2].u}};
  };
  const auto add = [&](Index owned, const BasisValues& ghost_values) {
    BasisImpulses& basis = bodies[static_cast<std::size_t>(owned)];
    for (std::size_t k = 0; k < 3; ++k) {
      basis.by_basis[k].v += ghost_values.impulses[2 * k];
      basis.by_basis[k].u += ghost_values.impulses[2 * k + 1];
    }
  };
  plan_.ScatterAdd<BasisValues>(communicator_, ghost_value, add);
}

}  // namespace scree
