/// \file  Where walls are: a function of the step number alone, so that nothing drifts and nothing
///        needs to be stored.
#pragma once

#include <vector>

#include "engine/scene.hpp"
#include "solvers/types.hpp"

namespace scree {

/// Steps in which the piston travels one diameter, rounded up: the layers of the inflow are that
/// many steps apart.
std::int64_t StepsPerLayer(const Scene& scene, double dt);

/// Distance of each wall from its place at time zero, at the beginning of step `step` [m].
void WallDisplacements(const Scene& scene, double dt, std::int64_t step,
                       std::vector<Vec3>& displacements);
inline std::vector<Vec3> WallDisplacements(const Scene& scene, double dt, std::int64_t step) {
  std::vector<Vec3> displacements;
  WallDisplacements(scene, dt, step, displacements);
  return displacements;
}

}  // namespace scree
