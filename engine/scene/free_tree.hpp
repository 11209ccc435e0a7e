/// \file  Bodies with common degrees of freedom in a step: a free wall, or links on joints.
///
/// The joints have the positions q, speeds s, inertia H(q), springs K and dampers D. Springs and
/// dampers are implicit, so that any stiffness is stable. With all other forces τ, a step of length
/// dt computes
///
///     s° = M°⁻¹ [H s + h (τ − K (q − q₀))],    M° = H + h D + h dt K Δ
///     s' = s° + M°⁻¹ (Σⱼ Gⱼᵀ pⱼ + λ),          q' = q + dt s'
///
/// Here h is the mean of dt and the length of the last step (KickLength), pⱼ is the impulse of a
/// contact at xⱼ, and Gⱼ is the velocity of the surface at xⱼ per unit of s. Each motor, joint
/// friction and joint limit is a row with one scalar impulse λ.
///
/// Springs act at q + Δ dt s', Δ = diag(δ). A mass on a spring of frequency ω, with
/// x = ω² h dt, is stable if δ ≥ ½ − 2/x. It oscillates without loss if δ = 0 and is overdamped if
/// δ = 1. Each spring has δ = x/(4 + x): a spring that the step resolves has an error of second
/// order, and a stiffer spring comes to rest. With several springs on a tree, each x is multiplied
/// by their number, so that Σ x (1 − 2δ) < 4.
///
/// Gears and closed loops are constraints J s = 0. They are eliminated, so that sweeps need not
/// treat them. Let Z be a basis of the speeds that satisfy the constraints, J Z = 0. The mobility
/// M°⁻¹ above is then replaced everywhere by
///
///     P = Z (Zᵀ M° Z)⁻¹ Zᵀ = M°⁻¹ − M°⁻¹ Jᵀ (J M°⁻¹ Jᵀ)⁺ J M°⁻¹
///
/// Without contacts the step is a leapfrog scheme: s is the speed in the middle of the last step,
/// and s' the speed in the middle of this step. Forces that depend on the speed are therefore
/// evaluated at the speed between them, with a first estimate of s' from s. The constraint holds in
/// the middle of the step, to first order in dt: J s' = −½ dt J̇ s, with H and J evaluated at q.
/// Errors of positions are of second order in dt, except for dampers and for the first step, which
/// uses the initial speed as the speed half a step earlier.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "solvers/base/types.hpp"

namespace scree {

/// δ of a spring.
/// @param square  x = ω² h dt
inline double ImplicitFraction(double square) { return square / (4.0 + square); }

/// A degree of freedom at the beginning of a step.
struct FreeAxis {
  std::size_t row = 0;  // row of the states of walls and joints
  bool is_rotation = false;
  Vec3 axis = Vec3::Zero();        // unit vector
  Vec3 point = Vec3::Zero();       // on the axis of rotation [m]
  double speed = 0.0;              // s [m/s] or [rad/s]
  double free_speed = 0.0;         // s°
  double no_load_speed = 0.0;      // s' without contacts
  Index joint = -1;                // row of Scene::joints; -1: of a free wall
  double weight = 0.0;             // part of τ that is weight [N] or [N m]
  double prescribed_force = 0.0;   // prescribed part of τ, including a motor's table [N] or [N m]
  double implicit_fraction = 0.0;  // δ of the spring

  // Velocity of a point at x that the axis moves, and angular velocity, per unit of speed.
  Vec3 VelocityAt(const Vec3& x) const { return is_rotation ? Vec3(axis.cross(x - point)) : axis; }
  Vec3 AngularVelocity() const { return is_rotation ? axis : Vec3(Vec3::Zero()); }
};

/// Keeps the speed of an axis at a target, as far as the bounds of the row's impulse λ allow.
struct JointRow {
  enum class Kind { kFriction, kMotor, kLimit };
  Kind kind = Kind::kMotor;
  std::size_t axis = 0;         // of the tree
  double target = 0.0;          // [m/s] or [rad/s]
  double min = 0.0, max = 0.0;  // bounds of λ [N s] or [N m s]

