/// \file  Frictional contact problems in the FCLIB format, read and written.
///
/// FCLIB (V. Acary and others, https://frictionalcontactlibrary.github.io) is an exchange format
/// for problems from many codes: HDF5 with sparse matrices as in CSparse. Like our solvers, it uses
/// SI units, contact frames (n, t, o), and the same law: u and r = λ satisfy Signorini's and
/// Coulomb's law.
///
///     /fclib_local    W, vectors/q, vectors/mu           u = W r + q
///     /fclib_global   M, H, vectors/f, w, mu             M v = H r + f, u = Hᵀ v + w
///     /solution       v (global), u, r                   a solution
///     /guesses/1, ..  as in /solution                    initial guesses of solvers
///     /scree          bodies, contacts/id, contacts/wall our addition: ids of bodies and contacts
///
/// Here u is more than the relative velocity: it includes q or w, such as a rebound velocity or a
/// gap divided by the step.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/observation/problem_record.hpp"
#include "solvers/delassus/delassus_problem.hpp"

namespace scree {

struct FclibSolution {
  Eigen::VectorXd
      v;  // of the bodies, in the order of GlobalProblem::f [m/s, 1/s]; empty for a local problem
  Eigen::VectorXd u, r;  // relative velocities [m/s] and impulses [N s] of c contacts, 3c each
};

struct FclibFile {
  std::variant<LocalProblem, GlobalProblem> problem;
  std::string title, description;
  std::optional<FclibSolution> solution, guess;  // for writing; ReadFclib does not set them
  // Ids in our own group, which other codes ignore; empty if the file has none.
  std::vector<ParticleId> bodies;     // each has six rows of M and H
  std::vector<ContactPair> contacts;  // each has three columns of H

  bool IsGlobal() const { return std::holds_alternative<GlobalProblem>(problem); }
};

/// The problem of a step with its solution and guess.
/// @param length, time  length and end of the step [s]
/// @param kernel        value of the key solver.kernel
FclibFile MakeFclibFile(const ProblemRecord& record, double length, double time,
                        const std::string& kernel, const SolveReport& report);

/// Reads everything except the solution and the guess.
/// @throws FileError   if the file is missing or damaged, is not a three-dimensional FCLIB problem,
/// or has equality constraints, which the contact solvers do not support
FclibFile ReadFclib(const std::string& path);

inline constexpr const char* kFclibSolution = "/solution";
inline constexpr const char* kFclibGuess = "/guesses/1";
/// Reads r of one of these two groups. Some codes write an empty group instead of a solution.
/// @param size  3c
/// @throws FileError   if the group is missing or has another number of impulses
Eigen::VectorXd ReadFclibImpulses(const std::string& path, const std::string& group,
                                  Eigen::Index size);

/// Writes a file, which appears complete or not at all. One rank only.
/// @throws OutputError
void WriteFclib(const std::string& path, const FclibFile& file);

/// The contact problem W, q, μ, computed from M and H if the file has the global form.
/// @throws InputError  if the data of the file are not a valid contact problem
DelassusProblem ContactsOf(const FclibFile& file);

/// Impulses with the resulting velocities. @param r  3c [N s]
FclibSolution SolutionOf(const FclibFile& file, const Eigen::VectorXd& r);

}  // namespace scree
