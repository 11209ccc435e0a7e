/// \file  The requirements of each scheme on the contacts that it gets, and the solve by the chosen
///        scheme. Only this file distinguishes the schemes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/batches/contact_batches.hpp"
#include "solvers/sweeps/block_gauss_seidel.hpp"
#include "solvers/sweeps/block_jacobi.hpp"
#include "solvers/sweeps/momentum.hpp"
#include "solvers/sweeps/position_projection.hpp"
#include "solvers/sweeps/solve_report.hpp"
#include "solvers/sweeps/solver_parameters.hpp"
#include "solvers/sweeps/sweep_order.hpp"
#include "solvers/sweeps/velocity_sync.hpp"

namespace scree {

/// Jacobi needs mirrors: every rank has all contacts of its own bodies, those that others treat
/// too, and keys of all bodies. Otherwise each contact is on one rank, those of shared bodies
/// first.
///
/// So that simultaneous corrections do not overshoot (solvers/sweeps/effective_mass.hpp), contacts
/// are counted for each body: with mirrors all of them, also where no body is shared, and of walls
/// those of this rank; otherwise those that other ranks treat.
struct SchemeRequirements {
  bool mirrors = false;
};
inline SchemeRequirements RequirementsOf(const SolverParameters& parameters) {
  return {.mirrors = parameters.scheme == Scheme::kJacobi};
}

/// The bodies of a problem, as far as a scheme asks for more than their velocities.
struct SchemeInput {
  std::size_t own = 0;                 // bodies before this one are this rank's
  std::span<const std::int64_t> keys;  // with mirrors: of all bodies, the same on all ranks
};

/// Scratch memory of a solve, kept between solves.
struct SchemeScratch {
  JacobiScratch jacobi;
  KernelScratch kernels;
  MomentumScratch momentum;
  SweepOrder order;
};
/// @param laws  that act in the contacts
void Reserve(const SolverParameters& parameters, std::size_t contacts, std::size_t bodies,
             const LawFlags& laws, SchemeScratch& scratch);

/// Solves by the scheme that the parameters name (block_gauss_seidel, block_jacobi).
/// @pre of rigid bodies: the kernel is a general one
template <class Body>
SolveReport SolveByScheme(const SolverParameters& parameters, const SchemeInput& input,
                          VelocitySyncOf<Body>& sync, StartingImpulses impulses,
                          ContactBatches& batches, std::vector<Body>& bodies,
                          SchemeScratch& scratch) {
  if (RequirementsOf(parameters).mirrors) {
    return BlockJacobi(parameters, input.own, input.keys, sync, impulses, batches, bodies,
                       scratch.kernels, scratch.jacobi);
  }
  return BlockGaussSeidel(parameters, sync, impulses, batches, bodies, scratch.kernels,
                          scratch.momentum, scratch.order);
}

/// The sweeps of a projection that has begun, by the same scheme and after SolveByScheme.
template <class Moved, class Body>
void ProjectByScheme(const SolverParameters& parameters, const SchemeInput& input,
                     BodySync<Moved>& sync, ContactBatches& batches, std::vector<Body>& bodies,
                     const SchemeScratch& scratch, PositionProjection& projection) {
  if (RequirementsOf(parameters).mirrors) {
    projection.SweepJacobi(input.own, scratch.jacobi, sync, batches, bodies);
  } else {
    projection.Sweep(scratch.order, sync, batches, bodies);
  }
}

}  // namespace scree
