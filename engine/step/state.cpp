#include "engine/step/state.hpp"

#include <algorithm>

#include "engine/geometry/periodic_images.hpp"
#include "solvers/sweeps/scheme.hpp"

namespace scree {

State& InitialiseOwned(State& state, const Scene& scene, const StepParameters& parameters) {
  state.particles.owned = state.particles.Size();
  RoundVelocities(scene, parameters, state.particles);
  state.rains.resize(scene.rains.size());
  for (std::size_t r = 0; r < scene.rains.size(); ++r) {
    state.rains[r].masses.resize(std::max<std::size_t>(scene.rains[r].grain.mixture.size(), 1));
  }
  state.free_walls.resize(scene.FreeRows());
  if (scene.cell.IsActive()) StartCell(scene.cell, scene.domain.box, state.cell);
  return state;
}

void RoundVelocities(const Scene& scene, const StepParameters& parameters, Particles& particles) {
  if (!RequirementsOf(parameters.solver).ghost_contacts) return;
  const PeriodicImages images(scene.domain);
  for (Vec3& v : particles.velocity) v = images.Rounded(v);
}

std::int64_t CountLive(const Particles& particles) {
  const auto owned_end = particles.id.begin() + static_cast<std::ptrdiff_t>(particles.owned);
  return owned_end - particles.id.begin() - std::count(particles.id.begin(), owned_end, kRemovedId);
}

}  // namespace scree
