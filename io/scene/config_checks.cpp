// Checks of the keys of a scene against each other.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/observation/problem_record.hpp"
#include "engine/particles/grains.hpp"
#include "engine/particles/radius_limits.hpp"
#include "engine/particles/rain.hpp"
#include "engine/scene/lattice.hpp"
#include "engine/scene/wall_images.hpp"
#include "engine/step/adaptive_step.hpp"
#include "io/scene/config_reader.hpp"
#include "io/scene/enum_names.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

class Checker {
 public:
  Checker(const RunConfig& config, const Settings& settings, ParticlesFrom source,
          ErrorList& errors)
      : config_(config),
        scene_(config.scene),
        settings_(settings),
        source_(source),
        errors_(errors) {}

  void Run() {
    CheckWholeSteps();
    CheckAccuracy();
    CheckShear();
    CheckGravity();
    CheckBuoyancy();
    CheckSpeeds();
    CheckFreeWalls();
    CheckDensities();
    for (const Fill& fill : scene_.fills) CheckFill(SectionOf("fill", fill.name), fill);
    for (const Inflow& inflow : scene_.pistons) {
      CheckInflow(SectionOf("inflow", inflow.name), inflow);
    }
    for (const Rain& rain : scene_.rains) CheckRain(SectionOf("inflow", rain.name), rain);
    CheckOutflow();
    if (source_ == ParticlesFrom::kScene && HasNoParticles(config_)) {
      errors_.Add(
          settings_.Where("fill", ""),
          "the scene has no particles; expected a [fill], an [inflow] or an [initial] file");
    }
    CheckInitialFile();
    CheckProblems();
    CheckSweeps();
    CheckOverlaps();
    for (const AverageConfig& average : config_.averages) CheckAverage(average);
    const auto materials = static_cast<MaterialId>(scene_.materials.Size());
    for (MaterialId a = 0; a < materials; ++a) {
      for (MaterialId b = a; b < materials; ++b) CheckPair(a, b);
    }
    if (errors_.Empty()) CheckStepCount();
  }

 private:
  void AddError(const std::string& section, const std::string& key, const std::string& message) {
    errors_.Add(settings_.Where(section, key), message);
  }

  /// Neighbour lists cover the largest displacement in a step, which therefore must not exceed the
  /// domain.
  void CheckGravity() {
    const double dt = config_.step.dt, fall = dt * dt * scene_.gravity.norm();
    const double width = scene_.domain.box.Extent().norm();
    if (fall <= width) return;
    AddError("scene", "gravity",
             Text("moves a particle at rest by ", fall, " m in one step of ", dt,
                  " s, beyond the domain, ", "which is ", width,
                  " m wide; expected less, or a shorter step"));
  }

  /// The limit of the displacement in a step also applies to the buoyancy in a heavy fluid.
  void CheckBuoyancy() {
    const double dt = config_.step.dt, rise = dt * dt * MaxBodyAcceleration(scene_);
    const double width = scene_.domain.box.Extent().norm();
    if (!scene_.fluid.Exists() || !scene_.fluid.buoyancy || rise <= width) return;
    if (config_.step.accuracy > 0.0) return;  // checked by CheckStepCount
    AddError("fluid", "density",
             Text("= ", scene_.fluid.density, " kg/m^3 moves a particle at rest by ", rise,
                  " m in one step of ", dt, " s, beyond the domain, which is ", width,
                  " m wide; expected less, or a shorter step"));
  }

