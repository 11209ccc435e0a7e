/// \file  Nonlinear block Jacobi: all contacts see the velocities at the start of the sweep.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/batches/additional_laws.hpp"
#include "solvers/batches/contact_batches.hpp"
#include "solvers/batches/kernel_state.hpp"
#include "solvers/sweeps/solve_report.hpp"
#include "solvers/sweeps/solver_parameters.hpp"
#include "solvers/sweeps/velocity_sync.hpp"

namespace scree {

/// Memory of the sweeps, kept between solves.
struct JacobiScratch {
  /// A contact from the side of one of its bodies.
  struct Side {
    ContactSlot slot;
    std::int64_t partner = 0;  // key of the other body
    double sign = 1.0;         // +1 for body a, −1 for body b
  };
  std::vector<Index> first_side;  // each owned body's first index in `sides`, then sides.size()
  std::vector<Side> sides;        // body after body, ordered by the partner's key
  std::vector<Vector3<Double8>> changes;  // changes of a sweep: λ* − λ per batch [N s]
  std::array<std::vector<Vector3<Double8>>, kLawCount> law_changes;  // L* − L per batch [N s]
};

/// Reserves memory for problems of up to this number of contacts, so that solves do not allocate.
/// @param laws  active laws
void Reserve(std::size_t contacts, std::size_t bodies, const LawFlags& laws,
             JacobiScratch& scratch);

/// Sweeps over all contacts. Each sweep solves every contact at the velocities at the start of the
/// sweep, then adds to each body the sum of its contacts' changes,
///
///     vᵢ += wᵢ Σⱼ ± (λⱼ* − λⱼ),   uᵢ −= 5/2 wᵢ Σⱼ nⱼ × (λⱼ* − λⱼ),
///
/// j in the order of the partners' keys (rigid bodies of any shape: ωᵢ += Jᵢ Σⱼ sⱼ × ±(λⱼ* − λⱼ)).
///
/// Each sweep of λ is followed by a sweep of L for every active relaxed law, at the velocities
/// after the sweep of λ. λ and L of one contact change the same bodies, so they would overshoot if
/// updated together.
///
/// The result does not depend on the order of contacts or bodies, nor on which body is a. It is
/// therefore the same to the last bit for any distribution to ranks, if every rank has all contacts
/// of its owned bodies. Effective masses must be at most 2/(n_a w_a + n_b w_b), where n is the
/// number of a body's contacts, so that the sum of all changes does not overshoot, and at most
/// 1/Aₙₙ, so that no single contact overshoots.
/// @param owned   this rank owns the bodies before this index; later ones are copies or fixed
/// @param keys  keys of all bodies, the same on all ranks; contacts of one pair of bodies have the
///              same order on all ranks
/// @param impulses        as for BlockGaussSeidel
/// @param[in,out] bodies  with capacity for one more
/// @param kernels  as for BlockGaussSeidel
/// @returns as BlockGaussSeidel
template <class Body>
SolveReport BlockJacobi(const SolverParameters& parameters, std::size_t owned,
                        std::span<const std::int64_t> keys, VelocitySyncOf<Body>& sync,
                        StartingImpulses impulses, ContactBatches& batches,
                        std::vector<Body>& bodies, KernelScratch& kernels, JacobiScratch& scratch);

}  // namespace scree
