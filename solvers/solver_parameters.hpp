/// \file  What the user chooses about the solution of one step's contact problem.
#pragma once

namespace scree {

struct SolverParameters {
  int sweeps = 10;  // relaxations of every contact per step, ≥ 1
};

}  // namespace scree
