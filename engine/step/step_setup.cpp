#include "engine/step/step_setup.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/geometry/shapes.hpp"
#include "engine/lists/list_reach.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

/// Whether loads can be corrected: those of spheres between walls that do not give way, unless they
/// begin with nothing in each step, as what few sweeps make of them cannot be scaled to the rest.
bool CanCorrectLoads(const Scene& scene, const StepParameters& parameters) {
  return parameters.warm_start && !scene.HasClumps() && !scene.HasFreeWalls();
}

/// Where loads come from: gravity, and planes that advance.
std::vector<Vec3> SourcesOfLoads(const Scene& scene, const SolverParameters& solver) {
  std::vector<Vec3> sources;
  if (solver.coarse_correction) sources.push_back(-scene.gravity);
  if (!solver.push_correction) return sources;
  for (const Wall& wall : scene.walls) sources.push_back(wall.PushDirection());
  return sources;
}

/// The directions in which loads are corrected, with levels four diameters apart: from where they
/// come, along the axes that have two ends, where the domain has room for a deep bed. Walls that
/// push in nearly the same direction share one.
std::vector<CoarseLevels> LevelsOf(const Scene& scene, const StepParameters& parameters,
                                   const Domain& domain, const RadiusRange& radii) {
  std::vector<CoarseLevels> all;
  if (!CanCorrectLoads(scene, parameters)) return all;
  // All contacts of a body must be within half a level.
  const double spacing =
      std::max(8.0 * std::sqrt(radii.smallest * radii.largest), 2.5 * radii.largest);
  // An error of the mean velocity in a step is one of the weight in the same share.
  constexpr double kOfWeight = 1e-4;
  const double tolerance = kOfWeight * parameters.dt * scene.gravity.norm();
  for (Vec3 up : SourcesOfLoads(scene, parameters.solver)) {
    for (int axis = 0; axis < 3; ++axis) {
      if (domain.periodic[static_cast<std::size_t>(axis)]) up[axis] = 0.0;
    }
    if (up == Vec3::Zero()) continue;
    up /= up.norm() * spacing;
    constexpr double kSame = 0.9;  // cosine of the angle between two
    const bool is_new = std::ranges::none_of(all, [&](const CoarseLevels& other) {
      return std::abs(other.up.dot(up)) > kSame * up.squaredNorm();
    });
    const bool has_room = domain.box.Extent().dot(up.cwiseAbs()) > kFewestLevels;
    if (is_new && has_room) all.push_back({up, tolerance});
  }
  return all;
}

}  // namespace

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
      rule(WithAttraction(
          MakeParticipationRule(scene, parameters, radii.smallest, restitution.Any()),
          scene.materials.AttractionRange(radii.largest))),
      correction_speed(parameters.max_correction_speed >= 0.0
                           ? parameters.max_correction_speed
                           : 0.1 * radii.smallest / parameters.dt),
      projection{.sweeps = PositionSweeps(parameters),
                 .dt = parameters.dt,
                 .slop = SlopOf(parameters, radii.smallest),
                 .share = parameters.error_reduction,
                 .most = parameters.dt * correction_speed},
      coarse(LevelsOf(scene, parameters, subdomains.WholeDomain(), radii)),
      has_clumps(scene.HasClumps()) {
  SCREE_DEMAND(subdomains.Count() == communicator.Size());
  SCREE_DEMAND(!HasClumps() || parameters.solver.kernel != Kernel::kSphere);
  for (const Wall& wall : scene.walls) SCREE_DEMAND(IsLoaded(wall.shape));
  // What has a place of its own would have to move with each image.
  SCREE_DEMAND(!scene.domain.shear.Acts() ||
               (scene.walls.empty() && scene.pistons.empty() && scene.rains.empty() &&
                scene.gravity == Vec3::Zero()));
  subdomains.DemandWidth(LeastWidth(parameters, radii.largest));
}

double LeastWidth(const StepParameters& parameters, double largest) {
  const double skin = parameters.skin >= 0.0 ? parameters.skin : kSkinRadii * largest;
  return 2.0 * largest + skin;
}

}  // namespace scree
