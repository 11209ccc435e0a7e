#include "engine/step/heavy_bodies.hpp"

#include <limits>

#include "engine/particles/body_mass.hpp"
#include "engine/step/load_search.hpp"

namespace scree {
namespace {

/// Whether a body may be so heavy against another that sweeps do not bring it to rest.
/// @param radii  of members, the smallest, and of bodies, the largest
bool MayHaveHeavyBodies(const Scene& scene, const RadiusRange& radii) {
  if (scene.HasFreeWalls()) return true;
  double least = std::numeric_limits<double>::infinity(), most = 0.0;
  for (std::size_t material = 0; material < scene.materials.Size(); ++material) {
    for (std::size_t shape = 0; shape <= scene.clumps.size(); ++shape) {
      const auto number = static_cast<ShapeId>(shape);
      const double share = shape > 0 ? scene.ClumpOf(number).smallest_member : 1.0;
      for (const double radius : {radii.smallest / share, radii.largest}) {
        const double mass = MassOf(scene, static_cast<MaterialId>(material), number, radius);
        least = std::min(least, mass);
        most = std::max(most, mass);
      }
    }
  }
  // Grains of mixtures, too, are a hundred and a thousand times as heavy as others. In a flow their
  // loads are never at rest, and a bed of such grains rests by sweeps alone.
  constexpr double kFarHeavier = 1e4;
  return most > kFarHeavier * least;
}

}  // namespace

double HeavyToleranceOf(const StepSetup& setup) {
  constexpr double kOfWeight = 1e-3;
  const StepParameters& parameters = setup.parameters;
  const bool scales = parameters.warm_start && parameters.solver.tolerance <= 0.0 &&
                      parameters.solver.scheme == Scheme::kGaussSeidel &&
                      AllLawsGrowWithLoads(setup.scene);
  if (!scales || !MayHaveHeavyBodies(setup.scene, setup.radii)) return 0.0;
  return kOfWeight * parameters.dt * setup.scene.gravity.norm();
}

LoadErrors SumOver(const Communicator& communicator, const LoadErrors& here) {
  double sums[4] = {here.work, here.heavy_work, here.heavy_load, here.energy};
  communicator.Sum(sums);
  return {sums[0], sums[1], sums[2], sums[3]};
}

}  // namespace scree
