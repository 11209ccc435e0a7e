#include "engine/scene/machines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "engine/scene/links.hpp"
#include "engine/scene/loops.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// What a motor moves, at the beginning of a step.
struct MotorLoad {
  double position;  // of the joint [m] or [rad]
  double inertia;   // EffectiveInertia, needed by position motors
  double force;     // of weight, springs and given forces along the axis [N] or [N m]
};

/// The highest speed towards the target [m/s] or [rad/s] from which the motor can still stop there.
/// Steps with the speeds v, v − a dt, v − 2 a dt, ..., 0 travel x = v²/2a + v dt/2. Half of the
/// force is left for particles and other joints, whose loads are unknown here.
/// @param error  target − position
double BrakingSpeed(const Joint& joint, const MotorLoad& load, double error, double dt) {
  const double load_force = error > 0.0 ? load.force : -load.force;
  const double force = 0.5 * (joint.largest - load_force);
  if (!(force > 0.0)) return 0.0;
  const double distance = std::abs(error);
  return 2.0 * distance /
         (0.5 * dt + std::sqrt(0.25 * dt * dt + 2.0 * distance * load.inertia / force));
}

/// Target speed of a motor in a step [m/s] or [rad/s].
double SpeedOfMotor(const Joint& joint, const MotorLoad& load, const StepTimes& step) {
  const auto target_at = [&](double time) {
    return joint.table.IsEmpty() ? joint.target : joint.table.At(time)[joint.TableComponent()];
  };
  const double target = target_at(step.begin), dt = step.length;
  const double target_speed = (target_at(step.begin + dt) - target) / dt;
  if (joint.drive == JointDrive::kToSpeed)
    return joint.table.IsEmpty() ? joint.target : target_speed;
  const double error = target - load.position, limit = BrakingSpeed(joint, load, error, dt);
  return std::clamp(target_speed + std::clamp(error / dt, -limit, limit), -joint.largest_speed,
                    joint.largest_speed);
}

/// Mean of the prescribed force over the time in which the forces of this step act (KickLength), by
/// the midpoints of the parts before and after the beginning of the step. It is exact if each part
/// lies between two rows of the table.
double PrescribedForce(const Joint& joint, const StepTimes& step, double last_length) {
  return std::lerp(joint.ForceAt(step.begin - 0.25 * last_length),
                   joint.ForceAt(step.begin + 0.25 * step.length),
                   step.length / (last_length + step.length));
}

/// Adds the rows that control the speed of a joint: friction, a motor, and last the limits, so that
/// these dominate.
/// @param[in,out] tree  its lengths must be set
void AddRows(const Joint& joint, const MotorLoad& load, std::size_t axis, const StepTimes& step,
             FreeTree& tree) {
  using Kind = JointRow::Kind;
  constexpr double kAny = std::numeric_limits<double>::infinity();
  if (joint.friction > 0.0) {
    const double max = tree.kick_length * joint.friction;
    tree.rows.push_back({Kind::kFriction, axis, 0.0, -max, max});
  }
  if (joint.HasLimitedMotor()) {
    const double max = tree.kick_length * joint.largest;
    tree.rows.push_back({Kind::kMotor, axis, SpeedOfMotor(joint, load, step), -max, max});
  }
  const auto add_limit = [&](double end, double min, double max) {
    if (std::isinf(end)) return;
    tree.rows.push_back({Kind::kLimit, axis, (end - load.position) / step.length, min, max});
  };
  add_limit(joint.lower, 0.0, kAny);
  add_limit(joint.upper, -kAny, 0.0);
}

