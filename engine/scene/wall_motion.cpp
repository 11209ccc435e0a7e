#include "engine/scene/wall_motion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "engine/geometry/quaternion.hpp"
#include "engine/scene/link_motion.hpp"
#include "engine/scene/links.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

Vec3 Corner(const Box& box, int number) {
  return {(number & 1 ? box.upper : box.lower).x(), (number & 2 ? box.upper : box.lower).y(),
          (number & 4 ? box.upper : box.lower).z()};
}

double FarthestFrom(const Vec3& x, const Box& box) {
  double farthest = 0.0;
  for (int k = 0; k < 8; ++k) farthest = std::max(farthest, (Corner(box, k) - x).norm());
  return farthest;
}

Vec3 OscillationAt(const Oscillation& oscillation, double time) {
  const double angle = 2.0 * std::numbers::pi * oscillation.frequency * time;
  return (std::sin(angle + oscillation.phase) - std::sin(oscillation.phase)) *
         oscillation.amplitude;
}

/// A motion of a wall: the one that the members of Wall describe, or a TimedMotion.
struct MotionView {
  double from, until;
  const Vec3& velocity;
  const Oscillation& oscillation;
  const Vec3& angular_velocity;
  bool is_own = false;  // described by the members of Wall, which include the table
};

/// Visits the motions in the order in which they begin, because rotations about different axes must
/// be applied in this order.
template <class Visit>
void ForEachMotion(const Wall& wall, Visit&& visit) {
  const MotionView wall_motion{wall.moves_from,
                               wall.moves_until,
                               wall.velocity,
                               wall.oscillation,
                               wall.rotation.angular_velocity,
                               true};
  bool is_own_due = true;
  for (const TimedMotion& motion : wall.motions) {
    if (is_own_due && motion.from >= wall.moves_from) {
      visit(wall_motion);
      is_own_due = false;
    }
    visit(MotionView{motion.from, motion.until, motion.velocity, motion.oscillation,
                     motion.angular_velocity});
  }
  if (is_own_due) visit(wall_motion);
}

constexpr double kMaxSteps = 1e18;
std::int64_t StepOf(double time, double dt) { return std::llround(std::min(time / dt, kMaxSteps)); }

/// The first step of a motion, and the first step after it.
struct MotionSteps {
  std::int64_t first, end;

  MotionSteps(double from, double until, double dt)
      : first(StepOf(from, dt)), end(StepOf(until, dt)) {}
  bool Includes(std::int64_t step) const { return first <= step && step < end; }
  /// Time since the start of the motion [s].
  double Elapsed(std::int64_t step, double dt) const {
    return dt * static_cast<double>(std::clamp(step, first, end) - first);
  }
};

/// Adds a rotation about the centre to the pose, unless the wall looks the same after it and
/// nothing else turns with it: no surface velocity, no bonds and no additional motion.
void RotateWall(const Wall& wall, const Vec3& axis, double angle, bool has_bonds, WallPose& pose) {
  if (IsAxisymmetric(wall.shape, wall.rotation.centre, axis) && !wall.IsBelt() && !has_bonds &&
      wall.motions.empty())
    return;
  const Mat3 rotation = Eigen::AngleAxisd(angle, axis).matrix();
  pose.rotation = pose.is_rotated ? Mat3(rotation * pose.rotation) : rotation;
  pose.is_rotated = true;
}

/// A step that combines `stride` steps of length dt, starting with `step`.
struct StepSpan {
  double dt;
  std::int64_t step, stride;

  std::int64_t End() const { return step + stride; }
  double Length() const { return dt * static_cast<double>(stride); }
};