  /// The limit of the displacement in a step also applies to a rotating frame and to prescribed
  /// velocities.
  void CheckSpeeds() {
    const double dt = config_.step.dt, width = scene_.domain.box.Extent().norm();
    const auto check = [&](const std::string& section, const char* key, double speed) {
      if (dt * speed <= width) return;
      AddError(section, key,
               Text("is a motion by ", dt * speed, " m in one step of ", dt, " s, beyond the ",
                    "domain, which is ", width, " m wide; expected less, or a shorter step"));
    };
    const auto check_rotation = [&](const std::string& section, const Vec3& rate) {
      if (dt * rate.norm() <= std::numbers::pi) return;
      AddError(section, "angular_velocity",
               Text("is a rotation by ", dt * rate.norm(), " rad in one step of ", dt,
                    " s; expected less than half a turn, or a shorter step"));
    };
    const auto check_grain = [&](const std::string& section, const GrainTemplate& grain) {
      check(section, "velocity", grain.velocity.norm());
      check(section, "jitter", grain.jitter.norm());
    };
    const auto check_oscillation = [&](const std::string& section, const Oscillation& oscillation) {
      check(section, "amplitude",
            2.0 * std::numbers::pi * oscillation.frequency * oscillation.amplitude.norm());
    };
    for (const Fill& fill : scene_.fills) check_grain(SectionOf("fill", fill.name), fill.grain);
    for (const Rain& rain : scene_.rains) check_grain(SectionOf("inflow", rain.name), rain.grain);
    for (const Wall& wall : scene_.walls) {
      const std::string section = "wall." + wall.name;
      check(section, "velocity", wall.velocity.norm());
      check(section, "surface_velocity", wall.surface_velocity.norm());
      check_rotation(section, wall.rotation.angular_velocity);
      check_oscillation(section, wall.oscillation);
      for (const TimedMotion& motion : wall.motions) {
        const std::string motion_section = "motion." + motion.name;
        check(motion_section, "velocity", motion.velocity.norm());
        check_rotation(motion_section, motion.angular_velocity);
        check_oscillation(motion_section, motion.oscillation);
      }
    }
    check("fluid", "velocity", scene_.fluid.velocity.norm());
    check_rotation("frame", scene_.frame.angular_velocity);
    const Vec3 farthest = (scene_.domain.box.lower - scene_.frame.centre)
                              .cwiseAbs()
                              .cwiseMax((scene_.domain.box.upper - scene_.frame.centre).cwiseAbs());
    check("frame", "centre", dt * scene_.frame.angular_velocity.squaredNorm() * farthest.norm());
  }

  /// The forces of a rotating frame across its axis depend on products of inertia of a free wall,
  /// or on its centre of mass along its axis, which have no keys.
  void CheckFrameOf(const Wall& wall) {
    const Vec3& rate = scene_.frame.angular_velocity;
    if (!wall.IsFree() || wall.free.HasPressureDrive() ||
        rate.cross(wall.axis).norm() <= kRounding * rate.norm()) {
      return;
    }
    AddError("wall." + wall.name, "axis",
             Text("is (", wall.axis.transpose(),
                  "), but the forces of the rotating [frame] on a free "
                  "wall are known only along or about its angular_velocity of (",
                  rate.transpose(), ") rad/s; expected a parallel axis",
                  wall.free.IsRotation() ? "" : ", or a pressure, whose drive carries the wall"));
  }

  /// The torque on a free wall does not include that of an accelerated axis. (That on links does.)
  void CheckFreeWalls() {
    for (const Wall& wall : scene_.walls) {
      CheckFrameOf(wall);
      const bool is_accelerated =
          !wall.oscillation.amplitude.isZero(0.0) || wall.table.IsMoving() || !wall.motions.empty();
      if (wall.free.IsRotation() && wall.free.centre_of_mass && is_accelerated) {
        AddError("wall." + wall.name, "centre_of_mass",
                 "cannot be combined with an axis that a motion moves; expected a [link] on a "
                 "slider, or no centre_of_mass");
      }
    }
  }

  /// Above the ratio kMax of densities, no number of sweeps transmits the load of a heavy body to a
  /// light one.
  void CheckDensities() {
    constexpr double kMax = 1e9;
    std::size_t min = 0, max = 0;
    const auto density = [&](std::size_t m) {
      return scene_.materials[static_cast<MaterialId>(m)].density;
    };
    for (std::size_t m = 0; m < scene_.materials.Size(); ++m) {
      if (density(m) < density(min)) min = m;
      if (density(m) > density(max)) max = m;
    }
    if (density(max) <= kMax * density(min)) return;
    const auto name = [&](std::size_t m) {
      return scene_.materials[static_cast<MaterialId>(m)].name;
    };
    AddError("material." + name(max), "density",
             Text("is ", density(max), " kg/m^3, but that of ", name(min), " is ", density(min),
                  "; expected densities that differ by a factor of at most ", kMax));
  }

