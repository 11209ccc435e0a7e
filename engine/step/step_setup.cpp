#include "engine/step/step_setup.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/geometry/shapes.hpp"
#include "engine/lists/list_reach.hpp"
#include "engine/particles/body_mass.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// The parameters of the steps. Heavy-ball momentum is switched off if some pair rebounds: an
/// impact has a few contacts, which a few plain sweeps solve. The momentum extrapolates beyond the
/// solution, which adds energy: with a restitution of 1 and 3 to 6 sweeps, several times the
/// initial energy. Even with 10 sweeps the error is larger than without momentum
/// (tests/physics/few_sweeps_test).
StepParameters ParametersFor(const Scene& scene, StepParameters parameters) {
  if (HasReboundingPair(scene.materials)) parameters.solver.momentum = 0.0;
  // Between sweeps a cell adds the change of its rates to the bodies
  // (StepCell::UpdateFromImpulses). The rates are a function of all impulses. With extrapolation,
  // bodies would start a sweep with rates that do not match the extrapolated impulses. The identity
  // V (σ − σ°) = M (D' − D)/dt would be lost, unless the sweeps also extrapolated the rates.
  if (scene.cell.HasStress()) parameters.solver.momentum = 0.0;
  return parameters;
}

/// The smallest radius of a body, estimated from the smallest member [m].
double SmallestBodyRadius(const Scene& scene, const RadiusRange& radii) {
  double fraction = scene.HasClumps() ? 0.0 : 1.0;
  for (const ClumpShape& shape : scene.clumps) fraction = std::max(fraction, shape.smallest_member);
  return std::min(radii.largest, radii.smallest / fraction);
}

/// The coarse levels of a scene, four diameters apart. The upward direction is opposite to gravity,
/// without components along periodic axes. There are no levels if the domain is too small for a
/// deep bed, or if impulses start at zero in each step, because the results of a few sweeps cannot
/// be scaled to the full impulses.
CoarseLevels LevelsOf(const Scene& scene, const StepParameters& parameters, const Domain& domain,
                      const RadiusRange& radii) {
  Vec3 up = -scene.gravity;
  for (int axis = 0; axis < 3; ++axis) {
    if (domain.periodic[static_cast<std::size_t>(axis)]) up[axis] = 0.0;
  }
  // The correction scales impulses, but those of bonds contain the constant strength of the bonds.
  const bool is_wanted =
      parameters.solver.coarse_correction && parameters.warm_start && scene.bonds.empty();
  if (!is_wanted || up == Vec3::Zero()) return {};
  if (scene.HasFreeWalls()) return {};  // the correction assumes walls that do not yield
  const double smallest = SmallestBodyRadius(scene, radii);
  // All contacts of a body must be within half a level.
  const double spacing = std::max(8.0 * std::sqrt(smallest * radii.largest), 2.5 * radii.largest);
  up /= up.norm() * spacing;
  const bool is_deep = domain.box.Extent().dot(up.cwiseAbs()) > kMinLevels;
  // If the mean velocity at some height has an error s g dt, the contacts there do not carry a
  // fraction s of the weight above. The errors of all heights add up at the top, so each of 75
  // nodes may have 1e-4.
  constexpr double kWeightFraction = 7.5e-3;
  // In a flow old impulses lose their effect within the time of a fall by a radius, so that it
  // needs no correction. In creep or vibration they keep their effect.
  constexpr double kFallFraction = 0.02;  // of √(g r): 2 mm/s for radii of 1 mm
  const double g = scene.gravity.norm();
  return {is_deep ? up : Vec3::Zero(), kWeightFraction * parameters.dt * g,
          kFallFraction * std::sqrt(g * smallest)};
}

/// Whether all active additional laws are proportional to the impulses, so that impulses can be
/// scaled.
bool AreLawsProportional(const Scene& scene) {
  bool are_proportional = true;
  const LawFlags active = scene.ActiveLaws();
  ForEachLaw([&](auto law) {
    using Law = typename decltype(law)::type;
    are_proportional = are_proportional && (Law::kGrowsWithLoad || !active[kLawIndex<Law>]);
  });
  return are_proportional;
}

struct MassRange {
  double min = std::numeric_limits<double>::infinity(), max = 0.0;  // [kg]
};

/// The range of masses of bodies of any material, with the shape first_shape or a later one.
/// @param radii  smallest radius of members, and largest radius of bodies [m]
MassRange MassesOf(const Scene& scene, const RadiusRange& radii, std::size_t first_shape) {
  MassRange range;
  for (std::size_t material = 0; material < scene.materials.Size(); ++material) {
    for (std::size_t shape = first_shape; shape <= scene.clumps.size(); ++shape) {
      const auto number = static_cast<ShapeId>(shape);
      const double fraction = shape > 0 ? scene.ClumpOf(number).smallest_member : 1.0;
      for (const double radius : {radii.smallest / fraction, radii.largest}) {
        const double mass = MassOf(scene, static_cast<MaterialId>(material), number, radius);
        range.min = std::min(range.min, mass);
        range.max = std::max(range.max, mass);
      }
    }
  }
  return range;
}

