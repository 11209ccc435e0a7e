/// \file  Nonlinear block Gauss-Seidel: contacts are relaxed one after another, and each uses the
///        velocities as updated by the contacts before it.
#pragma once

#include "solvers/batches/contact_batches.hpp"
#include "solvers/batches/kernel_state.hpp"
#include "solvers/sweeps/momentum.hpp"
#include "solvers/sweeps/solve_report.hpp"
#include "solvers/sweeps/solver_parameters.hpp"
#include "solvers/sweeps/sweep_order.hpp"
#include "solvers/sweeps/velocity_sync.hpp"

namespace scree {

/// Sweeps over all contacts, in batches of eight that share no body. Every sweep synchronises
/// shared bodies while it works on contacts of other bodies. (Preclik & Rüde 2015, doi
/// 10.1007/s40571-015-0047-6: Gauss-Seidel inside a rank, Jacobi across ranks.)
/// @param impulses  whether the initial velocities already include the initial impulses
/// @param[in,out] batches  the problem; contacts of shared bodies are in the shared batches. On
/// return the impulses λ satisfy v = v_free + M⁻¹ W λ (solvers/README.md), on entry only if they
/// are already applied
/// @param[in,out] bodies   v and the angular velocities; capacity for one more avoids an allocation
/// @param kernels, momentum, order  memory, set up again in every solve
/// @returns the number of sweeps and, if there is a tolerance, whether it was reached; residuals
///          remain zero
/// @pre bodies are spheres, or the kernel is not Kernel::kSphere
template <class Body>
SolveReport BlockGaussSeidel(const SolverParameters& parameters, VelocitySyncOf<Body>& sync,
                             StartingImpulses impulses, ContactBatches& batches,
                             std::vector<Body>& bodies, KernelScratch& kernels,
                             MomentumScratch& momentum, SweepOrder& order);

}  // namespace scree
