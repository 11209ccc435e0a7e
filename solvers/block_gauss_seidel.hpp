/// \file  Nonlinear block Gauss-Seidel: contact after contact, each seeing the velocities that the
///        contacts before it left behind.
#pragma once

#include "solvers/contact_problem.hpp"
#include "solvers/solver_parameters.hpp"
#include "solvers/velocity_sync.hpp"

namespace scree {

/// Sweeps over all contacts in their order, synchronising shared bodies after every sweep.
/// (Preclik & Rüde 2015, doi 10.1007/s40571-015-0047-6: Gauss-Seidel inside a rank, Jacobi across.)
/// @param[in,out] solution  bodies and impulses, one per contact, that satisfy its invariant
void BlockGaussSeidel(const ContactProblem& problem, const SolverParameters& parameters,
                      VelocitySync& sync, ContactSolution& solution);

}  // namespace scree
