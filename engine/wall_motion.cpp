#include "engine/wall_motion.hpp"

#include <cmath>

#include "solvers/check.hpp"

namespace scree {

std::int64_t StepsPerLayer(const Scene& scene, double dt) {
  SCREE_DEMAND(scene.inflow.has_value());
  const double diameter = 2.0 * scene.inflow->grain.radius;
  const double per_step = dt * scene.walls[scene.inflow->piston].velocity.norm();
  constexpr double kRounding = 1e-9;  // of a step: 0.94 mm / (1 m/s 10 us) is not quite 94
  return static_cast<std::int64_t>(std::ceil(diameter / per_step - kRounding));
}

void WallDisplacements(const Scene& scene, double dt, std::int64_t step,
                       std::vector<Vec3>& displacements) {
  displacements.clear();
  for (std::size_t w = 0; w < scene.walls.size(); ++w) {
    const bool is_piston = scene.inflow && scene.inflow->piston == w;
    const std::int64_t steps = is_piston ? step % StepsPerLayer(scene, dt) : step;
    displacements.push_back(scene.walls[w].velocity * (dt * static_cast<double>(steps)));
  }
}

}  // namespace scree