  /// Moving periodic images require a scene without walls, inflow and outflow, because only
  /// particles can move with them.
  void CheckShear() {
    const scree::Shear& shear = scene_.domain.shear;
    if (scene_.cell.IsActive()) {
      if (shear.IsActive()) {
        AddError("domain", "shear_rate",
                 "cannot be combined with a [cell]; expected the shear_rate of [cell] instead");
      }
      for (const AverageConfig& average : config_.averages) {
        if (std::holds_alternative<FieldGrid>(average.geometry)) continue;
        AddError(SectionOf("average", average.name), "",
                 "is a plane at a point that a [cell] moves; expected a grid, which moves with the "
                 "edges of the cell");
      }
      for (const ForceField& field : scene_.fields) {
        AddError(SectionOf("field", field.name), "",
                 "cannot be combined with a [cell]; expected no field");
      }
      if (scene_.frame.IsRotating()) AddError("frame", "", "cannot be combined with a [cell]");
      if (scene_.fluid.Exists()) AddError("fluid", "", "cannot be combined with a [cell]");
      return RequireOnlyParticles("domain is a [cell]");
    }
    if (!shear.IsActive()) {
      for (const char* key : {"shear_flow", "shear_gradient"}) {
        if (!settings_.IsGiven("domain", key) || settings_.IsGiven("domain", "shear_rate"))
          continue;
        AddError("domain", key, "has no effect without a shear_rate; expected one, such as 10 /s");
      }
      return;
    }
    if (shear.flow == shear.gradient) {
      AddError(
          "domain", "shear_gradient",
          Text("is ", NameOf(shear.gradient), ", the axis of shear_flow; expected another axis"));
    }
    for (const int axis : {shear.Flow(), shear.Gradient()}) {
      if (scene_.domain.periodic[static_cast<std::size_t>(axis)]) continue;
      AddError("domain", "shear_rate",
               Text("moves images along ", NameOf(shear.flow), " with a gradient along ",
                    NameOf(shear.gradient), ", but ", "xyz"[axis],
                    " is not periodic; expected periodic = x y z, or at least these two axes"));
    }
    if (scene_.gravity != Vec3::Zero()) {
      AddError(
          "scene", "gravity",
          Text("is ", scene_.gravity.transpose(), " m/s^2, which nothing balances in a domain ",
               "with a shear_rate; expected gravity = 0 0 0 m/s^2"));
    }
    RequireOnlyParticles("domain has a shear_rate");
  }

  void RequireOnlyParticles(const char* condition) {
    const auto refuse = [&](const std::string& section, const char* key, const char* refusal) {
      AddError(section, key,
               Text(refusal, " if the ", condition, ": the periodic images move, and only ",
                    "particles can move with them; expected none"));
    };
    for (const Wall& wall : scene_.walls) refuse("wall." + wall.name, "", "no wall can stand");
    for (const Inflow& inflow : scene_.pistons) {
      refuse(SectionOf("inflow", inflow.name), "", "nothing can flow in");
    }
    for (const Rain& rain : scene_.rains) {
      refuse(SectionOf("inflow", rain.name), "", "nothing can flow in");
    }
    if (scene_.outflow != OutflowFaces()) refuse("outflow", "faces", "nothing can flow out");
  }

  void CheckSweeps() {
    const StepParameters& step = config_.step;
    if (!step.automatic_sweeps) {
      if (!settings_.IsGiven("solver", "force_accuracy")) return;
      AddError("solver", "force_accuracy",
               "has no effect on a given number of sweeps; expected sweeps = auto with it");
    } else if (step.solver.tolerance > 0.0) {
      AddError(
          "solver", "sweeps",
          "is auto, but tolerance also chooses the number of sweeps; expected only one of the two");
    } else if (step.solver.scheme == Scheme::kJacobi) {
      AddError(
          "solver", "sweeps",
          "is auto, for which rounding errors depend on the number of ranks, but scheme = jacobi "
          "promises the same bits on any number of ranks; expected a number of sweeps");
    }
  }

