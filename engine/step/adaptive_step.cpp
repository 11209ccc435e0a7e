#include "engine/step/adaptive_step.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/contacts/restitution.hpp"
#include "engine/particles/body_mass.hpp"
#include "engine/particles/rain.hpp"
#include "engine/scene/links.hpp"
#include "engine/step/integration.hpp"
#include "engine/step/step_setup.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Limits for an accuracy of 1 %: results of flows differ by less than a hundredth from their
/// values for dt → 0. The limits are proportional to the accuracy, because the scheme is of first
/// order (engine/time_steps.md has measurements).
constexpr double kTravel = 0.2;             // v dt / r
constexpr double kTravelOfImpacts = 0.05;   // if bodies rebound or attract each other
constexpr double kFall = 0.045;             // dt / sqrt(r / g)
constexpr double kFallOfImpacts = 0.03;     // if bodies rebound or attract each other
constexpr double kFallOfMoreSweeps = 0.03;  // above this value steps need twice as many sweeps
constexpr double kLoad = 0.15;              // dt / sqrt(m r / F), F: normal force of a contact
constexpr double kStrain = 0.002;           // strain in a step
constexpr double kRotation =
    0.1;                        // rotation of the arms of contacts [rad] (free rotation is exact)
constexpr double kSwing = 0.1;  // 2π f dt; change of a table in a step, over its largest value
constexpr double kOverlap = 0.03;    // [radii]; one contact in kExemptContacts may exceed it
constexpr double kMaxOverlap = 0.1;  // no contact may exceed it, for any accuracy [radii]
/// Overlaps up to this value do not shorten steps [slops]. The projection leaves two slops, and
/// contacts at rest sink in a little between two projections, whatever the length of the steps.
constexpr double kSlopsOfRest = 3.0;
constexpr double kMaxTravel = 1.0;  // v dt / r of any particle
/// One particle in kExempt may exceed the limits of travel and rotation, because a few fast
/// particles must not limit the step of all. A larger fraction would exempt the particles in the
/// orifice of a hopper. If bodies rebound, one particle in kExemptOfImpacts may exceed them,
/// because the travel limit is then four times smaller.
constexpr std::int64_t kExempt = 1000, kExemptOfImpacts = 100;
constexpr std::int64_t kExemptContacts = 1000;  // one contact in this number may exceed kOverlap

constexpr std::int64_t kNoCeiling = std::int64_t{1} << 50;  // overlaps do not limit the stride
/// Maximum stride if nothing else limits it.
constexpr std::int64_t kMaxStride = std::int64_t{1} << 33;
/// First stride if the scene has no time scale. It doubles after every kCalmSteps steps. When
/// bodies begin to move, a step is therefore about an eighth of the time since the start, or less.
constexpr std::int64_t kFirstStride = 1000;
/// Number of steps before the stride grows, or before overlaps may shorten it again.
constexpr std::int64_t kCalmSteps = 8;
/// Overlaps shorten the stride to at most this fraction of the stride that the motion allows. If
/// they persist, their cause is not the length of the steps.
constexpr std::int64_t kMaxShortening = 64;
/// Number of steps after overlaps have shortened the steps, before longer steps are tried.
constexpr std::int64_t kStepsUntilRetry = 128;

/// Rounds down to the ladder 4·2^k, 5·2^k, 6·2^k, 7·2^k, or to a whole number below 4.
std::int64_t RoundDownToLadder(double steps) {
  if (!(steps >= 2.0)) return 1;
  const auto whole = static_cast<std::uint64_t>(std::min(steps, static_cast<double>(kMaxStride)));
  const int shift = std::max(static_cast<int>(std::bit_width(whole)) - 3, 0);
  return static_cast<std::int64_t>(whole >> shift << shift);
}

