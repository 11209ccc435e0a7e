/// \file  Poses and motions of walls as functions of the step number, so that they neither drift
///        nor need to be stored. Poses of free walls (free_wall.hpp) also depend on the states of
///        the walls.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/scene/free_tree.hpp"
#include "engine/scene/scene.hpp"
#include "engine/scene/step_parameters.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// A wall at the beginning of a step, and its motion during the step.
struct WallPose {
  bool is_present = true;   // has appeared and has not been removed
  bool is_rotated = false;  // `rotation` changes the shape; false if the shape is axisymmetric
  Vec3 displacement = Vec3::Zero();      // since time zero [m]
  Mat3 rotation = Mat3::Identity();      // rotation about the centre since time zero
  Vec3 centre = Vec3::Zero();            // of the rotation at time zero [m]
  Vec3 velocity = Vec3::Zero();          // of the centre, mean over the step [m/s]
  Vec3 angular_velocity = Vec3::Zero();  // [rad/s]
  // The velocities minus those of an imagined preceding step of the same length, in which the
  // current motion acted already. A motion that starts or ends suddenly therefore does not count as
  // acceleration.
  Vec3 velocity_change = Vec3::Zero();  // of the centre [m/s]
  Mat3 change_per_arm =
      Mat3::Zero();          // times the arm from the centre: the change that rotation adds
  Vec3 belt = Vec3::Zero();  // current value of Wall::surface_velocity [m/s]

  // Set only for a wall that is moved by forces. The velocities above are then those at the
  // beginning of the step.
  std::shared_ptr<const FreeTree> tree = nullptr;
  std::uint64_t moved_by = 0;      // bit set of the axes of the tree that move the wall
  Vec3 tree_shift = Vec3::Zero();  // shift of a periodic image from the tree [m]

  bool IsFree() const { return tree != nullptr; }
  /// Calls visit(k, axis) for each axis that moves the wall.
  template <class Visit>
  void ForEachAxis(Visit&& visit) const {
    if (!IsFree()) return;
    for (std::size_t k = 0; k < tree->axes.size(); ++k) {
      if ((moved_by >> k & 1) != 0) visit(k, tree->axes[k]);
    }
  }
  /// Whether some axis can rotate the wall.
  bool CanRotate() const {
    bool rotates = false;
    ForEachAxis([&](std::size_t, const FreeAxis& axis) { rotates = rotates || axis.is_rotation; });
    return rotates;
  }
  /// Velocity of a point in space per unit speed of an axis.
  Vec3 AxisVelocityAt(const FreeAxis& axis, const Vec3& x) const {
    return axis.VelocityAt(x - tree_shift);
  }
  /// Part of the wall's velocity at x that comes from the axes of the tree [m/s].
  Vec3 FreeVelocity(const Vec3& x) const {
    Vec3 sum = Vec3::Zero();
    ForEachAxis(
        [&](std::size_t, const FreeAxis& axis) { sum += axis.speed * AxisVelocityAt(axis, x); });
    return sum;
  }
  /// Change of the velocity at a point of a free wall in this step if no contact acted on it [m/s].
  Vec3 KickAt(const Vec3& x) const {
    Vec3 sum = Vec3::Zero();
    ForEachAxis([&](std::size_t, const FreeAxis& axis) {
      sum += (axis.no_load_speed - axis.speed) * AxisVelocityAt(axis, x);
    });
    return sum;
  }

  Vec3 CurrentCentre() const { return centre + displacement; }
  /// Transforms a point in space to the coordinates of the wall's shape at time zero.
  Vec3 InShape(const Vec3& x) const {
    if (!is_rotated) return x - displacement;
    return rotation.transpose() * (x - CurrentCentre()) + centre;
  }
  /// Current position of a point of the shape at time zero.
  Vec3 InSpace(const Vec3& x) const {
    if (!is_rotated) return x + displacement;
    return rotation * (x - centre) + CurrentCentre();
  }
  /// Current direction of a direction of the shape at time zero.
  Vec3 DirectionInSpace(const Vec3& direction) const {
    return is_rotated ? Vec3(rotation * direction) : direction;
  }

