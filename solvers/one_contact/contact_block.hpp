/// \file  A contact's block of the Delassus operator, from two rigid bodies of any shape.
#pragma once

#include "solvers/base/types.hpp"

namespace scree {

/// The inverse mass and the inverse moments of inertia of a body.
struct BodyInertia {
  double inverse_mass = 0.0;            // [1/kg]; 0 for a driven body
  Mat3 inverse_inertia = Mat3::Zero();  // I⁻¹ in world axes [1/(kg m²)], symmetric
};

/// I⁻¹ in world axes, R⋅I₀⁻¹⋅Rᵀ, from I₀⁻¹ in body axes; R rotates body axes into world axes.
Mat3 InverseInertiaInWorld(const Mat3& inverse_inertia_in_body, const Mat3& rotation);

/// Columns (n, t, o): an orthonormal right-handed frame for a unit normal. t is continuous in n
/// except where n_z changes sign.
Mat3 ContactFrame(const Vec3& normal);

/// Differs from ContactFrame in signs only: the frame of −n is (−n, −t, −o), as
/// solvers/batches/wide_block.hpp requires. It is left-handed for half of the normals.
Mat3 OddContactFrame(const Vec3& normal);

/// A_jj = Qᵀ ((1/m_a + 1/m_b) E − r_a× I_a⁻¹ r_a× − r_b× I_b⁻¹ r_b×) Q  [1/kg]
///
/// maps the impulse of a contact to the relative velocity that it causes there (Preclik, Eibl &
/// Rüde, equation (2)); r× is the matrix of the cross product. Symmetric positive definite if at
/// least one of the bodies has a finite mass.
/// @param frame         Q, columns (n, t, o) in world axes
/// @param arm_a, arm_b  from each body's centre of mass to the contact [m]
Mat3 ContactBlock(const Mat3& frame, const BodyInertia& a, const Vec3& arm_a, const BodyInertia& b,
                  const Vec3& arm_b);

}  // namespace scree