/// Adds the inertia of a link to H: Σ m vᵢ⋅vₖ + ωᵢ⋅I ωₖ.
void AddInertia(const Link& link, const LinkMotion& motion, FreeTree& tree) {
  const Mat3 inertia = motion.rotation * link.inertia * motion.rotation.transpose();
  const auto count = static_cast<Index>(tree.axes.size());
  for (Index i = 0; i < count; ++i) {
    if (!motion.IsMovedBy(static_cast<std::size_t>(i))) continue;
    const FreeAxis& axis = tree.axes[static_cast<std::size_t>(i)];
    const Vec3 momentum = link.mass * axis.VelocityAt(motion.centre);
    const Vec3 angular_momentum = axis.is_rotation ? Vec3(inertia * axis.axis) : Vec3(Vec3::Zero());
    for (Index k = 0; k <= i; ++k) {
      if (!motion.IsMovedBy(static_cast<std::size_t>(k))) continue;
      const FreeAxis& other = tree.axes[static_cast<std::size_t>(k)];
      double h = momentum.dot(other.VelocityAt(motion.centre));
      if (axis.is_rotation && other.is_rotation) h += angular_momentum.dot(other.axis);
      tree.mass(i, k) += h;
      if (k != i) tree.mass(k, i) += h;
    }
  }
}

/// Whether the tree is a single rigid body that rotates in space about a fixed point or its centre
/// of mass.
bool HasFreeRotation(const FreeTree& tree, const Scene& scene) {
  if (tree.rotations.size() != 1) return false;
  const auto joint = static_cast<std::size_t>(tree.axes.front().joint);
  return tree.axes.size() == scene.joints[joint].Axes() &&
         static_cast<std::size_t>(tree.axes.back().joint) == joint;
}

}  // namespace

Eigen::VectorXd EffectiveInertia(const Eigen::MatrixXd& mass, const Constraints& constraints) {
  Eigen::VectorXd inertia = mass.diagonal();
  if (constraints.IsEmpty()) return inertia;
  const Eigen::MatrixXd mobility = MobilityOf(mass, SpaceOf(constraints.rows).free);
  for (Index k = 0; k < inertia.size(); ++k) {
    inertia[k] = mobility(k, k) > 0.0 ? 1.0 / mobility(k, k) : 0.0;
  }
  return inertia;
}

Machines::Machines(const Scene& scene, std::span<const FreeWallState> states)
    : scene_(scene), states_(states), tree_of_(TreesOfJoints(scene.joints, scene.loop_joints)) {
  motions_.resize(scene.links.size());
  trees_.resize(tree_of_.empty() ? 0 : 1 + *std::ranges::max_element(tree_of_));
  for (std::size_t j = 0; j < scene.joints.size(); ++j) {
    const Joint& joint = scene.joints[j];
    const LinkMotion& parent = ParentOf(joint, motions_);
    LinkMotion& child = motions_[static_cast<std::size_t>(joint.child)];
    SCREE_DEMAND(child.tree < 0 && (joint.parent == Joint::kGround || parent.tree >= 0));
    child.tree = static_cast<Index>(tree_of_[j]);
    FreeTree& tree = trees_[tree_of_[j]];
    PlaceByJoint(scene, states, j, parent, child, tree);
    MoveByJoint(j, tree.axes, parent, child);
  }
}

FreeTree Machines::TreeOf(std::size_t number) const {
  FreeTree tree = trees_[number];
  const auto count = static_cast<Index>(tree.axes.size());
  tree.mass.setZero(count, count);
  for (std::size_t l = 0; l < motions_.size(); ++l) {
    if (motions_[l].tree == static_cast<Index>(number)) {
      AddInertia(scene_.links[l], motions_[l], tree);
    }
  }
  return tree;
}

void Machines::AppendGear(std::span<const FreeAxis> axes, std::size_t axis,
                          std::vector<ConstraintRow>& rows) const {
  const Joint& joint = scene_.joints[static_cast<std::size_t>(axes[axis].joint)];
  if (!joint.HasGear()) return;
  const auto leader = std::ranges::find(axes, joint.geared_to, &FreeAxis::joint);
  SCREE_DEMAND(leader != axes.end());
  const bool is_screw = !joint.IsHinge() && leader->is_rotation;
  const double ratio = joint.ratio / (is_screw ? 2.0 * std::numbers::pi : 1.0);
  Eigen::VectorXd row = Eigen::VectorXd::Zero(static_cast<Index>(axes.size()));
  row[static_cast<Index>(axis)] = 1.0;
  row[leader - axes.begin()] = -ratio;
  rows.push_back(
      {std::move(row), StateOf(axes[axis].row).travel - ratio * StateOf(leader->row).travel, 0.0});
}

