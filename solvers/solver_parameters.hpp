/// \file  What the user chooses about the solution of one step's contact problem.
#pragma once

#include <array>

namespace scree {

/// What solves one contact. For spheres all three have the same solution (solvers/README.md); the
/// general ones show that, at a price.
enum class Kernel {
  kSphere,          // closed form, eight contacts at a time
  kMaxDissipation,  // any block A, analytic quartic
  kCoulomb,         // any block A, the most dissipative of Coulomb's solutions
};

/// The kernels' names in scenes, in the order of the enumeration.
inline constexpr std::array<const char*, 3> kKernelNames = {"sphere", "max_dissipation", "coulomb"};

struct SolverParameters {
  int sweeps = 10;  // relaxations of every contact per step, ≥ 1
  Kernel kernel = Kernel::kSphere;
};

}  // namespace scree
