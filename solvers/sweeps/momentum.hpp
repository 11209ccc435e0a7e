/// \file  Momentum between sweeps (the heavy-ball method): a sweep begins at an extrapolation of
///        the last two.
///
/// With x_k the impulses after k sweeps, x_0 those that the solve starts with, and v_k the
/// velocities that the bodies have with them, every sweep but the first and the last begins with
///
///     y = x_k + β (x_k − x_{k−1}),   v(y) = v_k + β (v_k − v_{k−1}).
///
/// Velocities are linear in impulses, so each body is extrapolated on its own, once and without
/// messages: equal copies of a body stay equal. y need not satisfy the contact laws, because
/// relaxations replace every impulse. The last of a given number of sweeps is a plain one, which
/// leaves less of the short waves.
///
/// Long waves, of which a plain sweep removes a small fraction, lose up to 1/(1 − β) times as much
/// in a sweep: B. T. Polyak, Some methods of speeding up the convergence of iteration methods, USSR
/// Comput. Math. Math. Phys. 4 (1964). What a plain sweep multiplies by m is stable if −1/(1 + 2 β)
/// < m < 1. In a Gauss-Seidel sweep of contacts that stay closed m is not negative (of a face with
/// ten corners and more, which close in turn, it is: such scenes have no momentum); where ranks
/// correct a body at once steps are shortened so that it is not (SharingFactor). β is reduced so
/// that sweeps converge (MomentumSchedule).
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

/// How a sweep begins.
struct Extrapolation {
  bool stores_start = false;  // the next sweep needs the start values of this one
  double share = 0.0;         // β

  /// @param number    of the sweep, from 0
  /// @param momentum  its β, if it is not the last (MomentumSchedule)
  static Extrapolation Before(const SolverParameters& parameters, int number, double momentum) {
    const bool is_last = parameters.tolerance <= 0.0 && number + 1 >= parameters.sweeps;
    if (parameters.ActingMomentum() == 0.0 || is_last) return {};
    return {true, momentum};
  }

  /// @param[in,out] now     x_k, which becomes y
  /// @param[in,out] before  x_{k−1}, which becomes x_k; not read in the first sweep
  SCREE_INLINE void Extrapolate(Double8& now, Double8& before) const {
    const Double8 was = now;
    if (share != 0.0) now = Fma(share - Double8{}, was - before, was);
    before = was;
  }
  SCREE_INLINE void Extrapolate(Double8 (&now)[3], std::array<Double8, 3>& before) const {
    for (std::size_t k = 0; k < before.size(); ++k) Extrapolate(now[k], before[k]);
  }
};

/// The start values of the previous sweep, and the order of the bodies. Kept between solves.
struct MomentumScratch {
  using Impulses = std::vector<std::array<Double8, 3>>;  // one per batch

  std::vector<Double8> velocities;  // the first eight numbers of each body, one by one
  Impulses impulses;                // λ
  Impulses coordinates;             // λ as the general kernels have it
  std::array<Impulses, kLawCount> laws;
  std::vector<Index> bodies;            // that are carried on; velocities are in their order
  std::vector<std::uint32_t> first_of;  // each piece's first one there, and how many there are
  std::vector<std::uint8_t> shared;     // 1 for each that other ranks have too

  /// Before SetBodies.
  template <class Body>
  void MarkShared(const VelocitySyncOf<Body>& sync, std::size_t body_count) {
    shared.assign(body_count, 0);
    sync.MarkShared(shared);
  }
  /// The bodies that begin with each piece of the order, piece after piece; those shared with the
  /// first, whether they are in a contact or not.
  void SetBodies(const SweepOrder& order);

  void Reserve(std::size_t batches, std::size_t bodies, bool general, const LawFlags& laws);
  std::size_t Bytes() const;
};

}  // namespace scree
