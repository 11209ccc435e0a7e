/// \file  The user's parameters for the solution of a step's contact problem.
#pragma once

#include <array>

namespace scree {

/// The kernel that solves one contact. For spheres all three have the same solution
/// (solvers/README.md), but general kernels take more time. Clumps and polyhedra need a general
/// kernel.
enum class Kernel {
  kSphere,          // closed form
  kMaxDissipation,  // any block A, least energy
  kCoulomb,         // any block A, the most dissipative of Coulomb's solutions
};

/// The default for clumps and polyhedra. With Coulomb's law a body on several contacts slides as
/// under a single friction force; with maximum dissipation it does not (solvers/README.md).
constexpr Kernel kDefaultKernelOfBodies = Kernel::kCoulomb;

/// The default number of sweeps in a [cell]. A cell compressed along all axes dissipates 16 % too
/// much with ten sweeps, and 3 % with forty (engine/time_steps.md).
constexpr int kDefaultSweepsOfCells = 40;

/// The names in scenes, in the order of the enumeration (io/scene/enum_names.hpp).
constexpr std::array<const char*, 3> NamesOf(Kernel) {
  return {"sphere", "max_dissipation", "coulomb"};
}

/// The velocities that a relaxation uses.
enum class Scheme {
  kGaussSeidel,  // the current ones, inside a rank; Jacobi across ranks
  kJacobi,       // those at the start of the sweep: the same bits on any number of ranks
};
constexpr std::array<const char*, 2> NamesOf(Scheme) { return {"gauss_seidel", "jacobi"}; }

struct SolverParameters {
  int sweeps = 10;         // relaxations of every contact per step, ≥ 1, if there is no tolerance
  double tolerance = 0.0;  // largest change of a relative velocity in the last sweep [m/s]; 0: none
  int max_sweeps = 1000;   // limit of the sweeps if there is a tolerance, ≥ 1
  Kernel kernel = Kernel::kSphere;
  Scheme scheme = Scheme::kGaussSeidel;
  double momentum = 0.0;  // β of Gauss-Seidel's sweeps (solvers/sweeps/momentum.hpp), in [0, 1)
  bool coarse_correction = true;  // whether impulses of deep beds are scaled after the sweeps

  /// β of the sweeps: `momentum` with Gauss-Seidel, 0 with Jacobi.
  double ActiveMomentum() const { return scheme == Scheme::kGaussSeidel ? momentum : 0.0; }
};

}  // namespace scree