void AddMotion(const Wall& wall, const MotionView& motion, const StepSpan& span, bool has_bonds,
               WallPose& pose) {
  const MotionSteps steps(motion.from, motion.until, span.dt);
  const double time = steps.Elapsed(span.step, span.dt);
  const bool is_active = steps.Includes(span.step);
  pose.displacement += motion.velocity * time;
  if (is_active) pose.velocity += motion.velocity;
  if (!motion.oscillation.amplitude.isZero(0.0)) {
    // The mean velocity moves the wall exactly to its next position.
    const Vec3 current = OscillationAt(motion.oscillation, time);
    const Vec3 next = OscillationAt(motion.oscillation, steps.Elapsed(span.End(), span.dt));
    pose.displacement += current;
    pose.velocity += (next - current) / span.Length();
    const Vec3 last = OscillationAt(motion.oscillation, time - span.Length());
    if (is_active) pose.velocity_change += (next - 2.0 * current + last) / span.Length();
  }
  if (motion.angular_velocity.isZero(0.0)) return;
  if (is_active) pose.angular_velocity += motion.angular_velocity;
  const double rate = motion.angular_velocity.norm();
  RotateWall(wall, motion.angular_velocity / rate, rate * time, has_bonds, pose);
}

/// The constant angular velocity of the step rotates the wall exactly to its next orientation.
/// @param times      beginning of the last, this and the next step, in the table's time [s]
/// @param is_active  whether the table moves the wall both in the last step and in this step
void AddOrientation(const MotionTable& table, const std::array<double, 3>& times, bool is_active,
                    double length, WallPose& pose, Vec3& rate_change) {
  const Quaternion current = table.RotationAt(times[1]);
  const Vec3 rate = RotationVector(table.RotationAt(times[2]) * Inverse(current)) / length;
  pose.angular_velocity += rate;
  if (is_active) {
    rate_change = rate - RotationVector(current * Inverse(table.RotationAt(times[0]))) / length;
  }
  const Mat3 rotation = RotationMatrix(current);
  pose.rotation = pose.is_rotated ? Mat3(rotation * pose.rotation) : rotation;
  pose.is_rotated = true;
}

/// @param rate_change  change of the angular velocity since the last step [rad/s]
void AddTable(const Wall& wall, const StepSpan& span, bool has_bonds, WallPose& pose,
              Vec3& rate_change) {
  if (wall.table.IsEmpty()) return;
  const MotionSteps steps(wall.moves_from, wall.moves_until, span.dt);
  const double time = steps.Elapsed(span.step, span.dt), length = span.Length();
  const MotionTable::Coordinates current = wall.table.At(time);
  const MotionTable::Coordinates next = wall.table.At(steps.Elapsed(span.End(), span.dt));
  pose.displacement += current.head<3>();
  pose.velocity += (next - current).head<3>() / length;
  MotionTable::Coordinates change = MotionTable::Coordinates::Zero();
  if (steps.Includes(span.step) && time >= length) {
    change = (next - 2.0 * current + wall.table.At(time - length)) / length;
    pose.velocity_change += change.head<3>();
  }
  if (wall.table.HasOrientation()) {
    AddOrientation(wall.table, {time - length, time, steps.Elapsed(span.End(), span.dt)},
                   steps.Includes(span.step) && time >= length, length, pose, rate_change);
  }
  if (!wall.table.HasAngle()) return;
  pose.angular_velocity += (next[3] - current[3]) / length * wall.axis;
  rate_change = change[3] * wall.axis;
  RotateWall(wall, wall.axis, current[3], has_bonds, pose);
}

Mat3 CrossMatrix(const Vec3& a) {
  Mat3 cross;
  cross << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return cross;
}

/// Gravity at the centre of mass, and the centrifugal and Coriolis accelerations of a rotating
/// frame. The axis must be parallel to that of the frame: then the frame's forces on the rotation
/// about the centre of mass have no torque about the axis.
Vec3 EffectiveGravity(const Wall& wall, const Scene& scene, const WallPose& pose,
                      const FreeWallState& state) {
  if (!scene.frame.IsRotating() || !wall.free.centre_of_mass) return scene.gravity;
  const Vec3 arm = *wall.free.centre_of_mass - wall.rotation.centre;
  const Vec3 centre_of_mass =
      pose.CurrentCentre() + Eigen::AngleAxisd(state.travel, wall.axis) * arm;
  return scene.gravity + scene.frame.Centrifugal(centre_of_mass) -
         2.0 * scene.frame.angular_velocity.cross(pose.velocity);
}

