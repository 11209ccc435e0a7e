#include "engine/scene/links.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include "engine/geometry/free_rotation.hpp"
#include "engine/geometry/shape_moments.hpp"
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
  if (joint.HasLimitedMotor()) {
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

/// A link with all that is fixed to it, at time zero.
struct RigidGroup {
  double mass = 0.0;            // [kg]
  Vec3 centre = Vec3::Zero();   // of mass [m]
  Mat3 inertia = Mat3::Zero();  // about the centre [kg m²]
};

RigidGroup GroupOf(const Scene& scene, Index link) {
  std::vector<Index> members = {link};
  for (const Joint& joint : scene.joints) {
    if (joint.IsFixed() && std::ranges::count(members, joint.parent) > 0) {
      members.push_back(joint.child);
    }
  }
  // Relative to the first centre, which then is exactly that of a single link.
  const Vec3 first = scene.links[static_cast<std::size_t>(link)].centre;
  RigidGroup group;
  for (const Index member : members) {
    const Link& one = scene.links[static_cast<std::size_t>(member)];
    group.mass += one.mass;
    group.centre += one.mass * (one.centre - first);
  }
  // No mass: a mesh is not loaded yet.
  group.centre = group.mass > 0.0 ? Vec3(first + group.centre / group.mass) : first;
  for (const Index member : members) {
    const Link& one = scene.links[static_cast<std::size_t>(member)];
    const Vec3 arm = one.centre - group.centre;
    group.inertia +=
        one.inertia + one.mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
  }
  return group;
}

PrincipalInertia PrincipalOf(const Mat3& inertia) {
  const Eigen::SelfAdjointEigenSolver<Mat3> solved(inertia);
  Mat3 axes = solved.eigenvectors();
  if (axes.determinant() < 0.0) axes.col(0) *= -1.0;
  const Eigen::Quaterniond q(axes);
  return {solved.eigenvalues(), {q.w(), q.x(), q.y(), q.z()}};
}

/// Displacement or rotation of a free joint.
/// @param first  0 or 3
Vec3 TravelOf(const Scene& scene, FreeWallStates states, std::size_t joint, std::size_t first) {
  Vec3 travel = Vec3::Zero();
  for (std::size_t c = 0; c < 3 && !states.empty(); ++c) {
    travel[static_cast<Index>(c)] = states[scene.JointRow(joint, first + c)].travel;
  }
  return travel;
}

void SetRotation(const Scene& scene, std::size_t joint, const Quaternion& orientation,
                 std::span<FreeWallState> states) {
  const Vec3 travel = RotationVector(orientation);
  for (std::size_t c = 0; c < 3; ++c) {
    states[scene.JointRow(joint, 3 + c)].travel = travel[static_cast<Index>(c)];
  }
}

/// Adds inertia and forces of a link to its tree.
void AddLink(const Link& link, const LinkMotion& motion, const Vec3& gravity, FreeTree& tree,
             std::vector<double>& forces) {
  const Mat3 inertia = motion.turn * link.inertia * motion.turn.transpose();
  const Vec3& omega = motion.angular_velocity;
  const Vec3 weight = link.mass * gravity;
  Vec3 force = weight, torque = Vec3::Zero();
  if (!tree.rotates_freely) {
    force -= link.mass * motion.acceleration;
    torque = -(inertia * motion.angular_acceleration) - omega.cross(Vec3(inertia * omega));
  }
  const auto moves = [&](std::size_t k) { return (motion.moved_by >> k & 1) != 0; };
  for (std::size_t i = 0; i < tree.axes.size(); ++i) {
    if (!moves(i)) continue;
    const Vec3 v = tree.axes[i].VelocityAt(motion.centre), rate = tree.axes[i].Rate();
    forces[i] += v.dot(force) + rate.dot(torque);
    tree.axes[i].weight += v.dot(weight);
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

/// The constraints by gears and loop hinges of one tree.
struct Constraints {
  Eigen::MatrixXd rows;    // J: rates of the errors per unit of the axes' speeds
  Eigen::VectorXd errors;  // of the positions [m] or [rad]
};

/// All links and their trees at one moment.
class Machines {
 public:
  Machines(const Scene& scene, FreeWallStates states)
      : scene_(scene), states_(states), tree_of_(TreesOfJoints(scene.joints, scene.loop_hinges)) {
    motions_.resize(scene.links.size());
    trees_.resize(tree_of_.empty() ? 0 : 1 + *std::ranges::max_element(tree_of_));
    for (std::size_t j = 0; j < scene.joints.size(); ++j) PlaceChild(j);
  }

  std::size_t Count() const { return trees_.size(); }
  const LinkMotion& Motion(std::size_t link) const { return motions_[link]; }

  /// H, and the forces of weight and rotation.
  FreeTree TreeOf(std::size_t number, std::vector<double>& forces) const {
    FreeTree tree = trees_[number];
    const auto count = static_cast<Eigen::Index>(tree.axes.size());
    tree.mass.setZero(count, count);
    tree.has_free_joint =
        count > 0 && scene_.joints[static_cast<std::size_t>(tree.axes[0].joint)].IsFree();
    const bool is_constrained =
        !scene_.loop_hinges.empty() && ConstraintsOf(number).rows.size() > 0;
    tree.rotates_freely = tree.has_free_joint && count == 6 && !is_constrained;
    forces.assign(tree.axes.size(), 0.0);
    for (std::size_t l = 0; l < motions_.size(); ++l) {
      if (motions_[l].tree != static_cast<Index>(number)) continue;
      AddLink(scene_.links[l], motions_[l], scene_.gravity, tree, forces);
    }
    return tree;
  }

  Constraints ConstraintsOf(std::size_t number) const {
    const std::vector<FreeAxis>& axes = trees_[number].axes;
    std::vector<Eigen::VectorXd> rows;
    std::vector<double> errors;
    const auto add = [&](double error, Eigen::VectorXd row) {
      errors.push_back(error);
      rows.push_back(std::move(row));
    };
    for (std::size_t k = 0; k < axes.size(); ++k) AddGear(axes, k, add);
    for (const LoopHinge& hinge : scene_.loop_hinges) {
      if (motions_[static_cast<std::size_t>(hinge.child)].tree != static_cast<Index>(number)) {
        continue;
      }
      AddLoop(axes, hinge, add);
    }
    Constraints found;
    found.rows.resize(static_cast<Index>(rows.size()), static_cast<Index>(axes.size()));
    found.errors.resize(found.rows.rows());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      found.rows.row(static_cast<Index>(r)) = rows[r].transpose();
      found.errors[static_cast<Index>(r)] = errors[r];
    }
    return found;
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
  FreeWallState StateOf(std::size_t row) const {
    return row < states_.size() ? states_[row] : FreeWallState();
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
      const Joint& joint = scene_.joints[static_cast<std::size_t>(tree.axes[k].joint)];
      const double position = StateOf(tree.axes[k].row).travel;
      tree.axes[k].given = joint.ForceAt(step.begin + 0.5 * step.length);
      momenta[k] +=
          step.length * (forces[k] + tree.axes[k].given - joint.spring * (position - joint.rest));
      const auto at = static_cast<Eigen::Index>(k);
      tree.mass(at, at) += step.length * (joint.damping + step.length * joint.spring);
      AddRows(joint, position, k, step, tree.rows);
    }
    tree.constraints = ConstraintsOf(number).rows;
    tree.SetMomenta(std::move(momenta));
    return std::make_shared<const FreeTree>(std::move(tree));
  }

  template <class Add>
  void AddGear(std::span<const FreeAxis> axes, std::size_t axis, Add&& add) const {
    const Joint& joint = scene_.joints[static_cast<std::size_t>(axes[axis].joint)];
    if (!joint.HasGear()) return;
    const auto leader = std::ranges::find(axes, joint.geared_to, &FreeAxis::joint);
    SCREE_DEMAND(leader != axes.end());
    const bool is_screw = !joint.Turns() && leader->turns;
    const double ratio = joint.ratio / (is_screw ? 2.0 * std::numbers::pi : 1.0);
    Eigen::VectorXd row = Eigen::VectorXd::Zero(static_cast<Index>(axes.size()));
    row[static_cast<Index>(axis)] = 1.0;
    row[leader - axes.begin()] = -ratio;
    add(StateOf(axes[axis].row).travel - ratio * StateOf(leader->row).travel, std::move(row));
  }

  /// The points of the two links stay together, and so do their axes. Entries that are rounding,
  /// or differences of axes that were meant to be parallel, are zero, so that plane mechanisms are
  /// redundant.
  template <class Add>
  void AddLoop(std::span<const FreeAxis> axes, const LoopHinge& hinge, Add&& add) const {
    const LinkMotion ground;
    const LinkMotion& child = motions_[static_cast<std::size_t>(hinge.child)];
    const LinkMotion& parent =
        hinge.parent == Joint::kGround ? ground : motions_[static_cast<std::size_t>(hinge.parent)];
    const Vec3 to = child.turn * hinge.point + child.shift;
    const Vec3 from = parent.turn * hinge.point + parent.shift;
    const Vec3 normal = parent.turn * hinge.axis;
    const Vec3 across = normal.unitOrthogonal(), third = normal.cross(across);
    const auto count = static_cast<Index>(axes.size());
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(5, count);
    const double size = scene_.domain.box.Extent().maxCoeff();
    constexpr double kParallel = 1e-6, kNoArm = 1e-9;
    for (Index k = 0; k < count; ++k) {
      const FreeAxis& axis = axes[static_cast<std::size_t>(k)];
      const double on_child = (child.moved_by >> k & 1) != 0 ? 1.0 : 0.0;
      const double on_parent = (parent.moved_by >> k & 1) != 0 ? 1.0 : 0.0;
      rows.col(k).head<3>() = on_child * axis.VelocityAt(to) - on_parent * axis.VelocityAt(from);
      const Vec3 rate = (on_child - on_parent) * axis.Rate();
      rows(3, k) = rate.dot(third);
      rows(4, k) = -rate.dot(across);
      const double arm = std::max((to - axis.point).norm(), kNoArm * size);
      for (Index r = 0; r < 5; ++r) {
        const double scale = axis.turns && r < 3 ? arm : 1.0;
        if (std::abs(rows(r, k)) < kParallel * scale) rows(r, k) = 0.0;
      }
    }
    const Vec3 turned = child.turn * hinge.axis;
    Eigen::Matrix<double, 5, 1> errors;
    errors << to - from, turned.dot(across), turned.dot(third);
    for (Index r = 0; r < 5; ++r) {
      if (!rows.row(r).isZero(0.0)) add(errors[r], rows.row(r).transpose());
    }
  }

  void PlaceChild(std::size_t j) {
    const Joint& joint = scene_.joints[j];
    LinkMotion parent;
    if (joint.parent == Joint::kGround) {
      parent.tree = static_cast<Index>(tree_of_[j]);
    } else {
      parent = motions_[static_cast<std::size_t>(joint.parent)];
    }
    SCREE_DEMAND(parent.tree >= 0);
    const auto number = static_cast<std::size_t>(joint.child);
    LinkMotion& child = motions_[number];
    SCREE_DEMAND(child.tree < 0);
    child = parent;
    if (joint.IsFree()) {
      PlaceFree(j, child);
      return;
    }
    FreeAxis axis = {j, joint.Turns(), parent.turn * joint.axis,
                     parent.turn * joint.point + parent.shift, StateOf(j).speed};
    axis.joint = static_cast<Index>(j);
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

  /// A free joint moves its child about the centre of mass of all that is fixed to the child.
  /// @pre the parent is the ground
  void PlaceFree(std::size_t j, LinkMotion& child) {
    const Joint& joint = scene_.joints[j];
    const RigidGroup group = GroupOf(scene_, joint.child);
    const Vec3 point = group.centre + TravelOf(scene_, states_, j, 0);
    child.turn = RotationMatrix(RotationBy(TravelOf(scene_, states_, j, 3)));
    child.shift = point - child.turn * group.centre;
    const Vec3 arm =
        child.turn * (scene_.links[static_cast<std::size_t>(joint.child)].centre - group.centre);
    child.centre = point + arm;
    std::vector<FreeAxis>& axes = trees_[static_cast<std::size_t>(child.tree)].axes;
    SCREE_DEMAND(axes.empty());
    Vec3 speeds[2];  // of the point, and angular velocity
    for (std::size_t c = 0; c < 6; ++c) {
      const auto k = static_cast<Index>(c % 3);
      FreeAxis axis = {scene_.JointRow(j, c), c >= 3, Vec3::Unit(k), point};
      axis.speed = speeds[c / 3][k] = StateOf(axis.row).speed;
      axis.joint = static_cast<Index>(j);
      axes.push_back(axis);
      child.moved_by |= std::uint64_t{1} << c;
    }
    child.angular_velocity = speeds[1];
    child.velocity = speeds[0] + speeds[1].cross(arm);
    child.acceleration = speeds[1].cross(speeds[1].cross(arm));
  }

  const Scene& scene_;
  FreeWallStates states_;
  std::vector<std::size_t> tree_of_;  // of each joint
  std::vector<LinkMotion> motions_;
  std::vector<FreeTree> trees_;
};

}  // namespace

std::vector<std::size_t> TreesOfJoints(const std::vector<Joint>& joints,
                                       std::span<const LoopHinge> loop_hinges) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  // The first joint of a tree stands for the tree. Parents come before their children.
  std::vector<std::size_t> first(joints.size());
  const auto of_link = [&](Index link) {
    return static_cast<std::size_t>(std::ranges::find(joints, link, &Joint::child) -
                                    joints.begin());
  };
  for (std::size_t j = 0; j < joints.size(); ++j) {
    first[j] = joints[j].parent == Joint::kGround ? j : first[of_link(joints[j].parent)];
  }
  const auto merge = [&](std::size_t a, std::size_t b) {
    const std::size_t low = std::min(first[a], first[b]), high = std::max(first[a], first[b]);
    std::ranges::replace(first, high, low);
  };
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].HasGear()) merge(j, static_cast<std::size_t>(joints[j].geared_to));
  }
  for (const LoopHinge& hinge : loop_hinges) {
    if (hinge.parent != Joint::kGround) merge(of_link(hinge.child), of_link(hinge.parent));
  }
  std::vector<std::size_t> number(joints.size(), kNone), trees;
  std::size_t count = 0;
  for (const std::size_t one : first) {
    if (number[one] == kNone) number[one] = count++;
    trees.push_back(number[one]);
  }
  return trees;
}

