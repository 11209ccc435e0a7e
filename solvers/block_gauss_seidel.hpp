/// \file  Nonlinear block Gauss-Seidel: contact after contact, each seeing the velocities that the
///        contacts before it left behind.
#pragma once

#include "solvers/contact_batches.hpp"
#include "solvers/contact_problem.hpp"
#include "solvers/solver_parameters.hpp"
#include "solvers/velocity_sync.hpp"

namespace scree {

/// Sweeps over all contacts, eight that share no body at a time, synchronising shared bodies after
/// every sweep. (Preclik & Rüde 2015, doi 10.1007/s40571-015-0047-6: Gauss-Seidel inside a rank,
/// Jacobi across.)
/// @param[in,out] batches  the problem; impulses that satisfy the invariant of ContactSolution
/// @param[in,out] bodies   velocities alike; room for one more avoids an allocation
void BlockGaussSeidel(const SolverParameters& parameters, VelocitySync& sync,
                      ContactBatches& batches, std::vector<SphereBody>& bodies);

/// The same for a problem that is not in batches.
void BlockGaussSeidel(const ContactProblem& problem, const SolverParameters& parameters,
                      VelocitySync& sync, ContactSolution& solution);

}  // namespace scree
