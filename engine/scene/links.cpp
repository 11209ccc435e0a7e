#include "engine/scene/links.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// A link at the beginning of a step. Its point x at time zero is now at turn x + shift.
struct LinkMotion {
  Mat3 turn = Mat3::Identity();
  Vec3 shift = Vec3::Zero();             // [m]
  Vec3 centre = Vec3::Zero();            // current centre of mass [m]
  Vec3 velocity = Vec3::Zero();          // of the centre [m/s]
  Vec3 angular_velocity = Vec3::Zero();  // [rad/s]
  // Accelerations if the speeds of the joints were constant.
  Vec3 acceleration = Vec3::Zero();          // of the centre [m/s²]
  Vec3 angular_acceleration = Vec3::Zero();  // [rad/s²]
  Index tree = -1;
  std::uint64_t moved_by = 0;  // bit set of the axes of its tree
};

/// The beginning and the length of a step [s].
struct StepTimes {
  double begin, length;
};

/// Rows that control the speed of a joint: friction, then a motor, then limits, which dominate.
void AddRows(const Joint& joint, double position, std::size_t axis, const StepTimes& step,
             std::vector<JointRow>& rows) {
  using Kind = JointRow::Kind;
  constexpr double kAny = std::numeric_limits<double>::infinity();
  if (joint.friction > 0.0) {
    const double most = step.length * joint.friction;
    rows.push_back({Kind::kFriction, axis, 0.0, -most, most});
  }
  if (joint.drive != JointDrive::kNone) {
    const double most = step.length * joint.largest;
    rows.push_back(
        {Kind::kMotor, axis, SpeedOfMotor(joint, position, step.begin, step.length), -most, most});
  }
  const auto limit = [&](double at, double least, double most) {
    if (std::isinf(at)) return;
    rows.push_back({Kind::kLimit, axis, (at - position) / step.length, least, most});
  };
  limit(joint.lower, 0.0, kAny);
  limit(joint.upper, -kAny, 0.0);
}

/// Adds inertia and forces of a link to its tree.
void AddLink(const Link& link, const LinkMotion& motion, const Vec3& gravity, FreeTree& tree,
             std::vector<double>& forces) {
  const Mat3 inertia = motion.turn * link.inertia * motion.turn.transpose();
  const Vec3& omega = motion.angular_velocity;
  const Vec3 force = link.mass * (gravity - motion.acceleration);
  const Vec3 torque = -(inertia * motion.angular_acceleration) - omega.cross(Vec3(inertia * omega));
  const auto moves = [&](std::size_t k) { return (motion.moved_by >> k & 1) != 0; };
  for (std::size_t i = 0; i < tree.axes.size(); ++i) {
    if (!moves(i)) continue;
    const Vec3 v = tree.axes[i].VelocityAt(motion.centre), rate = tree.axes[i].Rate();
    forces[i] += v.dot(force) + rate.dot(torque);
    for (std::size_t k = 0; k <= i; ++k) {
      if (!moves(k)) continue;
      const FreeAxis& other = tree.axes[k];
      const double h =
          link.mass * v.dot(other.VelocityAt(motion.centre)) + rate.dot(inertia * other.Rate());
      tree.mass(static_cast<Index>(i), static_cast<Index>(k)) += h;
      if (k != i) tree.mass(static_cast<Index>(k), static_cast<Index>(i)) += h;
    }
  }
}

/// The motion of a child that is fixed to its parent.
void Carry(const LinkMotion& parent, LinkMotion& child) {
  const Vec3 arm = child.centre - parent.centre;
  const Vec3& omega = parent.angular_velocity;
  child.velocity = parent.velocity + omega.cross(arm);
  child.acceleration =
      parent.acceleration + parent.angular_acceleration.cross(arm) + omega.cross(omega.cross(arm));
}

