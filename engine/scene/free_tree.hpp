/// \file  Bodies that forces and contacts move together in a step: a free wall, or links connected
///        by joints.
///
/// The joints have the positions q, speeds s, inertia H(q), springs K and dampers D. Springs and
/// dampers are implicit, so that any stiffness is stable. With all other forces τ, a step of length
/// dt computes
///
///     s° = M°⁻¹ [H s + dt (τ − K (q − q₀))],   M° = H + dt D + dt² K
///     s' = s° + M°⁻¹ (Σⱼ Gⱼᵀ pⱼ + λ),          q' = q + dt s'
///
/// where pⱼ is the impulse of a contact at xⱼ, and Gⱼ is the velocity of the surface at xⱼ per unit
/// of s. Each motor, joint friction and joint limit is a row with one scalar impulse λ.
///
/// Gears and closed loops are constraints J s = 0. They are eliminated, so that no sweep sees them:
/// with a basis Z of the speeds that they leave free, J Z = 0, the mobility M°⁻¹ above is
/// everywhere
///
///     P = Z (Zᵀ M° Z)⁻¹ Zᵀ = M°⁻¹ − M°⁻¹ Jᵀ (J M°⁻¹ Jᵀ)⁺ J M°⁻¹
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "solvers/base/types.hpp"

namespace scree {

/// A degree of freedom at the beginning of a step.
struct FreeAxis {
  std::size_t row = 0;  // in the states
  bool turns = false;
  Vec3 axis = Vec3::Zero();   // unit vector
  Vec3 point = Vec3::Zero();  // on the axis of rotation [m]
  double speed = 0.0;         // s [m/s] or [rad/s]
  double free = 0.0;          // s°
  double idle = 0.0;          // s' without contacts
  Index joint = -1;           // row of Scene::joints; -1: of a free wall
  double weight = 0.0;        // part of τ that is weight [N] or [N m]
  double given = 0.0;         // part of τ that is given, by a motor as well [N] or [N m]

  // Velocity at a point, and angular velocity, per unit of speed.
  Vec3 VelocityAt(const Vec3& x) const { return turns ? Vec3(axis.cross(x - point)) : axis; }
  Vec3 Rate() const { return turns ? axis : Vec3(Vec3::Zero()); }
};

/// Keeps the speed of an axis at its target within the bounds of its impulse.
struct JointRow {
  enum class Kind { kFriction, kMotor, kLimit };
  Kind kind = Kind::kMotor;
  std::size_t axis = 0;            // of the tree
  double target = 0.0;             // [m/s] or [rad/s]
  double least = 0.0, most = 0.0;  // λ [N s] or [N m s]

  /// Whether the impulse could grow in both directions.
  bool Holds(double impulse) const { return least < impulse && impulse < most; }
};

/// What constraints J s = 0 leave free. They may be redundant.
struct ConstraintSpace {
  Eigen::MatrixXd free;     // Z: orthonormal columns
  Eigen::MatrixXd inverse;  // J⁺, the pseudoinverse
};
ConstraintSpace SpaceOf(const Eigen::MatrixXd& constraints);

/// P = Z (Zᵀ M Z)⁻¹ Zᵀ
Eigen::MatrixXd MobilityOf(const Eigen::MatrixXd& mass, const Eigen::MatrixXd& free);

struct FreeTree {
  double length = 0.0;          // dt [s]
  bool has_free_joint = false;  // whose axes are the first six
  // The free joint moves a single rigid body. τ has no gyroscopic torque then, because the body
  // rotates at constant angular momentum after the solve (RotateFreeJoint).
  bool rotates_freely = false;
  std::vector<FreeAxis> axes;
  Eigen::MatrixXd mass;     // M°
  Eigen::MatrixXd inverse;  // P, if there is more than one axis
  std::vector<JointRow> rows;
  Eigen::MatrixXd constraints;  // J; no rows: none

  /// Whether an axis rotates the body on a free joint.
  bool IsFreeRotation(std::size_t axis) const { return has_free_joint && axis >= 3 && axis < 6; }
  /// Computes P b in place.
  void Solve(std::span<double> b) const;
  /// e⋅P e for the unit vector e of an axis.
  double Mobility(std::size_t axis) const {
    return axes.size() == 1 ? 1.0 / mass(0, 0)
                            : inverse(static_cast<Index>(axis), static_cast<Index>(axis));
  }
  /// s' under impulses along the axes.
  /// @param[out] of_rows  λ
  void SpeedsUnder(std::span<const double> impulses, std::vector<double>& speeds,
                   std::vector<double>& of_rows) const;
  /// Relaxes the rows, starting from zero impulses, until targets are met within the bounds.
  void Relax(std::span<const JointRow> of, std::span<double> speeds,
             std::vector<double>& impulses) const;
  /// Sets s° = P b for this right-hand side, and the values derived from s°. Removes the rows of
  /// axes that constraints lock.
  /// @pre axes, mass, rows and constraints are set
  void SetMomenta(std::vector<double> momenta);
};

}  // namespace scree