Constraints Machines::ConstraintsOf(std::size_t number, const Motions& motions) const {
  const std::vector<FreeAxis>& axes = trees_[number].axes;
  std::vector<ConstraintRow> rows;
  for (std::size_t k = 0; k < axes.size(); ++k) AppendGear(axes, k, rows);
  const double size = scene_.domain.box.Extent().maxCoeff();
  for (const LoopJoint& loop : scene_.loop_joints) {
    const LinkMotion& child = motions[static_cast<std::size_t>(loop.child)];
    if (child.tree != static_cast<Index>(number)) continue;
    const LinkMotion& parent =
        loop.parent == Joint::kGround ? ground_ : motions[static_cast<std::size_t>(loop.parent)];
    AppendLoopRows(loop, parent, child, axes, size, rows);
  }
  const auto count = static_cast<Index>(rows.size());
  Constraints constraints;
  constraints.rows.resize(count, static_cast<Index>(axes.size()));
  constraints.errors.resize(count);
  constraints.changes.resize(count);
  for (Index r = 0; r < count; ++r) {
    const ConstraintRow& row = rows[static_cast<std::size_t>(r)];
    constraints.rows.row(r) = row.row.transpose();
    constraints.errors[r] = row.error;
    constraints.changes[r] = row.change;
  }
  return constraints;
}

/// The motions of all links if the axes of one tree had these speeds.
Machines::Motions Machines::MotionsAt(std::size_t number, std::span<const FreeAxis> axes) const {
  Motions motions = motions_;
  for (std::size_t j = 0; j < scene_.joints.size(); ++j) {
    if (tree_of_[j] != number) continue;
    const Joint& joint = scene_.joints[j];
    MoveByJoint(j, axes, ParentOf(joint, motions), motions[static_cast<std::size_t>(joint.child)]);
  }
  return motions;
}

/// Forces along the axes from the weight of links, and from their inertia at the accelerations that
/// they have at constant speeds of the joints.
std::vector<double> Machines::ForcesOf(const FreeTree& tree, std::size_t number,
                                       const Motions& motions) const {
  std::vector<double> forces(tree.axes.size());
  for (std::size_t l = 0; l < motions.size(); ++l) {
    const LinkMotion& motion = motions[l];
    if (motion.tree != static_cast<Index>(number)) continue;
    const Link& link = scene_.links[l];
    Vec3 force = link.mass * scene_.gravity, torque = Vec3::Zero();
    if (!tree.has_free_rotation) {
      const Vec3& omega = motion.angular_velocity;
      const auto apply_inertia = [&](const Vec3& a) {
        return Vec3(motion.rotation * (link.inertia * (motion.rotation.transpose() * a)));
      };
      force -= link.mass * motion.acceleration;
      torque = -apply_inertia(motion.angular_acceleration) - omega.cross(apply_inertia(omega));
    }
    for (std::size_t i = 0; i < tree.axes.size(); ++i) {
      if (!motion.IsMovedBy(i)) continue;
      const FreeAxis& axis = tree.axes[i];
      forces[i] += axis.VelocityAt(motion.centre).dot(force) + axis.AngularVelocity().dot(torque);
    }
  }
  return forces;
}

void Machines::SetWeights(std::size_t number, FreeTree& tree) const {
  for (std::size_t l = 0; l < motions_.size(); ++l) {
    const LinkMotion& motion = motions_[l];
    if (motion.tree != static_cast<Index>(number)) continue;
    const Vec3 weight = scene_.links[l].mass * scene_.gravity;
    for (std::size_t i = 0; i < tree.axes.size(); ++i) {
      if (!motion.IsMovedBy(i)) continue;
      tree.axes[i].weight += tree.axes[i].VelocityAt(motion.centre).dot(weight);
    }
  }
}

