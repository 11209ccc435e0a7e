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

/// Setup once per solve, and the solution of each relaxation:
///
///     LaneKinds SetUp(block, mu, basis, g, shape)      basis, g and shape are results
///     Double8 First(shape), Second(shape)             a₁, a₂
///     Solved8 Solve(shape, kinds, inverse_nn, g, mu, load)
template <ContactLaw kLaw>
struct WideKernel;

/// Contacts with a larger μ go to the one-contact kernel.
inline constexpr double kMaxFriction = 100.0;

/// Lanes that approach so slowly that squares of b̂/bₙ overflow; they go to the one-contact kernel.
SCREE_INLINE Int8 IsTooSlow(const Rhs8& load) {
  constexpr double kSlow = 1e-120;
  const Double8 zero = {};
  return (load.b_n > zero) & ~(load.b_n > kSlow * (Abs(load.b1) + Abs(load.b2)));
}

/// Converts bits to lanes.
SCREE_INLINE Int8 MaskOf(unsigned bits) {
  const Int8 zero = {}, one_each = internal::LaneBits();
  return ~(((zero + static_cast<std::int64_t>(bits)) & one_each) == zero);
}

/// Lanes whose section is a circle about zero. It reads only the numbers in the frame (t, o).
SCREE_INLINE Int8 IsRound(const Block8& a) {
  const Double8 zero = {};
  return (a.nt == zero) & (a.no == zero) & (a.to == zero) & (a.tt == a.oo);
}

}  // namespace scree
