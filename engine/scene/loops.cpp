#include "engine/scene/loops.hpp"

#include <algorithm>
#include <cmath>

#include "engine/scene/machines.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// One step of Newton's method for the loops and gears of a tree.
/// @returns the largest relative change of a position; changes are relative to the position, or to
///          a radian or the size of the domain if the position is smaller
double CorrectTree(const Scene& scene, const Machines& machines, std::size_t number,
                   std::span<FreeWallState> states) {
  const Constraints constraints = machines.ConstraintsOf(number);
  if (constraints.IsEmpty()) return 0.0;
  const FreeTree tree = machines.TreeOf(number);
  const ConstraintSpace space = SpaceOf(constraints.rows);
  // The correction is not unique. The smallest correction in the metric of H contains no motion
  // that the constraints leave free.
  Eigen::VectorXd corrections = space.inverse * constraints.errors;
  corrections -= MobilityOf(tree.mass, space.free) * (tree.mass * corrections);
  const double size = scene.domain.box.Extent().maxCoeff();
  double change = 0.0;
  for (std::size_t k = 0; k < tree.axes.size(); ++k) {
    const double correction = corrections[static_cast<Index>(k)];
    double& travel = states[tree.axes[k].row].travel;
    change =
        std::max(change, std::abs(correction) /
                             std::max(std::abs(travel), tree.axes[k].is_rotation ? 1.0 : size));
    if (!tree.IsRotationComponent(k)) travel -= correction;
  }
  for (const std::size_t first : tree.rotations) {
    RotatePosition(scene, tree, first, -corrections.segment<3>(static_cast<Index>(first)), states);
  }
  return change;
}

}  // namespace

std::vector<std::size_t> TreesOfJoints(const std::vector<Joint>& joints,
                                       std::span<const LoopJoint> loop_joints) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  // The first joint of a tree represents the tree. Parents come before their children.
  std::vector<std::size_t> first(joints.size());
  const auto joint_of_link = [&](Index link) {
    return static_cast<std::size_t>(std::ranges::find(joints, link, &Joint::child) -
                                    joints.begin());
  };
  for (std::size_t j = 0; j < joints.size(); ++j) {
    first[j] = joints[j].parent == Joint::kGround ? j : first[joint_of_link(joints[j].parent)];
  }
  const auto merge = [&](std::size_t a, std::size_t b) {
    const std::size_t low = std::min(first[a], first[b]), high = std::max(first[a], first[b]);
    std::ranges::replace(first, high, low);
  };
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].HasGear()) merge(j, static_cast<std::size_t>(joints[j].geared_to));
  }
  for (const LoopJoint& loop : loop_joints) {
    if (loop.parent != Joint::kGround) merge(joint_of_link(loop.child), joint_of_link(loop.parent));
  }
  std::vector<std::size_t> number(joints.size(), kNone), trees;
  std::size_t count = 0;
  for (const std::size_t representative : first) {
    if (number[representative] == kNone) number[representative] = count++;
    trees.push_back(number[representative]);
  }
  return trees;
}

std::vector<std::size_t> DegreesOfFreedomOfTrees(const Scene& scene) {
  std::vector<std::size_t> degrees;
  const Machines machines(scene, {});
  for (std::size_t number = 0; number < machines.Count(); ++number) {
    const Eigen::MatrixXd rows = machines.ConstraintsOf(number).rows;
    degrees.push_back(
        static_cast<std::size_t>(rows.rows() > 0 ? SpaceOf(rows).free.cols() : rows.cols()));
  }
  return degrees;
}

void CloseLoops(const Scene& scene, std::span<FreeWallState> states) {
  constexpr int kMaxPasses = 10;
  constexpr double kSmall = 1e-9;  // Newton's method squares the error, so only rounding remains
  if (scene.loop_joints.empty() && std::ranges::none_of(scene.joints, &Joint::HasGear)) return;
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    const Machines machines(scene, states);
    double change = 0.0;
    for (std::size_t number = 0; number < machines.Count(); ++number) {
      change = std::max(change, CorrectTree(scene, machines, number, states));
    }
    if (change <= kSmall) return;
  }
  throw SimulationError(Text("loops or gears of joints do not close after ", kMaxPasses,
                             " steps of Newton's method; use a shorter step, or joint limits that "
                             "exclude positions in which links block each other"));
}

}  // namespace scree
