#include "engine/step/restart_point.hpp"

#include "engine/particles/inflow.hpp"

namespace scree {

void RefreshGhosts(const Communicator& communicator, Halo& halo, Particles& particles) {
  ForEachField(particles, [&](const Field& field, auto& array) {
    if (field.travels == Travels::kToGhosts) halo.plan.Gather(communicator, std::span(array));
  });
  // Each copy of a gone particle waits at a place of its own.
  for (std::size_t g = particles.owned; g < particles.Size(); ++g) {
    if (particles.id[g] == kGone) Park(particles, g);
  }
}

}  // namespace scree