ImpulseScaling ScalingOf(const Scene& scene, const StepParameters& parameters,
                         const RadiusRange& radii) {
  const auto [min, max] = MassesOf(scene, radii, 0);
  // Bodies in mixtures with mass ratios of a hundred or a thousand do not count as heavy: their
  // impulses never settle in a flow, and sweeps alone bring a bed of them to rest.
  constexpr double kFarHeavier = 1e4;
  return {parameters.warm_start && AreLawsProportional(scene), min, max > kFarHeavier * min};
}

/// Loaded contacts of clumps count as closed if their gap is at most this fraction of the slop.
/// Otherwise the bias ξ/dt would let stored velocities close the whole gap in one step, and rocking
/// towers of clumps would for ever open and close loaded contacts by less than this gap
/// (solvers/README.md, Overlaps and rest). With a much larger fraction, contacts without a load
/// would stay open next to loaded contacts. (For polyhedra the gap is the whole slop: a rocking
/// block opens its corners farther, and a body on a face has further contacts.)
constexpr double kHeldGapFraction = 0.1;

/// A copy of a scene with a cell; null without a cell. The domain of the copy deforms, and rounds
/// velocities to 2⁻⁴⁰ of the speed of its periodic images.
std::shared_ptr<Scene> CopyWithCell(const Scene& scene, const RadiusRange& radii) {
  if (!scene.cell.IsActive()) return nullptr;
  auto copy = std::make_shared<Scene>(scene);
  constexpr int kDigits = 40;
  const double rate = CellRateScale(scene, radii.smallest);
  const double speed = rate * scene.domain.box.Extent().maxCoeff();
  if (speed > 0.0) copy->domain.velocity_quantum = std::ldexp(1.0, std::ilogb(speed) - kDigits);
  copy->domain.deforms = true;
  return copy;
}

double SkinFor(const StepParameters& parameters, double largest) {
  return parameters.skin >= 0.0 ? parameters.skin : kSkinRadii * largest;
}

/// Requires that lists reach as far as the attraction, and that the attraction does not move a body
/// across the domain in one step.
/// @throws InputError
void RequireAttraction(const Scene& scene, const StepParameters& parameters,
                       const Subdomains& subdomains, const RadiusRange& radii) {
  if (!(radii.smallest > 0.0)) return;  // no particles yet
  const double width = subdomains.WholeDomain().box.Extent().norm();
  const double max_range = std::min(width, subdomains.LargestReach() - 2.0 * radii.largest);
  const double range = scene.materials.AttractionRange(radii.largest);
  if (range > max_range) {
    throw InputError(Text("[contact] or [pair] cohesion_range is ", range,
                          " m, so that all particles would attract each other; expected at most ",
                          max_range,
                          " m, the maximum range of the neighbour lists in this domain"));
  }
  const double force = scene.materials.MaxAttraction(radii.smallest), dt = parameters.dt;
  // With shapes, the smallest radius belongs to a member or a rounding. The lightest body is then
  // heavier than a sphere of this radius.
  const double min_mass = MassesOf(scene, radii, scene.HasClumps() ? 1 : 0).min;
  const double max_force = width / (dt * dt) * min_mass;
  if (force <= max_force) return;
  throw InputError(Text("[contact] or [pair] cohesion and adhesion pull with ", force,
                        " N, which moves the lightest body (", min_mass, " kg) by ",
                        force / min_mass * dt * dt, " m in a step of ", dt,
                        " s, farther than the domain (", width, " m); expected at most ", max_force,
                        " N, or a shorter step"));
}

/// Requires that bonds break before a displacement by the smallest radius, and that two periodic
/// images of a particle are distinguishable for each of its neighbours.
/// @throws InputError
void RequireBonds(const Scene& scene, const RadiusRange& radii) {
  if (scene.bonds.empty()) return;
  for (const BondRule& rule : scene.bonds) {
    if (rule.FailureDisplacement() <= radii.smallest) continue;
    throw InputError(Text("[bond.", rule.name, "] fracture_energy is ", rule.fracture_energy,
                          " J/m^2, so that a bond breaks at a displacement of ",
                          rule.FailureDisplacement(), " m; expected at most the smallest radius, ",
                          radii.smallest, " m. Use less energy, or more strength"));
  }
  const double min_length = 4.0 * radii.largest + 2.0 * scene.LargestBondGap();
  for (int axis = 0; axis < 3; ++axis) {
    const double length = scene.domain.box.Extent()[axis];
    if (!scene.domain.periodic[static_cast<std::size_t>(axis)] || length > min_length) continue;
    throw InputError(Text("[bond.", scene.bonds.front().name, "] needs a period of more than ",
                          min_length,
                          " m (two diameters and twice the gap), but the domain repeats "
                          "along ",
                          "xyz"[axis], " after ", length,
                          " m; expected a longer domain, or no period along this axis"));
  }
}

}  // namespace

