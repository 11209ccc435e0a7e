/// \file  Rotation of a rigid body without torque.
///
/// With the principal moments I₁ ≤ I₂ ≤ I₃ and the angular momentum π in principal axes, the energy
///
///     ½ Σ πₖ²/Iₖ = ½ ‖π‖²/I₂ + ½ (1/I₁ − 1/I₂) π₁² + ½ (1/I₃ − 1/I₂) π₃²
///
/// has three parts. The first part rotates the body by ‖L‖ t/I₂ about the angular momentum L, which
/// is constant in world axes. This rotation commutes with the others. The other two parts rotate
/// the body about its first and third axis at the rates α π₁ and γ π₃, where α and γ are the
/// coefficients 1/I₁ − 1/I₂ and 1/I₃ − 1/I₂. Their combined rotation and π are Taylor series in t.
/// The terms follow from the product rule and are summed to the last bit. One series covers about a
/// radian; longer times are divided into parts. The motion, L and the energy are therefore exact to
/// rounding in steps of any length. Jacobi's elliptic functions would give the same motion, but
/// lose digits for nearly symmetric bodies and near the middle axis. Only sums, products and roots
/// occur, so that all machines get the same bits.
#pragma once

#include "engine/geometry/quaternion.hpp"
#include "solvers/base/types.hpp"

namespace scree {

struct PrincipalInertia {
  Vec3 moments = Vec3::Ones();  // I₁ ≤ I₂ ≤ I₃ [kg m²], > 0
  Quaternion axes;              // rotates principal axes into body axes

  /// J = I⁻¹ in world axes [1/(kg m²)]
  Mat3 InverseInWorld(const Quaternion& orientation) const {
    const Mat3 r = RotationMatrix(orientation * axes);
    return r * moments.cwiseInverse().asDiagonal() * r.transpose();
  }
  /// L of a body that rotates with ω, in world axes [kg m²/s]
  Vec3 AngularMomentum(const Quaternion& orientation, const Vec3& omega) const {
    const Mat3 r = RotationMatrix(orientation * axes);
    return r * moments.cwiseProduct(Vec3(r.transpose() * omega));
  }
};

/// Rotates a body for the time t [s].
/// @param[in,out] orientation  rotates body axes into world axes
/// @param[in,out] omega        ω in world axes [1/s]
void RotateFreely(const PrincipalInertia& inertia, double t, Quaternion& orientation, Vec3& omega);

/// Rotates a body instantly by a rotation vector φ in world axes [rad]. Its angular momentum does
/// not change.
void RotateInstantly(const PrincipalInertia& inertia, const Vec3& phi, Quaternion& orientation,
                     Vec3& omega);

}  // namespace scree
