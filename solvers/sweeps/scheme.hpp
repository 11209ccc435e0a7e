/// \file  The requirements of each scheme on its contact list, and the solve by the chosen scheme.
///        Only this file distinguishes the schemes.
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

/// Jacobi needs ghost contacts: every rank has all contacts of its own bodies, also those that
/// other ranks own, and keys of all bodies. With Gauss-Seidel each contact is on one rank, and
/// contacts of shared bodies come first.
///
/// The effective mass of a contact depends on how many contacts its bodies have, so that
/// simultaneous corrections do not overshoot (solvers/sweeps/effective_mass.hpp). With ghost
/// contacts all contacts of a body are counted (for a wall, those on this rank), otherwise only its
/// contacts on other ranks.
struct SchemeRequirements {
  bool ghost_contacts = false;
};
inline SchemeRequirements RequirementsOf(const SolverParameters& parameters) {
  return {.ghost_contacts = parameters.scheme == Scheme::kJacobi};
}

/// The data on bodies that a scheme needs in addition to their velocities.
struct SchemeInput {
  std::size_t owned = 0;               // bodies before this one are this rank's
  std::span<const std::int64_t> keys;  // of all bodies, the same on all ranks; for ghost contacts
};

/// Scratch memory of a solve, kept between solves.
struct SchemeScratch {
  JacobiScratch jacobi;
  KernelScratch kernels;
  MomentumScratch momentum;
  SweepOrder order;
};
/// @param laws  active laws of the contacts
void Reserve(const SolverParameters& parameters, std::size_t contacts, std::size_t bodies,
             const LawFlags& laws, SchemeScratch& scratch);

/// Solves by the scheme that the parameters name (block_gauss_seidel, block_jacobi).
/// @pre bodies are spheres, or the kernel is not Kernel::kSphere
template <class Body>
SolveReport SolveByScheme(const SolverParameters& parameters, const SchemeInput& input,
                          VelocitySyncOf<Body>& sync, StartingImpulses impulses,
                          ContactBatches& batches, std::vector<Body>& bodies,
                          SchemeScratch& scratch) {
  if (RequirementsOf(parameters).ghost_contacts) {
    return BlockJacobi(parameters, input.owned, input.keys, sync, impulses, batches, bodies,
                       scratch.kernels, scratch.jacobi);
  }
  return BlockGaussSeidel(parameters, sync, impulses, batches, bodies, scratch.kernels,
                          scratch.momentum, scratch.order);
}

/// Does the sweeps of the position projection, by the same scheme as SolveByScheme.
/// @pre SolveByScheme has solved this contact problem with `scratch`; projection.End was called
template <class DisplacedBody, class Body>
void ProjectByScheme(const SolverParameters& parameters, const SchemeInput& input,
                     BodySync<DisplacedBody>& sync, ContactBatches& batches,
                     std::vector<Body>& bodies, const SchemeScratch& scratch,
                     PositionProjection& projection) {
  if (RequirementsOf(parameters).ghost_contacts) {
    projection.SweepJacobi(input.owned, scratch.jacobi, sync, batches, bodies);
  } else {
    projection.Sweep(scratch.order, sync, batches, bodies);
  }
}

}  // namespace scree