std::vector<std::size_t> FreedomsOfTrees(const Scene& scene) {
  std::vector<std::size_t> freedoms;
  const Machines machines(scene, {});
  for (std::size_t number = 0; number < machines.Count(); ++number) {
    const Eigen::MatrixXd rows = machines.ConstraintsOf(number).rows;
    freedoms.push_back(
        static_cast<std::size_t>(rows.size() > 0 ? SpaceOf(rows).free.cols() : rows.cols()));
  }
  return freedoms;
}

void CloseLoops(const Scene& scene, std::span<FreeWallState> states) {
  constexpr int kMaxPasses = 10;
  constexpr double kSmall = 1e-9;  // Newton's method squares the error, so rounding is left
  if (scene.loop_hinges.empty() && std::ranges::none_of(scene.joints, &Joint::HasGear)) return;
  const double size = scene.domain.box.Extent().maxCoeff();
  std::vector<double> forces;
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    const Machines machines(scene, states);
    double change = 0.0;  // relative
    for (std::size_t number = 0; number < machines.Count(); ++number) {
      const Constraints found = machines.ConstraintsOf(number);
      if (found.rows.size() == 0) continue;
      const FreeTree tree = machines.TreeOf(number, forces);
      const ConstraintSpace space = SpaceOf(found.rows);
      // Of all corrections that one without a free motion, which is the smallest in the metric of
      // H.
      Eigen::VectorXd moved = space.inverse * found.errors;
      moved -= MobilityOf(tree.mass, space.free) * (tree.mass * moved);
      for (std::size_t k = 0; k < tree.axes.size(); ++k) {
        const double by = moved[static_cast<Index>(k)];
        double& travel = states[tree.axes[k].row].travel;
        change = std::max(
            change, std::abs(by) / std::max(std::abs(travel), tree.axes[k].turns ? 1.0 : size));
        if (!tree.IsFreeRotation(k)) travel -= by;
      }
      if (!tree.has_free_joint) continue;
      const auto joint = static_cast<std::size_t>(tree.axes[0].joint);
      SetRotation(scene, joint,
                  RotationBy(-moved.segment<3>(3)) * RotationBy(TravelOf(scene, states, joint, 3)),
                  states);
    }
    if (change <= kSmall) return;
  }
  throw SimulationError(Text("loops or gears of joints do not close after ", kMaxPasses,
                             " steps of Newton's method; use a shorter step, or limits that keep "
                             "the mechanism away from where its links block each other"));
}