  /// Refuses combinations that prevent a pile from coming to rest (solvers/README.md, Overlaps
  /// and rest).
  void CheckOverlaps() {
    const StepParameters& step = config_.step;
    const int position_sweeps = PositionSweeps(step);
    const bool has_fixed_sweeps = step.solver.tolerance <= 0.0;
    if (step.warm_start && has_fixed_sweeps && step.solver.sweeps < 2) {
      AddError("solver", "sweeps",
               "is 1, and with warm_start = yes the error of a single sweep grows from step to "
               "step until a pile shakes; expected at least 2, or warm_start = no");
    }
    if (has_fixed_sweeps && position_sweeps > step.solver.sweeps) {
      AddError("solver", "position_sweeps",
               Text("is ", position_sweeps, ", more than sweeps = ", step.solver.sweeps,
                    ", which makes a pile oscillate; expected at most as many"));
    }
    if (position_sweeps == 0 && step.warm_start && step.error_reduction > 0.0) {
      AddError(
          "solver", "position_sweeps",
          "is 0, so velocities remove the overlaps, and warm_start = yes would also store the "
          "impulses that remove overlaps, which makes piles oscillate; expected at least 1, or "
          "warm_start = no, or error_reduction = 0");
    }
  }

  /// Steps of a given length have no accuracy and no base step. If --time.step replaces the step of
  /// the file, these keys of the file are ignored.
  void CheckAccuracy() {
    const auto is_in_file = [&](const char* key) {
      return settings_.Where("time", key).starts_with(settings_.FileName() + ":");
    };
    for (const char* key : {"accuracy", "base_step"}) {
      if (!settings_.IsGiven("time", key) || config_.step.accuracy > 0.0) continue;
      if (is_in_file(key) && !is_in_file("step")) continue;
      AddError("time", key, "has no effect on steps of a given length; expected step = auto");
    }
  }

  /// Requires a number of automatic steps that a machine can compute. No step may be shorter than a
  /// base step.
  void CheckStepCount() {
    constexpr double kMax = 1e10;  // this number of steps of a single grain takes one day
    if (!(config_.step.accuracy > 0.0)) return;
    const StepLimit rule = StepLimitsOfScene(scene_, config_.step.accuracy).at_start;
    const double steps = config_.time.end / rule.step;
    if (steps > kMax) {
      AddError("time", "end",
               Text("= ", config_.time.end, " s needs ", steps, " steps, because ", rule.cause,
                    " steps of at most ", rule.step, " s; expected fewer than ", kMax,
                    ": an earlier end, or a scene that allows longer steps"));
    } else if (rule.step < config_.step.dt) {
      AddError("time", "base_step",
               Text("is ", config_.step.dt, " s, but ", rule.cause, " steps of at most ", rule.step,
                    " s; expected a smaller base_step, or a scene that allows longer steps"));
    }
  }

  /// Requires that all times except the step length itself are whole numbers of steps.
  void CheckWholeSteps() {
    for (const SectionSpec& kind : AllSections()) {
      for (const std::string& section : settings_.Sections(kind.name)) {
        for (const KeySpec& spec : kind.keys) {
          const bool is_step = section == "time" && (spec.key == "step" || spec.key == "base_step");
          if (spec.dimension == kTime && !is_step && settings_.IsGiven(section, spec.key)) {
            CheckWholeSteps(section, spec.key);
          }
        }
      }
    }
  }

  void CheckWholeSteps(const std::string& section, const std::string& key) {
    const KeyValue value = settings_.Find(section, key).value();
    if (const auto* times = std::get_if<std::vector<double>>(&value)) {
      for (const double time : *times) CheckWholeSteps(section, key, {0, time});
      return;
    }
    const auto* time = std::get_if<double>(&value);
    CheckWholeSteps(section, key, time != nullptr ? Interval{0, *time} : std::get<Interval>(value));
  }