/// Adds the current position of a free wall, and the effect of its forces in this step.
/// @param row  of the wall's state
void AddFreeMotion(const Wall& wall, const Scene& scene, const StepSpan& span, std::size_t row,
                   const FreeWallState& state, WallPose& pose) {
  if (wall.free.IsRotation()) {
    pose.angular_velocity += state.speed * wall.axis;
    RotateWall(wall, wall.axis, state.travel, !scene.bonds.empty(), pose);
  } else {
    pose.displacement += state.travel * wall.axis;
    pose.velocity += state.speed * wall.axis;
  }
  if (!pose.is_present || span.step < StepOf(wall.free.start, span.dt)) return;
  const FreeStep step =
      FreeStepOf(wall.free, wall.axis, wall.rotation.centre,
                 EffectiveGravity(wall, scene, pose, state), span.Length(), state);
  FreeTree tree;
  tree.length = span.Length();
  tree.kick_length = KickLength(state.LengthBefore(tree.length), tree.length);
  tree.axes.push_back({row, wall.free.IsRotation(), wall.axis, pose.CurrentCentre(), state.speed,
                       step.speed, step.speed});
  tree.mass.setConstant(1, 1, step.inertia);
  pose.tree = std::make_shared<const FreeTree>(std::move(tree));
  pose.moved_by = 1;
}

/// @param span  relative to the time of the wall's initial position
/// @param row   of the wall's state
WallPose Pose(const Wall& wall, const Scene& scene, const StepSpan& span, std::size_t row,
              const FreeWallState& state) {
  WallPose pose;
  pose.centre = wall.rotation.centre;
  Vec3 rate_change = Vec3::Zero();
  ForEachMotion(wall, [&](const MotionView& motion) {
    AddMotion(wall, motion, span, !scene.bonds.empty(), pose);
    if (motion.is_own) AddTable(wall, span, !scene.bonds.empty(), pose, rate_change);
  });
  if (pose.IsRotating()) {
    const Vec3 before = pose.angular_velocity - rate_change;
    const Mat3 inverse_rotation = RotationMatrix(RotationBy(-span.Length() * before));
    pose.change_per_arm =
        CrossMatrix(pose.angular_velocity) - CrossMatrix(before) * inverse_rotation;
  }
  pose.is_present = MotionSteps(wall.appears_at, wall.removed_at, span.dt).Includes(span.step);
  if (wall.IsFree()) AddFreeMotion(wall, scene, span, row, state, pose);
  const bool is_belt_running =
      MotionSteps(wall.moves_from, wall.moves_until, span.dt).Includes(span.step);
  if (wall.IsBelt() && is_belt_running) pose.belt = pose.DirectionInSpace(wall.surface_velocity);
  return pose;
}

/// Upper bounds of a wall's speed without rotation [m/s], and of its angular velocity [rad/s].
struct MaxSpeeds {
  double speed = 0.0, rate = 0.0;
};
MaxSpeeds MaxSpeedsOf(const Wall& wall) {
  MaxSpeeds max_speeds;
  ForEachMotion(wall, [&](const MotionView& motion) {
    const double swing =
        2.0 * std::numbers::pi * motion.oscillation.frequency * motion.oscillation.amplitude.norm();
    max_speeds.speed += motion.velocity.norm() + swing;
    max_speeds.rate += motion.angular_velocity.norm();
  });
  const MotionTable::Coordinates rates = wall.table.MaxRates();
  max_speeds.speed += rates.head<3>().norm();
  max_speeds.rate += rates[3];
  return max_speeds;
}

}  // namespace

std::int64_t StepsPerLayer(const Scene& scene, const Inflow& inflow, double dt) {
  const double diameter = 2.0 * inflow.grain.sizes.largest;
  const double per_step = dt * scene.walls[inflow.piston].velocity.norm();
  constexpr double kRounding = 1e-9;  // in steps: 0.94 mm / (1 m/s 10 us) is not exactly 94
  return static_cast<std::int64_t>(std::ceil(diameter / per_step - kRounding));
}

