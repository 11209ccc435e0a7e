/// \file  The user's parameters for the solution of a step's contact problem.
#pragma once

#include <array>

namespace scree {

/// The kernel that solves one contact. For spheres all three have the same solution
/// (solvers/README.md), which the general ones find at a price; clumps need one of these.
enum class Kernel {
  kSphere,          // closed form
  kMaxDissipation,  // any block A, least energy
  kCoulomb,         // any block A, the most dissipative of Coulomb's solutions
};

/// Where nothing else is chosen for clumps and polyhedra. A body that stands on several contacts
/// slides by Coulomb's law as a single force of friction would have it, by the other it does not
/// (solvers/README.md).
constexpr Kernel kDefaultKernelOfBodies = Kernel::kCoulomb;

/// The names in scenes, in the order of the enumeration (io/scene/enum_names.hpp).
constexpr std::array<const char*, 3> NamesOf(Kernel) {
  return {"sphere", "max_dissipation", "coulomb"};
}

/// Which velocities a relaxation uses.
enum class Scheme {
  kGaussSeidel,  // the current ones, inside a rank; Jacobi across ranks
  kJacobi,       // those at the start of the sweep: the same bits on any number of ranks
};
constexpr std::array<const char*, 2> NamesOf(Scheme) { return {"gauss_seidel", "jacobi"}; }

struct SolverParameters {
  int sweeps = 10;         // relaxations of every contact per step, ≥ 1, if there is no tolerance
  double tolerance = 0.0;  // largest change of a relative velocity in the last sweep [m/s]; 0: none
  int max_sweeps = 1000;   // with a tolerance, ≥ 1
  Kernel kernel = Kernel::kSphere;
  Scheme scheme = Scheme::kGaussSeidel;
  double momentum = 0.0;  // β of Gauss-Seidel's sweeps (solvers/sweeps/momentum.hpp), in [0, 1)
  bool coarse_correction = true;  // loads of deep beds are scaled after the sweeps

  /// β where it acts: in sweeps of Gauss-Seidel.
  double ActingMomentum() const { return scheme == Scheme::kGaussSeidel ? momentum : 0.0; }
};

}  // namespace scree