  void CheckWholeSteps(const std::string& section, const std::string& key,
                       const Interval& interval) {
    if (config_.step.accuracy > 0.0 && interval.steps > 0) {
      AddError(section, key, "counts steps, which time.step = auto chooses; expected a time");
    }
    try {
      interval.InSteps(config_.step, key.c_str());
    } catch (const InputError& error) {
      AddError(section, key, error.what());
    }
  }

  /// Requires Young's moduli of the materials if a restitution law gets its stiffness from them.
  void CheckPair(MaterialId a, MaterialId b) {
    const PairRestitution& restitution = scene_.materials.Restitution(a, b);
    if (restitution.law.empty() || restitution.stiffness > 0.0) return;
    for (const MaterialId m : a == b ? std::vector{a} : std::vector{a, b}) {
      const Material& material = scene_.materials[m];
      if (material.young > 0.0) continue;
      AddError("material." + material.name, "young",
               Text("lacks the key \"young\" [Pa], which restitution = ", restitution.law,
                    " of the pair ", scene_.materials[a].name, ".", scene_.materials[b].name,
                    " needs because the pair has no stiffness"));
    }
  }

  void CheckSizes(const std::string& section, const SizeDistribution& sizes) {
    if (sizes.smallest >= kMinRadius && sizes.largest <= kMaxRadius) return;
    AddError(
        section, "radius",
        Text("radii are ", sizes.smallest, " to ", sizes.largest, " m; expected ", kMinRadius,
             " to ", kMaxRadius, " m, for which moments of inertia do not overflow or vanish"));
  }

  void CheckFill(const std::string& section, const Fill& fill) {
    CheckSizes(section, fill.grain.sizes);
    const double diameter = 2.0 * fill.grain.sizes.largest;
    if (const auto* lattice = std::get_if<Lattice>(&fill.positions)) {
      CheckLattice(section, *lattice, diameter, -1);
      return;
    }
    CheckRegion(section, std::get<RandomRegion>(fill.positions).region, diameter);
  }

  /// Requires that the region is inside the domain and wide enough.
  void CheckRegion(const std::string& section, const Region& region, double diameter) {
    const Box bounds = BoundsOf(region);
    for (int axis = 0; axis < 3; ++axis) {
      CheckInside(section, bounds, axis);
      const double width = bounds.upper[axis] - bounds.lower[axis];
      if (!std::holds_alternative<Box>(region) || width >= diameter * (1.0 - kRounding)) continue;
      AddError(section, "upper",
               Text("leaves ", width, " m along ", "xyz"[axis], "; expected room for the largest ",
                    "spheres of ", diameter, " m"));
    }
    if (!std::holds_alternative<Box>(region) && !HasRoom(region, 0.5 * diameter)) {
      AddError(section, "region_radius",
               Text("leaves no room for the largest spheres of ", diameter,
                    " m; expected a larger region"));
    }
  }

  void CheckRain(const std::string& section, const Rain& rain) {
    CheckSizes(section, rain.grain.sizes);
    if (errors_.Empty()) CheckRainEvent(section, rain);
    CheckRegion(section, rain.region, 2.0 * rain.grain.sizes.largest);
  }

  /// Limits the particles of one rain event, because every rank tests all of them one by one.
  /// Counts the particles that are due, or as many as fit if that is fewer.
  void CheckRainEvent(const std::string& section, const Rain& rain) {
    constexpr double kMax = 5e7;
    constexpr double kFilled = 0.38;  // solid fraction that random sequential addition reaches
    const double dt = config_.step.dt, amount = rain.counts ? 1.0 : MeanMass(scene_, rain.grain);
    const double due =
        rain.rate * dt * static_cast<double>(StepsPerRainEvent(scene_, rain, dt)) / amount;
    const double room = kFilled * VolumeOf(rain.region) / SphereVolume(rain.grain.sizes.largest);
    if (std::min(due, room) <= kMax) return;
    AddError(section, rain.counts ? "number_rate" : "rate",
             Text("makes ", due, " particles due in one rain event, in a region with room for ",
                  room, "; expected one of these numbers to be at most ", kMax));
  }

