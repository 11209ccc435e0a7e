/// \file  Momentum between sweeps (the heavy-ball method): a sweep starts from values extrapolated
///        from the results of the last two sweeps.
///
/// Let x_k be the impulses after k sweeps, x_0 the initial ones, and v_k the velocities of the
/// bodies with these impulses. Every sweep except the first and the last starts from
///
///     y = x_k + β (x_k − x_{k−1}),   v(y) = v_k + β (v_k − v_{k−1}).
///
/// Velocities are linear in impulses, so each body is extrapolated separately, once and without
/// messages: equal copies of a body stay equal. y need not satisfy the contact laws, because
/// relaxations replace every impulse. The last of a given number of sweeps has no momentum, because
/// a plain sweep leaves smaller errors of short wavelength.
///
/// A plain sweep removes only a small fraction of errors of long wavelength. Momentum increases
/// this fraction up to 1/(1 − β) times: B. T. Polyak, Some methods of speeding up the convergence
/// of iteration methods, USSR Comput. Math. Math. Phys. 4 (1964). An error that a plain sweep
/// multiplies by m is stable if −1/(1 + 2 β) < m < 1. In a Gauss-Seidel sweep m is positive or
/// close to zero if all contacts keep touching. (In sweeps around the corners of a face it is
/// complex or negative, up to -0.75 with 24 corners; contact_list.hpp avoids this order.) If
/// several ranks correct a body at once, steps are shortened so that m is not too negative
/// (SharingFactor). β is reduced so that sweeps converge (MomentumSchedule).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "solvers/batches/additional_laws.hpp"
#include "solvers/simd/simd.hpp"
#include "solvers/sweeps/solver_parameters.hpp"
#include "solvers/sweeps/sweep_order.hpp"
#include "solvers/sweeps/velocity_sync.hpp"

namespace scree {

/// The extrapolation at the start of a sweep.
struct Extrapolation {
  bool stores_start = false;  // whether the next sweep needs the start values of this one
  double fraction = 0.0;      // β

  /// @param number    number of the sweep, from 0
  /// @param momentum  β of the sweep, unless it is the last (MomentumSchedule)
  static Extrapolation ForSweep(const SolverParameters& parameters, int number, double momentum) {
    const bool is_last = parameters.tolerance <= 0.0 && number + 1 >= parameters.sweeps;
    if (parameters.ActiveMomentum() == 0.0 || is_last) return {};
    return {true, momentum};
  }

  /// @param[in,out] x         x_k, which becomes y
  /// @param[in,out] previous  x_{k−1}, which becomes x_k; not read in the first sweep
  SCREE_INLINE void Extrapolate(Double8& x, Double8& previous) const {
    const Double8 start = x;
    if (fraction != 0.0) x = Fma(fraction - Double8{}, start - previous, start);
    previous = start;
  }
  SCREE_INLINE void Extrapolate(Double8 (&x)[3], std::array<Double8, 3>& previous) const {
    for (std::size_t k = 0; k < previous.size(); ++k) Extrapolate(x[k], previous[k]);
  }
};

/// The start values of the previous sweep, and the order of the bodies. Kept between solves.
struct MomentumScratch {
  using Impulses = std::vector<std::array<Double8, 3>>;  // one per batch

  std::vector<Double8> velocities;  // the first eight numbers of each body
  Impulses impulses;                // λ
  Impulses coordinates;             // λ in the basis of the general kernels
  std::array<Impulses, kLawCount> laws;
  std::vector<Index> bodies;  // extrapolated bodies; `velocities` has the same order
  // For each chunk the index in `bodies` of its first body, then the number of bodies.
  std::vector<std::uint32_t> first_of_chunk;
  std::vector<std::uint8_t> shared;  // 1 for each body that other ranks have too

  /// Call this before SetBodies.
  template <class Body>
  void MarkShared(const VelocitySyncOf<Body>& sync, std::size_t body_count) {
    shared.assign(body_count, 0);
    sync.MarkShared(shared);
  }
  /// Sorts bodies by the chunk before which they are extrapolated: the first chunk that contains
  /// them, for shared bodies the first chunk of all, even without a contact.
  void SetBodies(const SweepOrder& order);

  void Reserve(std::size_t batches, std::size_t bodies, bool is_general, const LawFlags& laws);
  std::size_t Bytes() const;
};

}  // namespace scree