StepSetup::StepSetup(const Communicator& run_communicator, const Scene& run_scene,
                     const StepParameters& run_parameters, const Subdomains& run_subdomains,
                     const RadiusRange& run_radii, std::int64_t run_initial_count)
    : communicator(run_communicator),
      deforming_scene(CopyWithCell(run_scene, run_radii)),
      scene(deforming_scene != nullptr ? *deforming_scene : run_scene),
      parameters(ParametersFor(run_scene, run_parameters)),
      sweeps(parameters.solver.sweeps),
      base(parameters.dt),
      scheme(RequirementsOf(parameters.solver)),
      subdomains(run_subdomains),
      radii(run_radii),
      initial_count(run_initial_count),
      friction(scene.materials),
      restitution(scene, parameters.dt, TouchingGap(radii.smallest)),
      scaling(ScalingOf(scene, parameters, radii)),
      limits(MakeStepLimits(scene, parameters, radii)),
      has_clumps(scene.HasClumps()) {
  SetStride(1);
  SCREE_DEMAND(subdomains.Count() == communicator.Size());
  SCREE_DEMAND(!has_clumps || parameters.solver.kernel != Kernel::kSphere);
  for (const Wall& wall : scene.walls) SCREE_DEMAND(IsLoaded(wall.shape));
  // Moving images exclude walls, pistons and rains, whose images would have to move too.
  SCREE_DEMAND(!scene.domain.HasMeanFlow() ||
               (scene.walls.empty() && scene.pistons.empty() && scene.rains.empty() &&
                scene.gravity == Vec3::Zero()));
  RequireMinWidth(subdomains, parameters, radii.largest);
  RequireAttraction(scene, parameters, subdomains, radii);
  RequireBonds(scene, radii);
}

bool StepSetup::NeedsSameLists() const {
  return scheme.ghost_contacts && std::ranges::count(scene.domain.periodic, true) > 0;
}

void StepSetup::PlaceCell(const CellState& cell) {
  if (deforming_scene != nullptr) deforming_scene->domain = DomainOf(deforming_scene->domain, cell);
}

void StepSetup::PlaceSubdomains(std::int64_t step) {
  if (deforming_scene == nullptr) return subdomains.MoveImages(TimeOf(step));
  const Cuts cuts = subdomains.Description();
  subdomains = Subdomains(
      scene.domain, cuts.IsGrid() ? cuts.grid : SmallestHaloGrid(scene.domain, subdomains.Count()));
  try {
    RequireMinWidth(subdomains, parameters, radii.largest);
  } catch (const InputError& error) {
    throw SimulationError(Text("the cell has become too small: ", error.what()));
  }
}

void StepSetup::SetStride(std::int64_t base_steps) {
  stride = base_steps;
  parameters.dt = TimeOf(stride);
  parameters.solver.sweeps = SweepsOf(limits, sweeps, parameters.dt);
  restitution.SetStep(scene, parameters.dt);
  rule = RuleOfStep(parameters.dt);
  correction_speed = parameters.max_correction_speed >= 0.0 ? parameters.max_correction_speed
                                                            : 0.1 * radii.smallest / parameters.dt;
  projection = {.sweeps = PositionSweeps(parameters),
                .dt = parameters.dt,
                .slop = SlopOf(parameters, radii.smallest_ball),
                .fraction = parameters.error_reduction,
                .max_correction = parameters.dt * correction_speed,
                .rotates = scene.HasPolyhedra()};
  held_gap =
      scene.HasClumps() ? (scene.HasPolyhedra() ? 1.0 : kHeldGapFraction) * projection.slop : 0.0;
  coarse = LevelsOf(scene, parameters, subdomains.WholeDomain(), radii);
}

ActivationRule StepSetup::RuleOfStep(double dt) const {
  StepParameters step_parameters = parameters;
  step_parameters.dt = dt;
  const ActivationRule active_rule = WithAttraction(
      MakeActivationRule(scene, step_parameters, radii.smallest, restitution.CanRebound()),
      scene.materials.AttractionRange(radii.largest));
  return scene.bonds.empty() ? active_rule
                             : WithBonds(active_rule, scene.LargestBondGap(), radii.smallest);
}

double MinWidth(const StepParameters& parameters, double largest) {
  return 2.0 * largest + SkinFor(parameters, largest);
}

void RequireMinWidth(const Subdomains& subdomains, const StepParameters& parameters,
                     double largest) {
  subdomains.RequireWidth(MinWidth(parameters, largest), SkinFor(parameters, largest));
}

}  // namespace scree