  /// @param diameter  diameter of the largest sphere
  /// @param free_axis  axis along which the extent is not checked; -1: none
  void CheckLattice(const std::string& section, const Lattice& lattice, double diameter,
                    int free_axis) {
    // A spacing that equals the diameter up to rounding is allowed: the spheres touch.
    if (lattice.spacing < diameter * (1.0 - kRounding)) {
      AddError(section, "spacing",
               Text("is ", lattice.spacing, " m, less than the diameter ", diameter,
                    " m: the spheres would overlap; expected at least the diameter"));
    }
    const auto sites = lattice.Sites();
    const Box bounds = BoundsOf(lattice.region);
    for (int axis = 0; axis < 3; ++axis) {
      if (axis == free_axis) continue;
      CheckInside(section, bounds, axis);
      if (sites[static_cast<std::size_t>(axis)] < 1) {
        AddError(section, "spacing",
                 Text("is ", lattice.spacing, " m, more than the region's extent along ",
                      "xyz"[axis], ", so that there is no site; expected a smaller spacing"));
      }
    }
  }

  /// Requires that the region is inside the domain along this axis.
  void CheckInside(const std::string& section, const Box& region, int axis) {
    const Box& domain = scene_.domain.box;
    const double slack = kRounding * domain.Extent()[axis];
    for (const char* key : {"lower", "upper"}) {
      const double value = (key[0] == 'l' ? region.lower : region.upper)[axis];
      if (value >= domain.lower[axis] - slack && value <= domain.upper[axis] + slack) continue;
      // An error in a round region is reported for the key region_radius.
      const bool is_round = settings_.IsGiven(section, "region_radius");
      AddError(section, is_round ? "region_radius" : key,
               Text("is ", value, " m along ", "xyz"[axis], ", outside the domain, which is ",
                    domain.lower[axis], " to ", domain.upper[axis], " m"));
    }
  }

  void CheckInflow(const std::string& section, const Inflow& inflow) {
    CheckSizes(section, inflow.grain.sizes);
    const Wall& wall = scene_.walls[inflow.piston];
    const std::string name = "wall." + wall.name;
    const Plane* plane = std::get_if<Plane>(&wall.shape.parts[0]);
    if (plane == nullptr || wall.shape.parts.size() != 1) {
      AddError(section, "piston",
               Text("[", name, "] is not a single plane; expected a plane as piston"));
      return;
    }
    if (&*std::ranges::find(scene_.pistons, inflow.piston, &Inflow::piston) != &inflow) {
      AddError(section, "piston",
               Text("[", name, "] already drives another inflow; expected a ", "separate piston"));
      return;
    }
    int axis = 0;
    if (plane->normal.cwiseAbs().maxCoeff(&axis) != 1.0) {
      AddError(name, "normal", "a piston's normal must be along an axis, such as 1 0 0");
      return;
    }
    const double speed = wall.velocity.dot(plane->normal);
    if (!(speed > 0.0) || (wall.velocity - speed * plane->normal).norm() != 0.0) {
      AddError(name, "velocity",
               "a piston must move along its normal, into the channel; expected a velocity such as "
               "1 0 0 m/s for the normal 1 0 0");
      return;
    }
    const bool has_times = std::isfinite(wall.removed_at) || wall.appears_at > 0.0 ||
                           wall.moves_from > 0.0 || std::isfinite(wall.moves_until);
    if (!wall.oscillation.amplitude.isZero(0.0) || !wall.rotation.angular_velocity.isZero(0.0) ||
        has_times || !wall.table.IsEmpty() || !wall.motions.empty() || wall.IsFree()) {
      AddError(name, "velocity",
               "must be the only motion of a piston; expected no oscillation, no rotation, no "
               "table or other motion, no key \"free\" and no times at which it begins or ends");
      return;
    }
    const double diameter = 2.0 * inflow.grain.sizes.largest;
    if (speed * config_.step.dt >= diameter) {
      AddError(name, "velocity",
               Text("the piston moves ", speed * config_.step.dt, " m in a step, at least a ",
                    "diameter (", diameter, " m); expected a smaller speed or step"));
    }
    CheckLattice(section, inflow.lattice, diameter, axis);
    if (errors_.Empty()) CheckLayer(section, inflow, *plane, axis);
  }

