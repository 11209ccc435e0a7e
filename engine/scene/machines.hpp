/// \file  All links and their trees at one moment.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/scene/link_motion.hpp"
#include "engine/scene/loop_rows.hpp"

namespace scree {

/// The beginning and the length of a step [s].
struct StepTimes {
  double begin, length;
};

/// Inertia along each axis of a tree, with everything that the axis carries and drives through
/// gears and loops [kg] or [kg m²]; 0 if it is locked or carries a mesh that is not loaded yet.
/// Joints of the tree that neither gears nor loops move are taken as held.
/// @param mass  H
Eigen::VectorXd EffectiveInertia(const Eigen::MatrixXd& mass, const Constraints& constraints);

class Machines {
 public:
  /// @param states  as for PlaceByJoint; scene and states must outlive this object
  Machines(const Scene& scene, std::span<const FreeWallState> states);

  std::size_t Count() const { return trees_.size(); }
  const LinkMotion& Motion(std::size_t link) const { return motions_[link]; }
  /// A tree with its axes and H.
  FreeTree TreeOf(std::size_t number) const;
  Constraints ConstraintsOf(std::size_t number) const { return ConstraintsOf(number, motions_); }
  /// A tree with all data of its motion in a step; null if the tree has no axes.
  std::shared_ptr<const FreeTree> TreeInStep(std::size_t number, const StepTimes& step) const;

 private:
  using Motions = std::vector<LinkMotion>;  // of all links
  FreeWallState StateOf(std::size_t row) const {
    return row < states_.size() ? states_[row] : FreeWallState();
  }
  void AppendGear(std::span<const FreeAxis> axes, std::size_t axis,
                  std::vector<ConstraintRow>& rows) const;
  Constraints ConstraintsOf(std::size_t number, const Motions& motions) const;
  Motions MotionsAt(std::size_t number, std::span<const FreeAxis> axes) const;
  std::vector<double> ForcesOf(const FreeTree& tree, std::size_t number,
                               const Motions& motions) const;
  void SetImplicitFractions(FreeTree& tree, const Constraints& constraints) const;
  void SetWeights(std::size_t number, FreeTree& tree) const;
  const LinkMotion& ParentOf(const Joint& joint, const Motions& motions) const {
    return joint.parent == Joint::kGround ? ground_
                                          : motions[static_cast<std::size_t>(joint.parent)];
  }

  const Scene& scene_;
  std::span<const FreeWallState> states_;
  std::vector<std::size_t> tree_of_;  // of each joint
  LinkMotion ground_;
  Motions motions_;
  std::vector<FreeTree> trees_;
};

}  // namespace scree
