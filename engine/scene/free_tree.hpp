/// \file  What forces and contacts move as one in a step: a free wall, or links that joints
/// connect.
///
/// With the positions q and speeds s of the joints, their inertia H(q), springs K and dampers D,
/// which count at the end of the step so that none is too stiff, and all other forces τ, a step of
/// length dt takes
///
///     s° = M°⁻¹ [H s + dt (τ − K (q − q₀))],   M° = H + dt D + dt² K
///     s' = s° + M°⁻¹ (Σⱼ Gⱼᵀ pⱼ + λ),          q' = q + dt s'
///
/// where pⱼ is the impulse of a contact at xⱼ and Gⱼ the velocity of the surface there per unit of
/// s. Motors, friction of joints and their limits are rows of one scalar impulse λ each.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "solvers/base/types.hpp"

namespace scree {

/// A degree of freedom at the beginning of a step.
struct FreeAxis {
  std::size_t row = 0;  // of the states
  bool turns = false;
  Vec3 axis = Vec3::Zero();   // unit vector
  Vec3 point = Vec3::Zero();  // of the axis about which it turns [m]
  double speed = 0.0;         // s [m/s] or [rad/s]
  double free = 0.0;          // s°
  double idle = 0.0;          // s' without contacts

  // Per unit of speed: of a place, and the rate.
  Vec3 VelocityAt(const Vec3& x) const { return turns ? Vec3(axis.cross(x - point)) : axis; }
  Vec3 Rate() const { return turns ? axis : Vec3(Vec3::Zero()); }
};

/// Keeps the speed of an axis at its target, as far as its impulse goes.
struct JointRow {
  enum class Kind { kFriction, kMotor, kLimit };
  Kind kind = Kind::kMotor;
  std::size_t axis = 0;            // of the tree
  double target = 0.0;             // [m/s] or [rad/s]
  double least = 0.0, most = 0.0;  // λ [N s] or [N m s]

  /// Whether it could give more either way.
  bool Holds(double impulse) const { return least < impulse && impulse < most; }
};

struct FreeTree {
  double length = 0.0;  // dt [s]
  std::vector<FreeAxis> axes;
  Eigen::MatrixXd mass;     // M°
  Eigen::MatrixXd inverse;  // of more than one axis
  std::vector<JointRow> rows;

  /// M°⁻¹ b, in place.
  void Solve(std::span<double> b) const;
  /// e⋅M°⁻¹ e of an axis.
  double Mobility(std::size_t axis) const {
    return axes.size() == 1 ? 1.0 / mass(0, 0)
                            : inverse(static_cast<Index>(axis), static_cast<Index>(axis));
  }
  /// s' under impulses along the axes.
  /// @param[out] of_rows  λ
  void SpeedsUnder(std::span<const double> impulses, std::vector<double>& speeds,
                   std::vector<double>& of_rows) const;
  /// Relaxes rows, whose impulses begin with zero, until their targets are met as far as they go.
  void Relax(std::span<const JointRow> of, std::span<double> speeds,
             std::vector<double>& impulses) const;
  /// Sets s° = M°⁻¹ of these, and what follows from it.
  /// @pre axes, mass and rows are there
  void SetMomenta(std::vector<double> momenta);
};

}  // namespace scree
