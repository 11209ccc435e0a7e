/// \file  Common code of the kernels for eight contacts under any law.
#pragma once

#include <array>

#include "solvers/batches/kernel_state.hpp"
#include "solvers/batches/wide_block.hpp"
#include "solvers/simd/simd.hpp"

namespace scree {

/// Directions t₁ and t₂ in the frame (t, o).
struct TangentBasis8 {
  Double8 t1_t, t1_o, t2_t, t2_o;
};

/// bₙ and b̂ (solvers/batches/kernel_state.hpp).
struct Rhs8 {
  Double8 b_n, b1, b2;
};

struct Solved8 {
  Coordinates8 x;
  unsigned scalar_lanes = 0;  // lanes for the one-contact kernel, one bit each
};

/// The kernel of a law. SetUp is called once per solve, Solve in each relaxation:
///
///     LaneKinds SetUp(block, mu, basis, g, shape)      basis, g and shape are results
///     Double8 Eigenvalue1(shape), Eigenvalue2(shape)  a₁, a₂
///     Solved8 Solve(shape, kinds, inverse_nn, g, mu, rhs)
template <ContactLaw kLaw>
struct WideKernel;

/// Contacts with a larger μ go to the one-contact kernel.
inline constexpr double kMaxFriction = 100.0;

/// Lanes that approach so slowly that squares of b̂/bₙ overflow. They go to the one-contact kernel.
SCREE_INLINE Int8 IsTooSlow(const Rhs8& rhs) {
  constexpr double kSlow = 1e-120;
  const Double8 zero = {};
  return (rhs.b_n > zero) & ~(rhs.b_n > kSlow * (Abs(rhs.b1) + Abs(rhs.b2)));
}

/// The mask of the lanes whose bits are set.
SCREE_INLINE Int8 MaskOf(unsigned bits) {
  const Int8 zero = {}, lane_bits = internal::LaneBits();
  return ~(((zero + static_cast<std::int64_t>(bits)) & lane_bits) == zero);
}

/// Lanes whose section is a circle about zero.
SCREE_INLINE Int8 IsIsotropic(const Block8& a) {
  const Double8 zero = {};
  return (a.nt == zero) & (a.no == zero) & (a.to == zero) & (a.tt == a.oo);
}

}  // namespace scree