/// Histogram of the step lengths dt that particles require. Bin k counts particles with (unit/dt)⁴
/// between 2^(k - kZero) and twice that. The unit is a billion base steps, so that scenes that
/// differ only in scale have the same steps. The counts are integers, so that their sums do not
/// depend on the ranks.
class StepHistogram {
 public:
  explicit StepHistogram(const StepLimits& limits) : unit_(1e9 * limits.base) {}
  /// @param inverse_square  1/dt² [1/s²]
  void Add(double inverse_square) {
    ++counts_[kBins];
    if (!(inverse_square > 0.0)) return;
    const double square = std::min(unit_ * unit_ * inverse_square, 1e40);
    const double fourth = square * square;
    ++counts_[static_cast<std::size_t>(std::clamp(std::ilogb(fourth) + kZero, 0, kBins - 1))];
  }
  void SumOverRanks(const Communicator& communicator) { communicator.Sum(counts_); }

  /// The longest step that all particles allow, except one in every `exempt`, rounded down by up to
  /// a fifth [s].
  double Quantile(std::int64_t exempt) const { return StepExcept(counts_[kBins] / exempt); }
  double Median() const { return StepExcept(counts_[kBins] / 2); }
  double Minimum() const { return StepExcept(0); }
  /// The longest step that all particles except the exempt ones allow [s]. It is at most
  /// `max_ratio` times the step that all particles allow.
  double Limit(const StepLimits& limits, double max_ratio) const {
    return std::min(Quantile(limits.exempt), max_ratio * Minimum());
  }

 private:
  static constexpr int kBins = 384, kZero = 96;

  /// The longest step that all particles allow except for this number of them [s].
  double StepExcept(std::int64_t exceptions) const {
    for (int bin = kBins - 1; bin >= 0; --bin) {
      exceptions -= counts_[static_cast<std::size_t>(bin)];
      if (exceptions < 0) return unit_ * std::exp2(-0.25 * (bin - kZero + 1));
    }
    return kInfinite;
  }

  double unit_;                                      // [s]
  std::array<std::int64_t, kBins + 1> counts_ = {};  // the last entry counts all particles
};

/// Shortest period of the swinging walls [s].
double ShortestPeriod(const Scene& scene) {
  double shortest = kInfinite;
  const auto include = [&](const Oscillation& oscillation) {
    if (!oscillation.amplitude.isZero(0.0)) {
      shortest = std::min(shortest, 1.0 / oscillation.frequency);
    }
  };
  for (const Wall& wall : scene.walls) {
    include(wall.oscillation);
    for (const TimedMotion& motion : wall.motions) include(motion.oscillation);
  }
  return shortest;
}

/// The longest step that skips no row of a table of times, and in which a rotating frame rotates by
/// at most this angle [s].
double StepOfFields(const Scene& scene, double angle) {
  double shortest =
      scene.frame.IsRotating() ? angle / scene.frame.angular_velocity.norm() : kInfinite;
  const auto include = [&](const std::vector<double>& times) {
    for (std::size_t k = 1; k < times.size(); ++k)
      shortest = std::min(shortest, times[k] - times[k - 1]);
  };
  for (const ForceField& field : scene.fields) include(field.table.arguments);
  if (scene.fluid.table_argument == FluidTable::kOfTime) include(scene.fluid.table.arguments);
  return shortest;
}

/// The longest step [s] in which a force moves a mass at rest by at most `path` [m]. A drag allows
/// longer steps, because it limits the velocity to force / drag.
double StepFromRest(double path, double force, double mass, double drag) {
  if (!(force > 0.0)) return kInfinite;
  return std::max(std::sqrt(path * mass / force), path * drag / force);
}

/// The longest step [s] in which the drives of free walls move them from rest by at most `path`
/// [m], so that particles can stop a light plate under a large pressure. For rotating walls the
/// limit holds at every point that particles can reach.
double StepOfDrives(const Scene& scene, double path) {
  double shortest = kInfinite;
  for (const Wall& wall : scene.walls) {
    const FreeMotion& free = wall.free;
    if (free.freedom == Freedom::kAlong) {
      const double drive = std::abs(free.force + free.pressure * free.area) +
                           std::abs(free.spring * free.spring_rest);
      shortest = std::min(shortest, StepFromRest(path, drive, free.mass, free.damping));
    } else if (free.freedom == Freedom::kAbout) {
      const double drive =
          std::abs(free.torque) + std::abs(free.torsion_spring * free.torsion_rest);
      const double angle = path / MaxArm(scene, wall);
      shortest = std::min(shortest, StepFromRest(angle, drive, free.inertia, free.torsion_damping));
    }
  }
  return shortest;
}