std::int64_t NextWallEvent(const Scene& scene, double dt, std::int64_t step) {
  std::int64_t next = kNoEvent;
  const auto add_event = [&](double time) {
    const std::int64_t event_step = StepOf(time, dt);
    if (event_step > step) next = std::min(next, event_step);
  };
  for (const Wall& wall : scene.walls) {
    for (const double time : {wall.appears_at, wall.removed_at}) add_event(time);
    if (wall.IsFree()) add_event(wall.free.start);
    ForEachMotion(wall, [&](const MotionView& motion) {
      add_event(motion.from);
      add_event(motion.until);
    });
  }
  for (const Inflow& inflow : scene.pistons) {
    const std::int64_t interval = StepsPerLayer(scene, inflow, dt);
    next = std::min(next, (step / interval + 1) * interval);
  }
  return next;
}

void WallPoses(const Scene& scene, double dt, std::int64_t step, FreeWallStates free,
               std::vector<WallPose>& poses, std::int64_t stride) {
  poses.clear();
  for (std::size_t w = 0; w < scene.walls.size(); ++w) {
    const auto inflow = std::ranges::find(scene.pistons, w, &Inflow::piston);
    const bool is_piston = inflow != scene.pistons.end();
    const std::int64_t from = is_piston ? step % StepsPerLayer(scene, *inflow, dt) : step;
    const std::size_t row = scene.WallRow(w);
    poses.push_back(Pose(scene.walls[w], scene, {dt, from, stride}, row,
                         row < free.size() ? free[row] : FreeWallState()));
  }
  const StepSpan span{dt, step, stride};
  PlaceLinks(scene, dt * static_cast<double>(step), span.Length(), free, poses);
}

void PredictFreeWalls(const Scene& scene, double dt, std::int64_t step, FreeWallStates free,
                      std::vector<FreeWallState>& after, std::int64_t stride) {
  after.assign(free.begin(), free.end());
  if (after.empty()) return;
  std::vector<WallPose> poses;
  WallPoses(scene, dt, step, free, poses, stride);
  std::vector<bool> is_done(after.size());
  for (const WallPose& pose : poses) {
    if (!pose.IsFree()) continue;
    const std::vector<FreeAxis>& axes = pose.tree->axes;
    if (is_done[axes.front().row]) continue;
    is_done[axes.front().row] = true;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      if (pose.tree->IsRotationComponent(k)) continue;
      after[axes[k].row].travel += StepSpan{dt, step, stride}.Length() * axes[k].no_load_speed;
    }
    for (const std::size_t first : pose.tree->rotations) {
      const Vec3 rates(axes[first].no_load_speed, axes[first + 1].no_load_speed,
                       axes[first + 2].no_load_speed);
      RotateJoint(scene, *pose.tree, first, rates, Vec3::Zero(), after);
    }
  }
}

double MaxTravel(const WallPose& from, const WallPose& to, const Box& extent) {
  if (!from.is_rotated) return (to.displacement - from.displacement).norm();
  // The displacement is an affine function of the point, so its maximum is at a corner.
  double longest = 0.0;
  for (int k = 0; k < 8; ++k) {
    const Vec3 corner = Corner(extent, k);
    longest = std::max(longest, (to.InSpace(corner) - from.InSpace(corner)).norm());
  }
  return longest;
}

Box ReachableExtent(const Shape& shape, const WallPose& pose, const Box& region) {
  Box extent{Vec3::Constant(HUGE_VAL), Vec3::Constant(-HUGE_VAL)};
  for (int k = 0; k < 8; ++k) {
    const Vec3 corner = pose.InShape(Corner(region, k));
    extent.lower = extent.lower.cwiseMin(corner);
    extent.upper = extent.upper.cwiseMax(corner);
  }
  const Box bounds = BoundingBox(shape);
  for (int axis = 0; axis < 3; ++axis) {
    // If shape and region do not overlap, use the nearest end of the region.
    extent.lower[axis] =
        std::min(std::max(extent.lower[axis], bounds.lower[axis]), extent.upper[axis]);
    extent.upper[axis] =
        std::max(std::min(extent.upper[axis], bounds.upper[axis]), extent.lower[axis]);
  }
  return extent;
}

