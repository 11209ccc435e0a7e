/// \file  The state that the general kernels keep per packet of eight contacts between relaxations.
///
/// Impulses and velocities are in a basis (n, t₁, t₂) made for the block A of each contact. The
/// tangential directions are the columns of T, with TᵀÂT = diag(a₁, a₂); Â and a_T are those of
/// solvers/batches/wide_block.hpp. With g = Tᵀa_T/Aₙₙ
///
///     x = xₙ n + T y,   (A x)ₙ = Aₙₙ z,   Tᵀ(A x)_T = diag(a₁, a₂) y + Aₙₙ z g,   z = xₙ + g⋅y,
///
/// so that three numbers and two vectors represent A. b has the components bₙ and Tᵀb_T;
/// eliminating the normal leaves b̂ = Tᵀb_T − g bₙ.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "solvers/one_contact/one_contact.hpp"
#include "solvers/one_contact/sphere_contact.hpp"
#include "solvers/simd/simd.hpp"

namespace scree {

/// xₙ and y.
struct Coordinates8 {
  Double8 n, y1, y2;
};

/// Kinds of lanes, one bit for each lane.
struct LaneKinds {
  // a_T = 0 and Â is a multiple of E, or μ = 0: the section is a circle about zero.
  unsigned isotropic = 0;
  unsigned scalar_lanes = 0;        // lanes always solved by the one-contact kernel
  unsigned scalar_if_slipping = 0;  // lanes solved by the one-contact kernel if they slip
};

/// The conic section of each lane (solvers/batches/wide_max_dissipation.hpp).
struct MaxDissipationShape {
  Double8 kappa;             // κ = l₁/l₂ ≤ 1
  Double8 rho, inverse_rho;  // ρ = e/l₂
  Double8 z1, w2;            // the near vertex: y = bₙ (z₁, −w₂)
};

/// The principal axes of each lane (solvers/batches/wide_coulomb.hpp).
struct CoulombShape {
  Double8 a1, a2;                  // eigenvalues of Â, a₁ ≥ a₂
  Double8 inverse_a1, inverse_a2;  // their inverses
};

template <ContactLaw kLaw>
struct ShapeOfLaw;
template <>
struct ShapeOfLaw<ContactLaw::kMaxDissipation> {
  using Type = MaxDissipationShape;
};
template <>
struct ShapeOfLaw<ContactLaw::kCoulomb> {
  using Type = CoulombShape;
};

/// Data in addition to a ContactBatch. Only x changes during a solve.
template <ContactLaw kLaw>
struct KernelState {
  Vector3<Double8> t1, t2;                  // columns of T, in world axes
  Double8 nn, inverse_nn;                   // Aₙₙ times the factor of under-relaxation; inverse
  std::array<Double8, 2> g;                 // Tᵀa_T/Aₙₙ
  std::array<Double8, 2> restitution_slip;  // Tᵀ times the slip [m/s]
  typename ShapeOfLaw<kLaw>::Type shape;
  Coordinates8 x;  // the impulse [N s]
  LaneKinds kinds;
};

/// Memory of the general kernels, kept between solves.
struct KernelScratch {
  std::vector<KernelState<ContactLaw::kMaxDissipation>> max_dissipation;
  std::vector<KernelState<ContactLaw::kCoulomb>> coulomb;
  std::int64_t scalar_relaxations = 0;  // relaxations by the one-contact kernel in the last solve

  template <ContactLaw kLaw>
  auto& KernelsOf() {
    if constexpr (kLaw == ContactLaw::kCoulomb) {
      return coulomb;
    } else {
      return max_dissipation;
    }
  }
  std::size_t Bytes() const {
    return max_dissipation.capacity() * sizeof(max_dissipation[0]) +
           coulomb.capacity() * sizeof(coulomb[0]);
  }
};

}  // namespace scree