/// StepLimits::joint_paths, with which no point that particles can reach moves by more than `path`.
std::vector<double> PathsOfJoints(const Scene& scene, double path) {
  std::vector<double> paths = ArmsOfJoints(scene);
  for (std::size_t j = 0; j < paths.size(); ++j) {
    paths[j] = scene.joints[j].IsHinge() ? path / paths[j] : path;
  }
  return paths;
}

/// StepOfDrives for joints in these positions. Motors do not exceed their maximum speed.
/// @param paths  StepLimits::joint_paths
double StepOfJoints(const Scene& scene, std::span<const double> paths, FreeWallStates states) {
  double shortest = kInfinite;
  const std::vector<double> inertia = InertiaOfJoints(scene, states);
  for (std::size_t j = 0; j < scene.joints.size(); ++j) {
    const Joint& joint = scene.joints[j];
    if (inertia[j] == 0.0) continue;  // fixed, or its mesh is not loaded yet
    const double max_path = paths[j];
    const auto limit = [&](double force, double speed) {
      shortest = std::min(
          shortest,
          std::max(StepFromRest(max_path, force, inertia[j], joint.damping), max_path / speed));
    };
    limit(std::abs(joint.force) + joint.forces.MaxNorm() + std::abs(joint.spring * joint.rest),
          kInfinite);
    if (!joint.HasLimitedMotor()) continue;
    const double speed =
        joint.table.IsEmpty()
            ? joint.drive == JointDrive::kToSpeed ? std::abs(joint.target) : kInfinite
            : joint.table.MaxRates()[joint.TableComponent()];
    limit(joint.largest, std::min(speed, joint.largest_speed));
  }
  return shortest;
}

/// The longest step that resolves the swinging of a spring [s]. The implicit scheme damps a spring
/// like a damper of (ω dt)³/8 of the critical one (free_tree.hpp), and may add a tenth to the
/// effect of a damper. A spring with critical damping does not swing.
/// @param mobility  1 / inertia
/// @param scale     at most 1, proportional to the accuracy
double StepOfSpring(double spring, double damping, double mobility, double scale) {
  constexpr double kMaxAddedDamping = 0.1;
  const double rate = std::sqrt(spring * mobility);
  const double damping_ratio = 0.5 * damping * mobility / rate;
  if (!(rate > 0.0 && damping_ratio < 1.0)) return kInfinite;
  const double angle = std::max(kSwing, std::cbrt(8.0 * kMaxAddedDamping * damping_ratio));
  return scale * angle / rate;
}

double StepOfWallSprings(const Scene& scene, double scale) {
  double shortest = kInfinite;
  for (const Wall& wall : scene.walls) {
    const FreeMotion& free = wall.free;
    if (free.freedom == Freedom::kAlong) {
      shortest =
          std::min(shortest, StepOfSpring(free.spring, free.damping, 1.0 / free.mass, scale));
    } else if (free.freedom == Freedom::kAbout) {
      shortest = std::min(shortest, StepOfSpring(free.torsion_spring, free.torsion_damping,
                                                 1.0 / free.inertia, scale));
    }
  }
  return shortest;
}

/// For joints in these positions.
double StepOfJointSprings(const Scene& scene, double scale, FreeWallStates states) {
  double shortest = kInfinite;
  const std::vector<double> mobilities = MobilityOfJoints(scene, states);
  for (std::size_t j = 0; j < scene.joints.size(); ++j) {
    const Joint& joint = scene.joints[j];
    shortest = std::min(shortest, StepOfSpring(joint.spring, joint.damping, mobilities[j], scale));
  }
  return shortest;
}

