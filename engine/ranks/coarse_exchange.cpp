#include "engine/ranks/coarse_exchange.hpp"

namespace scree {

void CoarseExchange::AddGhosts(std::span<BasisImpulses> bodies) {
  if (plan_.IsEmpty()) return;
  const auto of_ghost = [&](Index ghost) {
    const BasisImpulses& loads = bodies[static_cast<std::size_t>(ghost)];
    return Loads{{loads.by_basis[0].v, loads.by_basis[0].u, loads.by_basis[1].v,
                  loads.by_basis[1].u, loads.by_basis[2].v, loads.by_basis[2].u}};
  };
  const auto add = [&](Index owned, const Loads& more) {
    BasisImpulses& loads = bodies[static_cast<std::size_t>(owned)];
    for (std::size_t k = 0; k < 3; ++k) {
      loads.by_basis[k].v += more.impulses[2 * k];
      loads.by_basis[k].u += more.impulses[2 * k + 1];
    }
  };
  plan_.ScatterAdd<Loads>(communicator_, of_ghost, add);
}

}  // namespace scree