/// Sets FreeAxis::implicit_fraction.
/// @param tree  FreeTree::mass must be H
void Machines::SetImplicitFractions(FreeTree& tree, const Constraints& constraints) const {
  const auto spring_of = [&](const FreeAxis& axis) {
    return scene_.joints[static_cast<std::size_t>(axis.joint)].spring;
  };
  const auto springs =
      std::ranges::count_if(tree.axes, [&](const FreeAxis& axis) { return spring_of(axis) > 0.0; });
  if (springs == 0) return;
  const auto count = static_cast<Index>(tree.axes.size());
  const Eigen::MatrixXd free = constraints.IsEmpty() ? Eigen::MatrixXd::Identity(count, count)
                                                     : SpaceOf(constraints.rows).free;
  const Eigen::MatrixXd mobility = MobilityOf(tree.mass, free);
  const double square = tree.kick_length * tree.length * static_cast<double>(springs);
  for (Index k = 0; k < count; ++k) {
    FreeAxis& axis = tree.axes[static_cast<std::size_t>(k)];
    axis.implicit_fraction = ImplicitFraction(square * spring_of(axis) * mobility(k, k));
  }
}

std::shared_ptr<const FreeTree> Machines::TreeInStep(std::size_t number,
                                                     const StepTimes& step) const {
  if (trees_[number].axes.empty()) return nullptr;
  FreeTree tree = TreeOf(number);
  const double last_length = StateOf(tree.axes.front().row).LengthBefore(step.length);
  tree.length = step.length;
  tree.kick_length = KickLength(last_length, step.length);
  SetWeights(number, tree);
  const std::size_t count = tree.axes.size();
  Eigen::VectorXd speeds(static_cast<Index>(count));
  for (std::size_t k = 0; k < count; ++k) speeds[static_cast<Index>(k)] = tree.axes[k].speed;
  Eigen::VectorXd momenta = tree.mass * speeds;  // without the forces that depend on the speeds
  Constraints constraints = ConstraintsOf(number);
  SetImplicitFractions(tree, constraints);
  const bool needs_inertia = std::ranges::any_of(tree.axes, [&](const FreeAxis& axis) {
    return scene_.joints[static_cast<std::size_t>(axis.joint)].drive == JointDrive::kToPosition;
  });
  const Eigen::VectorXd inertia = needs_inertia ? EffectiveInertia(tree.mass, constraints)
                                                : Eigen::VectorXd::Zero(static_cast<Index>(count));
  for (std::size_t k = 0; k < count; ++k) {
    const Joint& joint = scene_.joints[static_cast<std::size_t>(tree.axes[k].joint)];
    const double position = StateOf(tree.axes[k].row).travel;
    const auto index = static_cast<Index>(k);
    tree.axes[k].prescribed_force = PrescribedForce(joint, step, last_length);
    const double force = tree.axes[k].prescribed_force - joint.spring * (position - joint.rest);
    momenta[index] += tree.kick_length * force;
    tree.mass(index, index) += tree.kick_length * (joint.damping + tree.axes[k].implicit_fraction *
                                                                       step.length * joint.spring);
    AddRows(joint, {position, inertia[index], tree.axes[k].weight + force}, k, step, tree);
  }
  tree.has_free_rotation = constraints.IsEmpty() && HasFreeRotation(tree, scene_);
  tree.Eliminate(std::move(constraints.rows));
  const auto set_momenta = [&](const Motions& motions, const Eigen::VectorXd& changes) {
    std::vector<double> tree_momenta = ForcesOf(tree, number, motions);
    for (std::size_t k = 0; k < count; ++k) {
      tree_momenta[k] = momenta[static_cast<Index>(k)] + tree.kick_length * tree_momenta[k];
    }
    tree.SetMomenta(std::move(tree_momenta), -0.5 * step.length * changes);
  };
  set_momenta(motions_, constraints.changes);
  if (count == 1 || tree.has_free_rotation)
    return std::make_shared<const FreeTree>(std::move(tree));
  // Speeds belong to the middles of steps, but forces at the beginning of this step depend on the
  // speed at that time.
  const double weight = 0.5 * last_length / tree.kick_length;  // of the speed after the kick
  std::vector<FreeAxis> axes = tree.axes;
  for (FreeAxis& axis : axes) {
    axis.speed = (1.0 - weight) * axis.speed + weight * axis.no_load_speed;
  }
  const Motions motions = MotionsAt(number, axes);
  set_momenta(motions, ConstraintsOf(number, motions).changes);
  return std::make_shared<const FreeTree>(std::move(tree));
}

}  // namespace scree