/// The longest step [s] in which the fluid moves a sphere of this radius, of any material, from
/// rest by at most `path` [m]. The sphere is never faster than the fluid.
double StepOfFluid(const Scene& scene, double radius, double path) {
  constexpr double kDense = 0.4;  // void fraction of a bed
  const Fluid& fluid = scene.fluid;
  if (!fluid.Exists() || fluid.drag == DragLaw::kNone) return kInfinite;
  const double u = fluid.velocity.norm() + fluid.table.MaxNorm() + fluid.grid.MaxNorm();
  const double k = DragCoefficient(fluid, 2.0 * radius, u, fluid.HasCells() ? kDense : 1.0);
  double shortest = kInfinite;
  for (std::size_t m = 0; m < scene.materials.Size(); ++m) {
    const double mass = SphereVolume(radius) * scene.materials[static_cast<MaterialId>(m)].density;
    shortest = std::min(shortest, StepFromRest(path, k * u, mass, k));
  }
  return shortest;
}

/// The smallest sqrt(m r/F) of two spheres with this radius and the attraction F, over all pairs of
/// materials [s].
double TimeOfAttraction(const Scene& scene, double radius) {
  double shortest = kInfinite;
  const auto materials = static_cast<MaterialId>(scene.materials.Size());
  for (MaterialId a = 0; a < materials; ++a) {
    for (MaterialId b = a; b < materials; ++b) {
      const double density = std::min(scene.materials[a].density, scene.materials[b].density);
      const double pull =
          CohesionLaw::Force(scene.materials.PairOf<CohesionLaw>(a, b), radius, radius);
      shortest =
          std::min(shortest, StepFromRest(radius, pull, SphereVolume(radius) * density, 0.0));
    }
  }
  return shortest;
}

/// The steps that particles require. Particles in free fall are counted separately, because their
/// motion is exact in steps of any length until they touch something.
struct StepRequests {
  explicit StepRequests(const StepLimits& limits) : supported(limits), falling(limits) {}
  StepHistogram supported, falling;
};

StepRequests CollectStepRequests(const Scene& scene, const StepLimits& limits,
                                 const Particles& particles, double last_dt) {
  const double kick = last_dt * scene.gravity.norm();
  const double per_travel = 1.0 / (limits.travel * limits.radius), per_turn = 1.0 / limits.rotation;
  StepRequests requests(limits);
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    const Vec3 v = particles.velocity[i] - scene.domain.MeanFlow(particles.position[i]);
    double square = v.squaredNorm() * per_travel * per_travel;
    if (particles.shape[i] != kSphereShape) {
      square = std::max(square, particles.angular_velocity[i].squaredNorm() * per_turn * per_turn);
    }
    const bool is_falling = IsInFreeFall(particles.velocity_change[i], kick);
    (is_falling && limits.exempts_falls ? requests.falling : requests.supported).Add(square);
  }
  return requests;
}

/// The smallest radius of the particles that the scene creates; infinite if it creates none [m].
double SmallestCreatedRadius(const Scene& scene) {
  double smallest = kInfinite;
  const auto include = [&](const GrainTemplate& grain) {
    smallest = std::min(smallest, grain.sizes.smallest);
  };
  for (const Fill& fill : scene.fills) include(fill.grain);
  for (const Inflow& inflow : scene.pistons) include(inflow.grain);
  for (const Rain& rain : scene.rains) include(rain.grain);
  return smallest;
}

/// Requires that the allowed step is at least a base step.
/// @param allowed  equal on all ranks [s]
/// @param cause    for the message, as StepLimits::limited_by
/// @throws SimulationError on all ranks
void RequireBaseStep(const StepLimits& limits, double allowed, const char* cause) {
  if (allowed >= limits.base) return;
  throw SimulationError(
      Text(cause, " steps of at most ", allowed, " s, less than the base step of ", limits.base,
           " s; use weaker forces, slower motion, walls that leave space for the particles, or a "
           "smaller time.base_step"));
}

