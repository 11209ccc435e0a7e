/// \file  Nonlinear block Gauss-Seidel: contact after contact, each seeing the velocities that the
///        contacts before it left behind.
#pragma once

#include "solvers/batches/contact_batches.hpp"
#include "solvers/batches/contact_problem.hpp"
#include "solvers/batches/kernel_batch.hpp"
#include "solvers/sweeps/momentum.hpp"
#include "solvers/sweeps/solve_report.hpp"
#include "solvers/sweeps/solver_parameters.hpp"
#include "solvers/sweeps/sweep_order.hpp"
#include "solvers/sweeps/velocity_sync.hpp"

namespace scree {

/// Sweeps over all contacts, eight that share no body at a time, synchronising shared bodies in
/// every sweep while contacts of other bodies are at work. (Preclik & Rüde 2015,
/// doi 10.1007/s40571-015-0047-6: Gauss-Seidel inside a rank, Jacobi across.)
/// @param impulses  whether the velocities at the start already hold the impulses at the start
/// @param[in,out] batches  the problem, in which contacts of shared bodies are those of the border;
///                         impulses that satisfy the invariant of ContactSolution, at the start
///                         only if they are applied
/// @param[in,out] bodies   velocities alike; room for one more avoids an allocation
/// @param kernels, momentum, order  memory; set up anew in every solve
/// @returns sweeps, and with a tolerance whether it was reached; residuals are left at zero
SolveReport BlockGaussSeidel(const SolverParameters& parameters, VelocitySync& sync,
                             StartingImpulses impulses, ContactBatches& batches,
                             std::vector<SphereBody>& bodies, KernelScratch& kernels,
                             MomentumScratch& momentum, SweepOrder& order);
/// The same for rigid bodies of any shape. @pre the kernel is a general one
SolveReport BlockGaussSeidel(const SolverParameters& parameters, RigidVelocitySync& sync,
                             StartingImpulses impulses, ContactBatches& batches,
                             std::vector<RigidBody>& bodies, KernelScratch& kernels,
                             MomentumScratch& momentum, SweepOrder& order);

/// The same for a problem that is not in batches, of which all contacts may touch shared bodies.
SolveReport BlockGaussSeidel(const ContactProblem& problem, const SolverParameters& parameters,
                             VelocitySync& sync, ContactSolution& solution);

}  // namespace scree
