/// \file  Reads frictional contact problems in the FCLIB format.
///
/// FCLIB (https://frictionalcontactlibrary.github.io) is an exchange format for problems from many
/// codes, HDF5 with sparse matrices as in CSparse. Contact frames are (n, t, o), as ours.
#pragma once

#include <string>

#include "solvers/delassus/delassus_problem.hpp"

namespace scree {

enum class FclibForm {
  kLocal,   // W, q, μ:          u = W r + q
  kGlobal,  // M, H, f, w, μ:    M v = H r + f, u = Hᵀ v + w
};

struct FclibProblem {
  FclibForm form;
  DelassusProblem contacts;
};

/// @throws FileError   if the file is missing or damaged, is no three-dimensional FCLIB problem, or
///                     has equality constraints, which the contact solvers do not know
/// @throws InputError  if what it says makes no contact problem
FclibProblem ReadFclib(const std::string& path);

}  // namespace scree