void Include(double step, const char* cause, StepLimit& limit) {
  if (step < limit.step) limit = {step, cause};
}

/// Adds the limits by drives and springs of joints. An arm that folds has a smaller inertia, so
/// that its springs swing faster.
/// @param states  of free walls and joints; empty: as at time zero
StepLimit WithJoints(const Scene& scene, const StepLimits& limits, FreeWallStates states) {
  StepLimit limit = limits.without_joints;
  if (scene.joints.empty()) return limit;
  Include(StepOfJoints(scene, limits.joint_paths, states), "the drive of a joint allows", limit);
  Include(StepOfJointSprings(scene, limits.swing_scale, states), "a spring allows", limit);
  return limit;
}

/// Mean density of the fills, each with equal weight. Without fills it is the density of the first
/// material [kg/m³].
double GrainDensity(const Scene& scene) {
  double sum = 0.0;
  for (const Fill& fill : scene.fills) {
    double mass = 0.0, volume = 0.0;
    for (const MixturePart& part : fill.grain.mixture) {
      mass += part.fraction;
      volume += part.fraction / scene.materials[part.material].density;
    }
    sum += volume > 0.0 ? mass / volume : scene.materials[fill.grain.material].density;
  }
  return sum > 0.0 ? sum / static_cast<double>(scene.fills.size()) : scene.materials[0].density;
}

}  // namespace

double CellRateScale(const Scene& scene, double radius) {
  const CellControl& cell = scene.cell;
  const double default_rate =
      kDefaultRate * std::sqrt(cell.MaxStress() / GrainDensity(scene)) / radius;
  return std::max(cell.MaxRate(), cell.max_rate > 0.0 ? cell.max_rate : 0.5 * default_rate);
}

StepLimits MakeStepLimits(const Scene& scene, const StepParameters& parameters,
                          const RadiusRange& radii) {
  StepLimits limits;
  limits.is_automatic = parameters.accuracy > 0.0;
  if (!limits.is_automatic) return limits;
  limits.base = parameters.dt;
  const auto limit = [&limits](double step, const char* cause) {
    Include(step, cause, limits.without_joints);
  };
  const double scale = parameters.accuracy / 0.01;
  const bool has_impacts =
      HasReboundingPair(scene.materials) || scene.ActiveLaws()[kLawIndex<CohesionLaw>];
  limits.exempts_falls = !has_impacts;
  limits.radius = radii.smallest;
  limits.max_travel = kMaxTravel;
  limits.exempt = has_impacts ? kExemptOfImpacts : kExempt;
  limits.travel = std::min(scale * (has_impacts ? kTravelOfImpacts : kTravel), kMaxTravel);
  limits.rotation = scale * kRotation;
  limits.load = scale * kLoad * scale * kLoad;
  limits.overlap = scale * kOverlap;
  if (radii.smallest > 0.0) {
    const double slop = SlopOf(parameters, radii.smallest_ball);
    limits.overlap = std::max(limits.overlap, kSlopsOfRest * slop / radii.smallest);
  }
  limits.max_overlap = std::max(limits.overlap, kMaxOverlap);
  const double g = MaxBodyAcceleration(scene);
  if (g > 0.0 && radii.smallest > 0.0) {
    limits.fall = std::sqrt(radii.smallest / g);
    limit(scale * (has_impacts ? kFallOfImpacts : kFall) * limits.fall,
          "the weight and other fields allow");
  }
  double strain_rate = scene.domain.StrainRate();
  if (scene.cell.IsActive()) strain_rate = CellRateScale(scene, radii.smallest);
  if (strain_rate > 0.0) limit(scale * kStrain / strain_rate, "the shear or the cell allows");
  const double path = limits.travel * radii.smallest;
  limit(StepOfDrives(scene, path), "the drive of a free wall allows");
  limit(StepOfFluid(scene, radii.smallest, path), "the fluid allows");
  limit(scale * kLoad * TimeOfAttraction(scene, radii.smallest), "cohesion and adhesion allow");
  limit(StepOfFields(scene, limits.rotation), "a table of times or the rotating frame allows");
  limits.swing_scale = std::min(scale, 1.0);
  limit(StepOfWallSprings(scene, limits.swing_scale), "a spring allows");
  const double swing = limits.swing_scale * kSwing;
  limit(swing / (2.0 * std::numbers::pi) * ShortestPeriod(scene), "a swinging wall allows");
  limits.tables = TableTimesOf(scene, swing, path);
  limits.joint_paths = PathsOfJoints(scene, path);
  limits.at_start = WithJoints(scene, limits, {});
  return limits;
}