/// Adds the motion of the child's own joint.
/// @param omega  of the parent [rad/s]
void AddMotion(const Vec3& omega, const FreeAxis& axis, LinkMotion& child) {
  const Vec3 own = axis.speed * axis.VelocityAt(child.centre);
  child.velocity += own;
  if (!axis.turns) {
    child.acceleration += 2.0 * omega.cross(own);
    return;
  }
  const Vec3 arm = child.centre - axis.point;
  const Vec3 change = omega.cross(axis.speed * axis.axis);
  child.angular_velocity += axis.speed * axis.axis;
  child.angular_acceleration += change;
  child.acceleration += change.cross(arm) +
                        child.angular_velocity.cross(child.angular_velocity.cross(arm)) -
                        omega.cross(omega.cross(arm));
}

/// All links and their trees at one moment.
class Machines {
 public:
  Machines(const Scene& scene, FreeWallStates states) : scene_(scene), states_(states) {
    motions_.resize(scene.links.size());
    for (std::size_t j = 0; j < scene.joints.size(); ++j) PlaceChild(j);
  }

  std::size_t Count() const { return trees_.size(); }
  const LinkMotion& Motion(std::size_t link) const { return motions_[link]; }

  /// H, and the forces of weight and rotation.
  FreeTree TreeOf(std::size_t number, std::vector<double>& forces) const {
    FreeTree tree = trees_[number];
    const auto count = static_cast<Eigen::Index>(tree.axes.size());
    tree.mass.setZero(count, count);
    forces.assign(tree.axes.size(), 0.0);
    for (std::size_t l = 0; l < motions_.size(); ++l) {
      if (motions_[l].tree != static_cast<Index>(number)) continue;
      AddLink(scene_.links[l], motions_[l], scene_.gravity, tree, forces);
    }
    return tree;
  }

  /// Trees with the rows of a step; null: the tree is fixed.
  std::vector<std::shared_ptr<const FreeTree>> Trees(const StepTimes& step) const {
    std::vector<std::shared_ptr<const FreeTree>> trees;
    for (std::size_t number = 0; number < trees_.size(); ++number) {
      trees.push_back(trees_[number].axes.empty() ? nullptr : TreeInStep(number, step));
    }
    return trees;
  }

 private:
  FreeWallState StateOf(std::size_t joint) const {
    return joint < states_.size() ? states_[joint] : FreeWallState();
  }

  std::shared_ptr<const FreeTree> TreeInStep(std::size_t number, const StepTimes& step) const {
    std::vector<double> forces;
    FreeTree tree = TreeOf(number, forces);
    tree.length = step.length;
    std::vector<double> momenta(forces.size());
    for (std::size_t i = 0; i < momenta.size(); ++i) {
      for (std::size_t k = 0; k < momenta.size(); ++k) {
        momenta[i] += tree.mass(static_cast<Index>(i), static_cast<Index>(k)) * tree.axes[k].speed;
      }
    }
    for (std::size_t k = 0; k < forces.size(); ++k) {
      const Joint& joint = scene_.joints[tree.axes[k].row];
      const double position = StateOf(tree.axes[k].row).travel;
      momenta[k] +=
          step.length * (forces[k] + joint.force - joint.spring * (position - joint.rest));
      const auto at = static_cast<Eigen::Index>(k);
      tree.mass(at, at) += step.length * (joint.damping + step.length * joint.spring);
      AddRows(joint, position, k, step, tree.rows);
    }
    tree.SetMomenta(std::move(momenta));
    return std::make_shared<const FreeTree>(std::move(tree));
  }