  /// The sites of the first layer must be in the domain and must not overlap any wall except the
  /// piston.
  void CheckLayer(const std::string& section, const Inflow& inflow, const Plane& piston, int axis) {
    const double radius = inflow.grain.sizes.largest;
    std::vector<Vec3> positions;
    auto sites = inflow.lattice.Sites();
    sites[static_cast<std::size_t>(axis)] = 1;
    for (std::int64_t n = 0; n < sites[0] * sites[1] * sites[2]; ++n) {
      Vec3 position = LatticeSite(
          inflow.lattice, {n % sites[0], n / sites[0] % sites[1], n / (sites[0] * sites[1])});
      position[axis] = piston.point[axis] + radius * piston.normal[axis];
      if (!scene_.domain.box.Contains(position)) {
        AddError("wall." + scene_.walls[inflow.piston].name, "point",
                 Text("a layer in front of this piston appears at ", "xyz"[axis], " = ",
                      position[axis], " m, outside the domain"));
        return;
      }
      positions.push_back(position);
    }
    const double limit = radius * (1.0 - 1e-9);  // allows for rounding of positions that just touch
    Scene one_wall;  // contains one wall at a time and the periodic images of that wall
    one_wall.domain = scene_.domain;
    for (const Wall& wall : scene_.walls) {
      if (&wall == &scene_.walls[inflow.piston]) continue;
      one_wall.walls = {wall};
      const PlacedWalls placed(one_wall, WallPoses(one_wall, config_.step.dt, 0),
                               MaterialsOf(inflow.grain), radius);
      const auto hit = std::ranges::find_if(
          positions, [&](const Vec3& position) { return placed.HasWallWithin(position, limit); });
      if (hit == positions.end()) continue;
      AddError(section, "lower",
               Text("the particle inserted at (", hit->transpose(), ") m would overlap [wall.",
                    wall.name, "]; move that wall or the inflow's region"));
      return;
    }
  }

