/// \file  Where walls are and how they move: a function of the step number, so that nothing drifts
///        and nothing needs to be stored; of free walls (free_wall.hpp) also of their states.
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
  bool is_there = true;              // has appeared and is not removed yet
  bool turns = false;                // its shape does; one that is round about its axis need not
  Vec3 displacement = Vec3::Zero();  // since time zero [m]
  Mat3 turn = Mat3::Identity();      // about the centre, from its attitude at time zero
  Vec3 centre = Vec3::Zero();        // of the rotation at time zero [m]
  Vec3 velocity = Vec3::Zero();      // of the centre, mean over the step [m/s]
  Vec3 angular_velocity = Vec3::Zero();  // [rad/s]
  // By how much velocities have changed since a step as long before, as if what moves the wall now
  // had moved it then: a motion that begins or ends at once is no acceleration.
  Vec3 velocity_change = Vec3::Zero();  // of the centre [m/s]
  Mat3 change_per_arm = Mat3::Zero();   // of a point that turns with the wall [1/s]
  Vec3 belt = Vec3::Zero();             // Wall::surface_velocity as it is now [m/s]

  // Of a wall that forces move in this step; its velocities are those at the beginning.
  std::shared_ptr<const FreeTree> tree = nullptr;
  std::uint64_t moved_by = 0;      // bits of the axes of the tree
  Vec3 tree_shift = Vec3::Zero();  // of an image, from the tree [m]

  bool IsFree() const { return tree != nullptr; }
  /// Calls visit(k, axis) for the axes that move it.
  template <class Visit>
  void ForEachAxis(Visit&& visit) const {
    if (!IsFree()) return;
    for (std::size_t k = 0; k < tree->axes.size(); ++k) {
      if ((moved_by >> k & 1) != 0) visit(k, tree->axes[k]);
    }
  }
  /// Whether some axis turns it.
  bool MayTurn() const {
    bool turns_it = false;
    ForEachAxis([&](std::size_t, const FreeAxis& axis) { turns_it = turns_it || axis.turns; });
    return turns_it;
  }
  /// Velocity of a point in space per unit of an axis' speed.
  Vec3 Along(const FreeAxis& axis, const Vec3& x) const { return axis.VelocityAt(x - tree_shift); }
  /// The part of its velocity at a point that comes from the axes [m/s].
  Vec3 FreeVelocity(const Vec3& x) const {
    Vec3 sum = Vec3::Zero();
    ForEachAxis([&](std::size_t, const FreeAxis& axis) { sum += axis.speed * Along(axis, x); });
    return sum;
  }
  /// What its own forces and those of joints add to the velocity of such a point in the step [m/s].
  Vec3 Push(const Vec3& x) const {
    Vec3 sum = Vec3::Zero();
    ForEachAxis([&](std::size_t, const FreeAxis& axis) {
      sum += (axis.idle - axis.speed) * Along(axis, x);
    });
    return sum;
  }

  Vec3 CentreNow() const { return centre + displacement; }
  /// A point in space, in the coordinates of the wall's shape at time zero.
  Vec3 InShape(const Vec3& x) const {
    if (!turns) return x - displacement;
    return turn.transpose() * (x - CentreNow()) + centre;
  }
  /// Where a point of the shape at time zero is now.
  Vec3 InSpace(const Vec3& x) const {
    if (!turns) return x + displacement;
    return turn * (x - centre) + CentreNow();
  }
  /// A direction of the shape as it is now.
  Vec3 Turned(const Vec3& direction) const { return turns ? Vec3(turn * direction) : direction; }

  bool Rotates() const { return !angular_velocity.isZero(0.0); }
  bool IsBelt() const { return !belt.isZero(0.0); }
  /// What a belt adds to the velocity of its surface where that has this normal [m/s].
  Vec3 AlongSurface(const Vec3& normal) const { return belt - belt.dot(normal) * normal; }
  /// Of the wall as a rigid body, at a point in space [m/s].
  Vec3 SurfaceVelocity(const Vec3& x) const {
    return Rotates() ? Vec3(velocity + angular_velocity.cross(x - CentreNow())) : velocity;
  }
  /// By how much the velocity of a body has changed since the last step that the wall carries
  /// along, and whose centre is there now [m/s].
  Vec3 ChangeOfCarried(const Vec3& x) const {
    return velocity_change + change_per_arm * (x - CentreNow());
  }
};

/// Steps in which the piston travels one diameter, rounded up: the layers of the inflow are that
/// many steps apart.
std::int64_t StepsPerLayer(const Scene& scene, const Inflow& inflow, double dt);

/// Of a scene with free walls or joints: one per joint, then one per wall; else none. What has none
/// is where it began.
using FreeWallStates = std::span<const FreeWallState>;

/// The first moment after this one, in steps, at which a wall appears, goes, or begins or ends a
/// motion, or a piston has a layer due; kNoEvent: none.
std::int64_t NextWallEvent(const Scene& scene, double dt, std::int64_t step);

/// All walls at the beginning of step `step`.
/// @param stride  what is about to be done as one step takes so many of length dt
void WallPoses(const Scene& scene, double dt, std::int64_t step, FreeWallStates free,
               std::vector<WallPose>& poses, std::int64_t stride = 1);
inline std::vector<WallPose> WallPoses(const Scene& scene, double dt, std::int64_t step,
                                       FreeWallStates free = {}) {
  std::vector<WallPose> poses;
  WallPoses(scene, dt, step, free, poses);
  return poses;
}

/// Where free walls will be at the end of step `step` unless grains hinder them.
void PredictFreeWalls(const Scene& scene, double dt, std::int64_t step, FreeWallStates free,
                      std::vector<FreeWallState>& after, std::int64_t stride = 1);

/// No point of the extent moves farther than this between two poses [m].
/// @param extent  of the shape at time zero, finite if it turns
double MaxTravel(const WallPose& from, const WallPose& to, const Box& extent);

/// Whether periodic images of a wall may reach into the domain (wall_images): then all of it counts
/// for how far it moves, not only what is near the domain itself.
bool MayHaveImages(const Domain& domain, const Shape& shape);

/// The part of a wall that particles can meet soon, as MaxTravel needs it.
/// @param region  in space, where the surfaces of particles can be
Box ReachableExtent(const Shape& shape, const WallPose& pose, const Box& region);

/// No point of a wall's surface that particles can meet moves faster than this now [m/s].
double PresentWallSpeed(const Scene& scene, double dt, std::int64_t step, double beyond,
                        FreeWallStates free = {});

/// No point of a wall that particles can meet moves faster than this at any time, of free walls:
/// now [m/s].
/// @param beyond  how far surfaces of particles reach out of the domain [m]
double MaxWallSpeed(const Scene& scene, double dt, std::int64_t step, double beyond,
                    FreeWallStates free = {}, std::int64_t stride = 1);

}  // namespace scree