bool CanHaveImages(const Domain& domain, const Shape& shape) {
  const Box bounds = BoundingBox(shape);
  return std::ranges::count(domain.periodic, true) > 0 && bounds.lower.allFinite() &&
         bounds.upper.allFinite();
}

double MaxDistance(const Shape& shape, const Vec3& x) {
  return FarthestFrom(x, BoundingBox(shape));
}

double MaxArm(const Scene& scene, const Wall& wall) {
  return std::min(MaxDistance(wall.shape, wall.rotation.centre), scene.domain.box.Extent().norm());
}

namespace {

Box ExtendedBox(const Domain& domain, double beyond) {
  const Vec3 margin = Vec3::Constant(beyond);
  return {domain.box.lower - margin, domain.box.upper + margin};
}

/// Speed of the fastest point that particles can reach on a wall [m/s].
/// @param max_speeds  of the centre, and angular velocity
/// @param region      where surfaces of particles can be
double MaxPointSpeed(const Scene& scene, const Shape& shape, const WallPose& pose,
                     const MaxSpeeds& max_speeds, const Box& region) {
  if (max_speeds.rate == 0.0) return max_speeds.speed;
  double arm = MaxDistance(shape, pose.centre);
  if (!CanHaveImages(scene.domain, shape)) {
    arm = std::min(arm, FarthestFrom(pose.CurrentCentre(), region));
  }
  return max_speeds.speed + max_speeds.rate * arm;
}

/// Adds the larger of the speeds of a free wall before and after the step.
void AddFreeSpeeds(const Wall& wall, const WallPose& pose, MaxSpeeds& max_speeds) {
  if (!wall.IsPartOfLink()) {
    const FreeAxis& axis = pose.tree->axes.front();
    (axis.is_rotation ? max_speeds.rate : max_speeds.speed) +=
        std::max(std::abs(axis.speed), std::abs(axis.no_load_speed));
    return;
  }
  Vec3 speed = pose.velocity, rate = pose.angular_velocity;
  pose.ForEachAxis([&](std::size_t, const FreeAxis& axis) {
    speed += (axis.no_load_speed - axis.speed) * pose.AxisVelocityAt(axis, pose.CurrentCentre());
    rate += (axis.no_load_speed - axis.speed) * axis.AngularVelocity();
  });
  max_speeds.speed += std::max(speed.norm(), pose.velocity.norm());
  max_speeds.rate += std::max(rate.norm(), pose.angular_velocity.norm());
}

}  // namespace

double CurrentWallSpeed(const Scene& scene, double dt, std::int64_t step, double beyond,
                        FreeWallStates free) {
  const Box region = ExtendedBox(scene.domain, beyond);
  const std::vector<WallPose> poses = WallPoses(scene, dt, step, free);
  double fastest = 0.0;
  for (std::size_t w = 0; w < poses.size(); ++w) {
    const WallPose& pose = poses[w];
    if (!pose.is_present) continue;
    const MaxSpeeds max_speeds = {pose.velocity.norm() + pose.belt.norm(),
                                  pose.angular_velocity.norm()};
    fastest =
        std::max(fastest, MaxPointSpeed(scene, scene.walls[w].shape, pose, max_speeds, region));
  }
  return fastest;
}

double MaxWallSpeed(const Scene& scene, double dt, std::int64_t step, double beyond,
                    FreeWallStates free, std::int64_t stride) {
  const Box region = ExtendedBox(scene.domain, beyond);
  std::vector<WallPose> poses;
  WallPoses(scene, dt, step, free, poses, stride);
  double fastest = 0.0;
  for (std::size_t w = 0; w < poses.size(); ++w) {
    MaxSpeeds max_speeds = MaxSpeedsOf(scene.walls[w]);
    if (poses[w].IsFree()) AddFreeSpeeds(scene.walls[w], poses[w], max_speeds);
    fastest =
        std::max(fastest, MaxPointSpeed(scene, scene.walls[w].shape, poses[w], max_speeds, region));
  }
  return fastest;
}

}  // namespace scree
