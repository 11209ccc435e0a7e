#include "engine/ranks/coarse_exchange.hpp"

namespace scree {

void CoarseExchange::AddGhosts(std::span<BasisImpulses> bodies) {
  if (plan_.IsEmpty()) return;
  const auto of_ghost = [&](Index ghost) {
    const BasisImpulses& loads = bodies[static_cast<std::size_t>(ghost)];
    return Loads{
        {loads.of[0].v, loads.of[0].u, loads.of[1].v, loads.of[1].u, loads.of[2].v, loads.of[2].u}};
  };
  const auto add = [&](Index owned, const Loads& more) {
    BasisImpulses& loads = bodies[static_cast<std::size_t>(owned)];
    for (std::size_t k = 0; k < 3; ++k) {
      loads.of[k].v += more.impulses[2 * k];
      loads.of[k].u += more.impulses[2 * k + 1];
    }
  };
  plan_.ScatterAdd<Loads>(communicator_, of_ghost, add);
}

}  // namespace scree