  bool IsRotating() const { return !angular_velocity.isZero(0.0); }
  bool IsBelt() const { return !belt.isZero(0.0); }
  /// Surface velocity of a belt at a point with this normal [m/s].
  Vec3 BeltVelocityAt(const Vec3& normal) const { return belt - belt.dot(normal) * normal; }
  /// Velocity of the wall as a rigid body at a point in space [m/s].
  Vec3 SurfaceVelocity(const Vec3& x) const {
    return IsRotating() ? Vec3(velocity + angular_velocity.cross(x - CurrentCentre())) : velocity;
  }
  /// Change since the last step in the velocity of a body that moves with the wall and has its
  /// centre at x [m/s].
  Vec3 CarriedVelocityChange(const Vec3& x) const {
    return velocity_change + change_per_arm * (x - CurrentCentre());
  }
};

/// Number of steps between layers of the inflow: the time in which the piston travels the largest
/// diameter, rounded up to whole steps.
std::int64_t StepsPerLayer(const Scene& scene, const Inflow& inflow, double dt);

/// States of free walls and joints (Scene::FreeRows). Empty: all are at their initial positions.
using FreeWallStates = std::span<const FreeWallState>;

/// The next time, in steps, at which a wall appears, is removed, starts or ends a motion, or a
/// layer in front of a piston is due; kNoEvent: none.
std::int64_t NextWallEvent(const Scene& scene, double dt, std::int64_t step);

/// Computes the poses of all walls at the beginning of step `step`.
/// @param free    states of the free walls and joints
/// @param stride  number of steps of length dt that this step combines
void WallPoses(const Scene& scene, double dt, std::int64_t step, FreeWallStates free,
               std::vector<WallPose>& poses, std::int64_t stride = 1);
inline std::vector<WallPose> WallPoses(const Scene& scene, double dt, std::int64_t step,
                                       FreeWallStates free = {}) {
  std::vector<WallPose> poses;
  WallPoses(scene, dt, step, free, poses);
  return poses;
}

/// Predicts the states of free walls at the end of step `step`, without impulses from particles.
void PredictFreeWalls(const Scene& scene, double dt, std::int64_t step, FreeWallStates free,
                      std::vector<FreeWallState>& after, std::int64_t stride = 1);

/// Upper bound of the displacement of a point of the extent between two poses [m].
/// @param extent  of the shape at time zero, finite if the shape rotates
double MaxTravel(const WallPose& from, const WallPose& to, const Box& extent);

/// Whether periodic images of a wall may reach into the domain (wall_images). If so, MaxTravel has
/// to cover the whole wall, not only the part near the domain.
bool CanHaveImages(const Domain& domain, const Shape& shape);

/// The part of a wall that particles can reach soon, in coordinates of the shape; for MaxTravel.
/// @param region  where surfaces of particles can be, in space
Box ReachableExtent(const Shape& shape, const WallPose& pose, const Box& region);

/// Upper bound of the distance of the points of a shape from x, both at time zero; infinite for
/// planes and for meshes that are not loaded [m].
double MaxDistance(const Shape& shape, const Vec3& x);

/// Upper bound of the distance of the points of a wall that particles can reach from its centre of
/// rotation, if this lies in the domain [m].
double MaxArm(const Scene& scene, const Wall& wall);

/// Upper bound of the current speed of the wall surfaces that particles can reach [m/s].
/// @param beyond  as for MaxWallSpeed
double CurrentWallSpeed(const Scene& scene, double dt, std::int64_t step, double beyond,
                        FreeWallStates free = {});

/// As CurrentWallSpeed, but a bound for all times; for free walls only in the next step [m/s].
/// @param beyond  distance by which surfaces of particles extend out of the domain [m]
double MaxWallSpeed(const Scene& scene, double dt, std::int64_t step, double beyond,
                    FreeWallStates free = {}, std::int64_t stride = 1);

}  // namespace scree
