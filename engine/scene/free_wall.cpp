#include "engine/scene/free_wall.hpp"

#include <Eigen/Geometry>

#include "engine/scene/free_tree.hpp"

namespace scree {

FreeStep FreeStepOf(const FreeMotion& motion, const Vec3& axis, const Vec3& centre,
                    const Vec3& gravity, double dt, const FreeWallState& state) {
  const double kick_length = KickLength(state.LengthBefore(dt), dt);
  const auto solve = [&](double inertia, double drive, double spring, double rest, double damping) {
    const double spring_term = kick_length * dt * spring;
    const double effective_inertia =
        inertia + kick_length * damping + ImplicitFraction(spring_term / inertia) * spring_term;
    return FreeStep{effective_inertia, (inertia * state.speed +
                                        kick_length * (drive - spring * (state.travel - rest))) /
                                           effective_inertia};
  };
  if (motion.IsRotation()) {
    Vec3 arm = Vec3::Zero();
    if (motion.centre_of_mass) {
      arm = Eigen::AngleAxisd(state.travel, axis) * Vec3(*motion.centre_of_mass - centre);
    }
    const double weight = arm.cross(motion.mass * gravity).dot(axis);
    return solve(motion.inertia, motion.torque + weight, motion.torsion_spring, motion.torsion_rest,
                 motion.torsion_damping);
  }
  const double weight = motion.HasPressureDrive() ? 0.0 : motion.mass * gravity.dot(axis);
  return solve(motion.mass, motion.force + motion.pressure * motion.area + weight, motion.spring,
               motion.spring_rest, motion.damping);
}

}  // namespace scree
