#include "engine/step/step_setup.hpp"

#include "engine/geometry/shapes.hpp"
#include "engine/lists/list_reach.hpp"
#include "solvers/check.hpp"

namespace scree {

StepSetup::StepSetup(const Communicator& its_communicator, const Scene& its_scene,
                     const StepParameters& its_parameters, const Subdomains& its_subdomains,
                     const RadiusRange& its_radii)
    : communicator(its_communicator),
      scene(its_scene),
      parameters(its_parameters),
      scheme(NeedsOf(parameters.solver)),
      subdomains(its_subdomains),
      radii(its_radii),
      restitution(scene, parameters.dt),
      rule(MakeParticipationRule(scene, parameters, radii.smallest, restitution.Any())),
      correction_speed(parameters.max_correction_speed >= 0.0
                           ? parameters.max_correction_speed
                           : 0.1 * radii.smallest / parameters.dt),
      projection{.sweeps = PositionSweeps(parameters),
                 .dt = parameters.dt,
                 .slop = SlopOf(parameters, radii.smallest),
                 .share = parameters.error_reduction,
                 .most = parameters.dt * correction_speed} {
  SCREE_DEMAND(subdomains.Count() == communicator.Size());
  for (const Wall& wall : scene.walls) SCREE_DEMAND(IsLoaded(wall.shape));
  const double skin = parameters.skin >= 0.0 ? parameters.skin : kSkinRadii * radii.largest;
  subdomains.DemandWidth(2.0 * radii.largest + skin);
}

}  // namespace scree
