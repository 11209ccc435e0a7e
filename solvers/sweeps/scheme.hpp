/// \file  What each scheme needs of whoever brings it contacts, and the solve by the scheme chosen:
///        the one place where schemes differ.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/batches/contact_batches.hpp"
#include "solvers/sweeps/block_jacobi.hpp"
#include "solvers/sweeps/momentum.hpp"
#include "solvers/sweeps/position_projection.hpp"
#include "solvers/sweeps/solve_report.hpp"
#include "solvers/sweeps/solver_parameters.hpp"
#include "solvers/sweeps/sweep_order.hpp"
#include "solvers/sweeps/velocity_sync.hpp"

namespace scree {

/// What is counted of each body, so that simultaneous corrections do not overshoot
/// (solvers/sweeps/effective_mass.hpp).
enum class BodyCount {
  kContactsElsewhere,  // contacts that other ranks treat
  kRanks,              // ranks that treat contacts of it
  kContacts,           // all its contacts; of walls, those of this rank
};

struct SchemeNeeds {
  // Every rank has all contacts of its own bodies, those that others treat too (mirrors), and keys
  // of all bodies. Otherwise each contact is on one rank, those of shared bodies first.
  bool mirrors = false;
  BodyCount count = BodyCount::kContactsElsewhere;
  bool counts_alone = false;   // counts are needed where no body is shared too
  bool splits_masses = false;  // counts are shares of a body's mass: the mean of the copies counts
};
inline SchemeNeeds NeedsOf(const SolverParameters& parameters) {
  SchemeNeeds needs;
  if (parameters.scheme == Scheme::kJacobi) {
    needs.mirrors = true;
    needs.count = BodyCount::kContacts;
    needs.counts_alone = true;
  } else if (parameters.sharing == Sharing::kMassSplitting) {
    needs.count = BodyCount::kRanks;
    needs.splits_masses = true;
  }
  return needs;
}

/// The bodies of a problem, as far as a scheme asks for more than their velocities.
struct SchemeInput {
  std::size_t own = 0;                     // bodies before this one are this rank's
  std::span<const std::int64_t> keys;      // with mirrors: of all bodies, the same on all ranks
  std::span<const Index> counts;           // by SchemeNeeds::count; empty: no body is shared
  std::span<const double> inverse_masses;  // of all bodies [1/kg]
};

/// Memory of a solve, kept between solves.
struct SchemeScratch {
  JacobiScratch jacobi;
  KernelScratch kernels;
  MomentumScratch momentum;
  SweepOrder order;
  std::vector<RigidBody> whole;  // those of split masses, as they were
};
/// @param laws  that act in the contacts
void Reserve(const SolverParameters& parameters, std::size_t contacts, std::size_t bodies,
             const LawFlags& laws, SchemeScratch& scratch);

/// Solves by the scheme that the parameters name (block_gauss_seidel, block_jacobi).
/// @param sync  where masses are split, one that takes means by these counts
SolveReport SolveByScheme(const SolverParameters& parameters, const SchemeInput& input,
                          VelocitySync& sync, StartingImpulses impulses, ContactBatches& batches,
                          std::vector<SphereBody>& bodies, SchemeScratch& scratch);
/// The same for rigid bodies of any shape. @pre the kernel is a general one
SolveReport SolveByScheme(const SolverParameters& parameters, const SchemeInput& input,
                          RigidVelocitySync& sync, StartingImpulses impulses,
                          ContactBatches& batches, std::vector<RigidBody>& bodies,
                          SchemeScratch& scratch);

/// The sweeps of a projection that has begun, by the same scheme and after SolveByScheme.
/// @param sync, input  as there
void ProjectByScheme(const SolverParameters& parameters, const SchemeInput& input,
                     BodySync<Displacement>& sync, ContactBatches& batches,
                     std::vector<SphereBody>& bodies, const SchemeScratch& scratch,
                     PositionProjection& projection);
void ProjectByScheme(const SolverParameters& parameters, const SchemeInput& input,
                     BodySync<Displacement>& sync, ContactBatches& batches,
                     std::vector<RigidBody>& bodies, SchemeScratch& scratch,
                     PositionProjection& projection);

}  // namespace scree
