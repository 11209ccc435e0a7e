/// \file  Rotation of a rigid body on which no torque acts.
///
/// With the principal moments I₁ ≤ I₂ ≤ I₃ and the angular momentum π in principal axes the energy
///
///     ½ Σ πₖ²/Iₖ = ½ ‖π‖²/I₂ + ½ (1/I₁ − 1/I₂) π₁² + ½ (1/I₃ − 1/I₂) π₃²
///
/// has three parts: L, which is constant in world axes, turns the body by ‖L‖ t/I₂ and commutes
/// with the others; these turn it about its first and third axis with α π₁ and γ π₃, α and γ being
/// their coefficients. This second rotation, and π with it, is a Taylor series in t that is summed
/// to the last bit (its recurrence is that of a product), in as many parts of t as it needs: one up
/// to about a radian. So the motion is exact to rounding in steps of any length, L and the energy
/// as well; Jacobi's elliptic functions would give the same, but lose digits near symmetric bodies
/// and near the middle axis. Only sums, products and roots are in it: the same bits on any machine.
#pragma once

#include "engine/geometry/quaternion.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// How a body resists rotation.
struct PrincipalInertia {
  Vec3 moments = Vec3::Ones();  // I₁ ≤ I₂ ≤ I₃ [kg m²], > 0
  Quaternion axes;              // turns principal axes into body axes

  /// J = I⁻¹ in world axes [1/(kg m²)]
  Mat3 InverseInWorld(const Quaternion& orientation) const {
    const Mat3 r = RotationMatrix(orientation * axes);
    return r * moments.cwiseInverse().asDiagonal() * r.transpose();
  }
  /// L of a body that turns with ω, in world axes [kg m²/s]
  Vec3 AngularMomentum(const Quaternion& orientation, const Vec3& omega) const {
    const Mat3 r = RotationMatrix(orientation * axes);
    return r * moments.cwiseProduct(Vec3(r.transpose() * omega));
  }
};

/// Turns a body for the time t.
/// @param[in,out] orientation  turns body axes into world axes
/// @param[in,out] omega        ω in world axes [1/s]
void RotateFreely(const PrincipalInertia& inertia, double t, Quaternion& orientation, Vec3& omega);

/// Turns a body at once, by a rotation vector φ in world axes, with its angular momentum as it is.
void RotateInstantly(const PrincipalInertia& inertia, const Vec3& phi, Quaternion& orientation,
                     Vec3& omega);

}  // namespace scree