void SetMassByDensity(Scene& scene, std::size_t number) {
  Link& link = scene.links[number];
  if (!(link.density > 0.0)) return;
  std::vector<const ShapePart*> parts;
  std::vector<const Wall*> walls;  // of the parts
  for (const Wall& wall : scene.walls) {
    if (wall.link != static_cast<Index>(number)) continue;
    if (!IsLoaded(wall.shape)) return;
    for (const ShapePart& part : wall.shape.parts) {
      parts.push_back(&part);
      walls.push_back(&wall);
    }
  }
  std::vector<SolidMoments> solids;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    solids.push_back(MomentsOf(*parts[k]));
    for (std::size_t other = 0; other < k; ++other) {
      const auto overlap = FindOverlap(*parts[other], *parts[k]);
      if (!overlap) continue;
      throw InputError(Text("would count twice where [wall.", walls[other]->name, "] and [wall.",
                            walls[k]->name, "] overlap, as at (", overlap->transpose(),
                            ") m; expected solids that touch at most, or mass, centre and "
                            "inertia"));
    }
  }
  if (solids.empty()) return;
  const SolidMoments sum = SumOf(solids);
  link.mass = link.density * sum.volume;
  link.centre = sum.centre;
  link.inertia = link.density * sum.inertia;
}

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
    const Eigen::MatrixXd rows = machines.ConstraintsOf(number).rows;
    Eigen::VectorXd own = tree.mass.diagonal();
    if (rows.size() > 0) own = MobilityOf(tree.mass, SpaceOf(rows).free).diagonal().cwiseInverse();
    for (std::size_t k = 0; k < tree.axes.size(); ++k) {
      const auto joint = static_cast<std::size_t>(tree.axes[k].joint);
      if (!scene.joints[joint].IsFree()) inertia[joint] = own[static_cast<Index>(k)];
    }
  }
  return inertia;
}