  void CheckOutflow() {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool is_open = scene_.outflow[axis][0] || scene_.outflow[axis][1];
      if (is_open && scene_.domain.periodic[axis]) {
        AddError("outflow", "faces",
                 Text("particles cannot leave along ", "xyz"[axis], ", which is periodic"));
      }
    }
  }

  void CheckInitialFile() {
    const std::string& file = config_.initial.file;
    if (file.empty() && config_.initial.with_fills) {
      AddError("initial", "with_fills",
               "has no effect without a file; expected the key \"file\" too");
    }
    if (file.empty() || file.ends_with(".h5") || file.ends_with(".csv") ||
        file.ends_with(".csv.gz") || file.ends_with(".lammpstrj") || file.ends_with(".dump") ||
        file.ends_with(".txt")) {
      return;
    }
    AddError("initial", "file",
             Text("\"", file,
                  "\" is of unknown kind; expected a snapshot .h5, a table .csv or .csv.gz, or a "
                  "text of LAMMPS, .lammpstrj or .dump, or of Yade, .txt"));
  }

  void CheckProblems() {
    const std::string reason = DescribeUnrecordable(scene_);
    if (config_.output.problems.empty() || reason.empty()) return;
    AddError("output", "problems",
             reason + "; expected no problems, or a scene that can be recorded");
  }

  void CheckAverage(const AverageConfig& average) {
    const std::string section = "average." + average.name;
    if (const auto* grid = std::get_if<FieldGrid>(&average.geometry)) {
      CheckGrid(section, *grid, average);
    } else {
      CheckInterval(section, average);
      CheckPlane(section, std::get<FlowPlane>(average.geometry));
    }
  }

  /// Number of rows of the average's time series; 1 if there is no interval.
  double RowCount(const AverageConfig& average) const {
    const double dt = config_.step.dt;
    const double interval = average.interval.steps > 0
                                ? dt * static_cast<double>(average.interval.steps)
                                : average.interval.time;
    if (!(interval > 0.0)) return 1.0;
    const double to = std::min(average.to.value_or(config_.time.end), config_.time.end);
    return std::max(1.0, std::ceil((to - average.from) / interval));
  }

  void CheckInterval(const std::string& section, const AverageConfig& average) {
    const double dt = config_.step.dt;
    try {
      const std::int64_t frame_interval = average.frame_interval.InSteps(config_.step, "every");
      const std::int64_t interval = average.interval.InSteps(config_.step, "interval");
      if (frame_interval > 0 && interval % frame_interval != 0) {
        AddError(section, "interval",
                 Text("is ", dt * static_cast<double>(interval),
                      " s; expected a whole multiple of every, ",
                      dt * static_cast<double>(frame_interval), " s"));
      }
    } catch (const InputError&) {  // error already added
    }
  }

  void CheckGrid(const std::string& section, const FieldGrid& grid, const AverageConfig& average) {
    const Interval& frame_interval = average.frame_interval;
    CheckInterval(section, average);
    if (frame_interval.steps == 0 && frame_interval.time == 0.0) {
      AddError(section, "every", "is never; expected a time or a number of steps");
    }
    for (int axis = 0; axis < 3; ++axis) {
      CheckInside(section, grid.region, axis);
      if (grid.region.upper[axis] > grid.region.lower[axis]) continue;
      AddError(section, "upper",
               Text("is ", grid.region.upper[axis], " m along ", "xyz"[axis],
                    "; expected more than the lower corner's ", grid.region.lower[axis], " m"));
    }
    // Every rank stores all cells, 320 bytes per cell.
    constexpr double kMaxCells = 1e6;
    const double cells = 1.0 * grid.cells[0] * grid.cells[1] * grid.cells[2] *
                         static_cast<double>(CountKinds(grid, scene_)) * RowCount(average);
    if (cells > kMaxCells) {
      AddError(section, "cells",
               Text("are ", cells, " in total, for all kinds and intervals; expected at most ",
                    kMaxCells, ", because every rank stores all of them"));
    }
  }

  void CheckPlane(const std::string& section, const FlowPlane& plane) {
    const Box& domain = scene_.domain.box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double normal_component = std::abs(plane.normal[static_cast<Eigen::Index>(axis)]);
      if (!scene_.domain.periodic[axis] || normal_component == 0.0 ||
          normal_component == plane.normal.lpNorm<1>())
        continue;
      AddError(section, "normal",
               Text("is oblique to ", "xyz"[axis],
                    ", along which the domain is periodic; expected "
                    "a normal along that axis or across it, such as 1 0 0"));
    }
    // Largest distance, along the normal, of a point of the domain from the centre of the domain.
    const double reach = 0.5 * plane.normal.cwiseAbs().dot(domain.Extent());
    const double height = plane.normal.dot(plane.point - 0.5 * (domain.lower + domain.upper));
    if (std::abs(height) > reach * (1.0 + kRounding)) {
      AddError(section, "plane",
               Text("is ", std::abs(height) - reach, " m outside the domain; expected a ",
                    "plane that intersects the domain"));
    }
  }

  static constexpr double kRounding = 1e-12;  // of lengths given in decimal numbers

  const RunConfig& config_;
  const Scene& scene_;
  const Settings& settings_;
  const ParticlesFrom source_;
  ErrorList& errors_;
};

}  // namespace

bool HasNoParticles(const RunConfig& config) {
  const Scene& scene = config.scene;
  return scene.fills.empty() && scene.pistons.empty() && scene.rains.empty() &&
         config.initial.file.empty();
}

void CheckRunConfig(const RunConfig& config, const Settings& settings, ParticlesFrom source,
                    ErrorList& errors) {
  Checker(config, settings, source, errors).Run();
}

}  // namespace scree
