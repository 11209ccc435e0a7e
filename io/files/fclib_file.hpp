/// \file  Frictional contact problems in the FCLIB format, read and written.
///
/// FCLIB (V. Acary and others, https://frictionalcontactlibrary.github.io) is an exchange format
/// for problems from many codes, HDF5 with sparse matrices as in CSparse, in SI units as here.
/// Contact frames are (n, t, o), as ours, and so is the law: u with what is added to it in w or q,
/// a gap over the step or a rebound, obeys Signorini's and Coulomb's law with r = λ.
///
///     /fclib_local    W, vectors/q, vectors/mu           u = W r + q
///     /fclib_global   M, H, vectors/f, w, mu             M v = H r + f, u = Hᵀ v + w
///     /solution       v (global), u, r                   an answer
///     /guesses/1, ..  the same                           where solvers may begin
///     /scree          bodies, contacts/id, contacts/wall our own: ids of bodies and contacts
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
  Eigen::VectorXd v;     // of the bodies, as GlobalProblem::f [m/s, 1/s]; empty: of a local problem
  Eigen::VectorXd u, r;  // 3c: relative velocities [m/s], impulses [N s]
};

struct FclibFile {
  std::variant<LocalProblem, GlobalProblem> problem;
  std::string title, description;
  std::optional<FclibSolution> solution, guess;  // for writing; ReadFclib reads none
  // Who they are, in a group of our own that others pass over; none: the file does not say.
  std::vector<ParticleId> bodies;     // of six rows each
  std::vector<ContactPair> contacts;  // of three columns each

  bool IsGlobal() const { return std::holds_alternative<GlobalProblem>(problem); }
};

/// A step's problem with its solution and guess.
/// @param length, time  of the step, and when it ends [s]
/// @param kernel        the step's, by the name of its key
FclibFile FileOf(const ProblemRecord& record, double length, double time, const std::string& kernel,
                 const SolveReport& report);

/// Reads all but solution and guess.
/// @throws FileError   if the file is missing or damaged, is no three-dimensional FCLIB problem, or
///                     has equality constraints, which the contact solvers do not know
FclibFile ReadFclib(const std::string& path);

inline constexpr const char* kFclibSolution = "/solution";
inline constexpr const char* kFclibGuess = "/guesses/1";
/// Reads r of one of these groups. Other codes leave groups without data, as places for answers.
/// @param size  3c
/// @throws FileError   if there is no such group, or another number of impulses
Eigen::VectorXd ReadFclibImpulses(const std::string& path, const std::string& group,
                                  Eigen::Index size);

/// Writes a file, which appears whole or not at all. By one rank alone.
/// @throws OutputError
void WriteFclib(const std::string& path, const FclibFile& file);

/// @throws InputError  if what the file says makes no contact problem
DelassusProblem ContactsOf(const FclibFile& file);

/// Impulses with the velocities that follow from them. @param r  3c [N s]
FclibSolution SolutionOf(const FclibFile& file, const Eigen::VectorXd& r);

}  // namespace scree