void RotateFreeJoint(const Scene& scene, const FreeTree& tree, const Vec3& omega, const Vec3& moved,
                     std::span<FreeWallState> states) {
  const auto joint = static_cast<std::size_t>(tree.axes[0].joint);
  Quaternion orientation = RotationBy(TravelOf(scene, states, joint, 3));
  Vec3 rates = omega;
  if (tree.rotates_freely) {
    const RigidGroup group = GroupOf(scene, scene.joints[joint].child);
    const PrincipalInertia inertia = PrincipalOf(group.inertia);
    RotateFreely(inertia, tree.length, orientation, rates);
    if (!moved.isZero(0.0)) RotateInstantly(inertia, moved, orientation, rates);
  } else {
    orientation = RotationBy(tree.length * omega + moved) * orientation;
  }
  SetRotation(scene, joint, orientation, states);
  for (std::size_t c = 0; c < 3; ++c) {
    states[scene.JointRow(joint, 3 + c)].speed = rates[static_cast<Index>(c)];
  }
}

double KineticEnergyOfLinks(const Scene& scene, FreeWallStates states) {
  const Machines machines(scene, states);
  std::vector<double> forces;
  double energy = 0.0;
  for (std::size_t number = 0; number < machines.Count(); ++number) {
    const FreeTree tree = machines.TreeOf(number, forces);
    Eigen::VectorXd speeds(tree.mass.rows());
    for (std::size_t k = 0; k < tree.axes.size(); ++k) {
      speeds[static_cast<Index>(k)] = tree.axes[k].speed;
    }
    energy += 0.5 * speeds.dot(tree.mass * speeds);
  }
  return energy;
}

}  // namespace scree