  /// Whether the impulse can still change in both directions.
  bool IsWithinBounds(double impulse) const { return min < impulse && impulse < max; }
};

/// The speeds that constraints J s = 0 leave free. The constraints may be redundant.
struct ConstraintSpace {
  Eigen::MatrixXd free;     // Z: orthonormal columns
  Eigen::MatrixXd inverse;  // J⁺, the pseudoinverse
};
ConstraintSpace SpaceOf(const Eigen::MatrixXd& constraints);

/// P = Z (Zᵀ M Z)⁻¹ Zᵀ
Eigen::MatrixXd MobilityOf(const Eigen::MatrixXd& mass, const Eigen::MatrixXd& free);

/// Maximum number of axes in a tree: WallPose::moved_by has one bit for each.
inline constexpr std::size_t kMaxAxes = 64;

struct FreeTree {
  double length = 0.0;       // dt [s]
  double kick_length = 0.0;  // h [s]
  // Whether the tree is one free or ball joint with a single rigid body. τ then has no gyroscopic
  // torque, because the body rotates at constant angular momentum after the solve (RotateJoint).
  bool has_free_rotation = false;
  std::vector<FreeAxis> axes;
  // For each free or ball joint, the first of the three axes that rotate its child. The position of
  // these axes is a rotation vector.
  std::vector<std::size_t> rotations;
  Eigen::MatrixXd mass;     // M°
  Eigen::MatrixXd inverse;  // P, if there is more than one axis
  std::vector<JointRow> rows;
  Eigen::MatrixXd inverse_constraints;  // J⁺; no columns: no constraints

  /// Whether the position of an axis is a component of a rotation vector.
  bool IsRotationComponent(std::size_t axis) const {
    return std::ranges::any_of(
        rotations, [axis](std::size_t first) { return axis >= first && axis < first + 3; });
  }
  /// Computes P b in place.
  void Solve(std::span<double> b) const;
  /// e⋅P e for the unit vector e of an axis.
  double Mobility(std::size_t axis) const {
    return axes.size() == 1 ? 1.0 / mass(0, 0)
                            : inverse(static_cast<Index>(axis), static_cast<Index>(axis));
  }
  /// Computes s' from impulses along the axes.
  /// @param[out] row_impulses  λ
  void ComputeSpeeds(std::span<const double> impulses, std::vector<double>& speeds,
                     std::vector<double>& row_impulses) const;
  /// Relaxes the rows one after the other, starting from zero impulses, until each target is met or
  /// its impulse is at a bound.
  /// @param[in,out] speeds  of all axes
  void Relax(std::span<const JointRow> joint_rows, std::span<double> speeds,
             std::vector<double>& impulses) const;
  /// As Relax, but by direct solves, and starting from any impulses within the bounds.
  /// @returns whether each target is met or its impulse is at a bound; if not, nothing is changed
  /// @pre axes.size() > 1
  bool SolveByPivoting(std::span<const JointRow> joint_rows, std::span<double> speeds,
                       std::vector<double>& impulses) const;
  /// Adds the impulses with which the active rows meet their targets, ignoring the bounds.
  void SolveRows(std::span<const JointRow> joint_rows, std::span<const std::size_t> active_rows,
                 Eigen::VectorXd& speeds, std::vector<double>& impulses) const;
  /// Sets P and J⁺, and removes the rows of axes that the constraints lock.
  /// @param constraints  J; no rows: none
  /// @pre axes, mass and rows are set
  void Eliminate(const Eigen::MatrixXd& constraints);
  /// Sets FreeAxis::free_speed, with J s° = `drift`, and FreeAxis::no_load_speed.
  /// @param momenta  M° s° without constraints
  /// @pre Eliminate has been called
  void SetMomenta(std::vector<double> momenta, const Eigen::VectorXd& drift);
};

}  // namespace scree