  void PlaceChild(std::size_t j) {
    const Joint& joint = scene_.joints[j];
    LinkMotion parent;
    if (joint.parent == Joint::kGround) {
      parent.tree = static_cast<Index>(trees_.size());
      trees_.emplace_back();
    } else {
      parent = motions_[static_cast<std::size_t>(joint.parent)];
    }
    SCREE_DEMAND(parent.tree >= 0);
    const auto number = static_cast<std::size_t>(joint.child);
    LinkMotion& child = motions_[number];
    SCREE_DEMAND(child.tree < 0);
    child = parent;
    FreeAxis axis = {j, joint.Turns(), parent.turn * joint.axis,
                     parent.turn * joint.point + parent.shift, StateOf(j).speed};
    const double position = StateOf(j).travel;
    if (joint.Turns()) {
      const Mat3 turn = Eigen::AngleAxisd(position, joint.axis).matrix();
      child.turn = parent.turn * turn;
      child.shift += parent.turn * (joint.point - turn * joint.point);
    } else {
      child.shift += position * axis.axis;
    }
    child.centre = child.turn * scene_.links[number].centre + child.shift;
    Carry(parent, child);
    if (joint.IsFixed()) return;
    std::vector<FreeAxis>& axes = trees_[static_cast<std::size_t>(child.tree)].axes;
    SCREE_DEMAND(axes.size() < kMaxAxes);
    child.moved_by |= std::uint64_t{1} << axes.size();
    AddMotion(parent.angular_velocity, axis, child);
    axes.push_back(axis);
  }

  const Scene& scene_;
  FreeWallStates states_;
  std::vector<LinkMotion> motions_;
  std::vector<FreeTree> trees_;
};

}  // namespace

double SpeedOfMotor(const Joint& joint, double position, double begin, double length) {
  const auto given = [&](double time) {
    return joint.table.IsEmpty() ? joint.target : joint.table.At(time)[joint.TableComponent()];
  };
  if (joint.drive == JointDrive::kToPosition) {
    const double speed = (given(begin + length) - position) / length;
    return std::clamp(speed, -joint.largest_speed, joint.largest_speed);
  }
  return joint.table.IsEmpty() ? joint.target : (given(begin + length) - given(begin)) / length;
}

void PlaceLinks(const Scene& scene, double begin, double length, FreeWallStates states,
                std::vector<WallPose>& poses) {
  if (scene.links.empty()) return;
  const Machines machines(scene, states);
  const auto trees = machines.Trees({begin, length});
  for (std::size_t w = 0; w < poses.size(); ++w) {
    const Wall& wall = scene.walls[w];
    if (wall.link < 0) continue;
    const auto number = static_cast<std::size_t>(wall.link);
    const LinkMotion& motion = machines.Motion(number);
    WallPose& pose = poses[w];
    pose.turns = true;
    pose.turn = motion.turn;
    pose.centre = scene.links[number].centre;
    pose.displacement = motion.centre - pose.centre;
    pose.velocity = motion.velocity;
    pose.angular_velocity = motion.angular_velocity;
    if (pose.IsBelt()) pose.belt = pose.Turned(wall.surface_velocity);
    if (motion.moved_by == 0) continue;
    pose.tree = trees[static_cast<std::size_t>(motion.tree)];
    pose.moved_by = motion.moved_by;
  }
}

std::vector<LinkPose> LinkPoses(const Scene& scene, FreeWallStates states) {
  const Machines machines(scene, states);
  std::vector<LinkPose> poses;
  for (std::size_t l = 0; l < scene.links.size(); ++l) {
    const LinkMotion& motion = machines.Motion(l);
    poses.push_back({motion.turn, motion.centre, motion.velocity, motion.angular_velocity});
  }
  return poses;
}

std::vector<double> InertiaOfJoints(const Scene& scene) {
  std::vector<double> inertia(scene.joints.size(), 0.0);
  const Machines machines(scene, {});
  std::vector<double> forces;
  for (std::size_t number = 0; number < machines.Count(); ++number) {
    const FreeTree tree = machines.TreeOf(number, forces);
    for (std::size_t k = 0; k < tree.axes.size(); ++k) {
      const auto at = static_cast<Eigen::Index>(k);
      inertia[tree.axes[k].row] = tree.mass(at, at);
    }
  }
  return inertia;
}

}  // namespace scree