StepLimits StepLimitsOfScene(const Scene& scene, double accuracy) {
  const double radius = SmallestCreatedRadius(scene);
  if (!std::isfinite(radius)) return {};
  return MakeStepLimits(scene, {.accuracy = accuracy}, {radius, radius});
}

double LongestStep(const StepLimits& limits, double speed) {
  return std::min(limits.at_start.step, limits.travel * limits.radius / speed);
}

int SweepsOf(const StepLimits& limits, int sweeps, double dt) {
  if (!limits.is_automatic) return sweeps;
  const double fraction = std::min(dt / (kFallOfMoreSweeps * limits.fall), 1.0);
  return sweeps + static_cast<int>(std::lround(sweeps * fraction));
}

double ForceStepLimit(const Communicator& communicator, const StepLimits& limits,
                      const ContactSpan& contacts, const ContactBatches& batches,
                      std::span<const double> inverse_masses, double dt) {
  StepHistogram requests(limits);
  const double scale = 1.0 / (dt * limits.load * limits.radius);
  for (std::size_t j = 0; j < contacts.size(); ++j) {
    const DetectedContact& contact = contacts[j];
    const double impulse = batches.Impulse(j).dot(contact.normal);
    if (!(impulse > 0.0)) continue;
    const double w = std::max(inverse_masses[static_cast<std::size_t>(contact.a)],
                              inverse_masses[static_cast<std::size_t>(contact.b)]);
    requests.Add(impulse * w * scale);
  }
  requests.SumOverRanks(communicator);
  const double allowed = requests.Median();
  return std::isfinite(allowed) ? allowed : 0.0;
}

bool CanShorten(const AdaptiveStepState& adaptive) { return adaptive.calm_steps + 1 >= kCalmSteps; }

bool AreOverlapsTooLarge(const Communicator& communicator, const StepLimits& limits,
                         const ContactSpan& contacts, std::span<const Index> ordered,
                         double deepest) {
  if (deepest <= limits.overlap * limits.radius) return false;
  if (deepest > limits.max_overlap * limits.radius) return true;
  std::int64_t all_and_deep[2] = {static_cast<std::int64_t>(contacts.size()), 0};
  const auto is_deep = [&](std::size_t j) {
    return contacts[j].gap < -limits.overlap * limits.radius ? 1 : 0;
  };
  for (std::size_t j = 0; j < contacts.size(); ++j) all_and_deep[1] += is_deep(j);
  for (const Index j : ordered) all_and_deep[1] -= is_deep(static_cast<std::size_t>(j));
  communicator.Sum(all_and_deep);
  return kExemptContacts * all_and_deep[1] > all_and_deep[0];
}

std::int64_t StrideTo(const Scene& scene, const StepLimits& limits, std::int64_t step,
                      std::int64_t planned, std::int64_t until) {
  const double base = limits.base;
  until = std::min({until, NextWallEvent(scene, base, step), NextRainEvent(scene, base, step),
                    NextTableEvent(limits.tables, base, step)});
  const std::int64_t distance = until - step;
  SCREE_DEMAND(distance > 0 && planned > 0);
  const std::int64_t steps = (distance + planned - 1) / planned;
  return (distance + steps - 1) / steps;
}

double AllowedStep(const Communicator& communicator, const Scene& scene, const StepLimits& limits,
                   std::int64_t step, const Particles& particles, FreeWallStates free_walls,
                   const AdaptiveStepState& adaptive) {
  StepRequests requests = CollectStepRequests(scene, limits, particles,
                                              limits.base * static_cast<double>(adaptive.stride));
  requests.supported.SumOverRanks(communicator);
  requests.falling.SumOverRanks(communicator);
  const double wall_speed =
      CurrentWallSpeed(scene, limits.base, step, 2.0 * limits.radius, free_walls);
  const double max_ratio = limits.max_travel / limits.travel;
  const StepLimit longest = WithJoints(scene, limits, free_walls);
  double allowed = std::min({longest.step, limits.travel * limits.radius / wall_speed,
                             requests.supported.Limit(limits, max_ratio),
                             max_ratio * requests.falling.Minimum()});
  if (adaptive.force_limit > 0.0) allowed = std::min(allowed, adaptive.force_limit);
  const bool has_time_scale =
      std::isfinite(longest.step) || std::isfinite(requests.supported.Median());
  if (adaptive.next_stride == 0 && !has_time_scale) {
    const std::int64_t max = std::max(kFirstStride, adaptive.stride);
    allowed = std::min(allowed, limits.base * static_cast<double>(max));
  }
  RequireBaseStep(limits, allowed,
                  allowed == longest.step           ? longest.cause
                  : allowed == adaptive.force_limit ? "the impulses of contacts allow"
                                                    : "the motion of particles and walls allows");
  return allowed;
}

double StepUnderForces(const Communicator& communicator, const Scene& scene,
                       const StepLimits& limits, const Particles& particles,
                       const BodyForces& forces) {
  const double path = limits.travel * limits.radius;
  StepHistogram requests(limits);
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    const double force = forces.force.empty() ? 0.0 : forces.force[i].norm();
    // The displacement at the surface of a body, as if it were a sphere.
    const double torque = forces.torque.empty() ? 0.0 : forces.torque[i].norm();
    const double drag = forces.drag.empty() ? 0.0 : forces.drag[i];
    const double dt = StepFromRest(path, force + kMassOverInertia * torque / particles.radius[i],
                                   MassOf(particles, i, scene), drag);
    requests.Add(1.0 / (dt * dt));
  }
  requests.SumOverRanks(communicator);
  const double allowed = requests.Limit(limits, std::sqrt(limits.max_travel / limits.travel));
  RequireBaseStep(limits, allowed, "the forces of the program allow");
  return allowed;
}

std::int64_t StrideOf(const StepLimits& limits, double dt) {
  return RoundDownToLadder(dt / limits.base);
}

void PlanStride(const StepLimits& limits, double allowed, bool has_large_overlaps,
                AdaptiveStepState& adaptive) {
  const bool is_shortened = has_large_overlaps && CanShorten(adaptive);
  ++adaptive.calm_steps;
  if (is_shortened) {
    const std::int64_t shortest = RoundDownToLadder(allowed / limits.base) / kMaxShortening;
    adaptive.ceiling =
        std::max<std::int64_t>({3 * adaptive.stride / 4, std::min(adaptive.stride, shortest), 1});
    adaptive.calm_steps = 0;
  } else if (adaptive.calm_steps >= kStepsUntilRetry && adaptive.ceiling < kNoCeiling) {
    adaptive.ceiling = std::min(4 * adaptive.ceiling / 3 + 1, kNoCeiling);
    adaptive.calm_steps = 0;
  }
  const std::int64_t rung =
      RoundDownToLadder(std::min(allowed / limits.base, static_cast<double>(adaptive.ceiling)));
  if (rung <= adaptive.next_stride || adaptive.next_stride == 0) {
    adaptive.next_stride = rung;
    adaptive.growing_steps = 0;
  } else if (++adaptive.growing_steps >= kCalmSteps) {
    adaptive.next_stride = std::min(rung, 2 * adaptive.next_stride);
    adaptive.growing_steps = 0;
  }
}

}  // namespace scree
