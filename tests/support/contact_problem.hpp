/// \file  Contact problems of spheres as lists, and their conversion to the batches of the sweeps.
#pragma once

#include <limits>
#include <vector>

#include "solvers/sweeps/block_gauss_seidel.hpp"
#include "solvers/sweeps/residual.hpp"
#include "tests/support/no_sync.hpp"

namespace scree::test {

struct ContactProblem {
  std::vector<Contact> contacts;
  std::vector<RollingContact> rolling;  // one per contact; empty: no rolling resistance
  Index first_fixed = std::numeric_limits<Index>::max();  // this body and all after it are fixed
};

struct ContactSolution {
  std::vector<SphereBody> bodies;
  std::vector<Vec3> impulses;  // λ, one per contact [N s]
  std::vector<Vec3> rolling;   // L, one per entry of ContactProblem::rolling [N s]

  SphereBody& A(const Contact& contact) { return bodies[static_cast<std::size_t>(contact.a)]; }
  SphereBody& B(const Contact& contact) { return bodies[static_cast<std::size_t>(contact.b)]; }
};

/// @param shared  number of contacts that touch shared bodies; they are first in the list
inline void FillBatches(const ContactProblem& problem, const ContactSolution& solution,
                        ContactBatches& batches, std::size_t shared = 0) {
  batches.Begin(problem.first_fixed, solution.bodies.size(), BodyKind::kSphere, shared);
  for (std::size_t j = 0; j < problem.contacts.size(); ++j) {
    batches.Add(problem.contacts[j], solution.impulses[j]);
  }
  batches.End();
  if (!problem.rolling.empty()) batches.BeginLaw<RollingLaw>();
  for (std::size_t j = 0; j < problem.rolling.size(); ++j) {
    batches.ArraysOf<RollingLaw>().Set(batches.SlotOf(j), problem.rolling[j], solution.rolling[j]);
  }
}

inline void ReadImpulses(const ContactBatches& batches, ContactSolution& solution) {
  for (std::size_t j = 0; j < solution.impulses.size(); ++j) {
    solution.impulses[j] = batches.Impulse(j);
  }
  for (std::size_t j = 0; j < solution.rolling.size(); ++j) {
    solution.rolling[j] = batches.ArraysOf<RollingLaw>().Impulse(batches.SlotOf(j));
  }
}

/// Gauss-Seidel with scratch memory that lasts for this call.
template <class Body>
SolveReport Sweep(const SolverParameters& parameters, VelocitySyncOf<Body>& sync,
                  ContactBatches& batches, std::vector<Body>& bodies,
                  StartingImpulses starting = StartingImpulses::kApplied) {
  KernelScratch kernels;
  MomentumScratch momentum;
  SweepOrder order;
  return scree::BlockGaussSeidel(parameters, sync, starting, batches, bodies, kernels, momentum,
                                 order);
}
/// Gauss-Seidel on one rank.
template <class Body>
SolveReport Sweep(const SolverParameters& parameters, ContactBatches& batches,
                  std::vector<Body>& bodies,
                  StartingImpulses starting = StartingImpulses::kApplied) {
  NoSyncOf<Body> no_sync;
  return Sweep(parameters, no_sync, batches, bodies, starting);
}

/// Solves the problem by Gauss-Seidel; no contact counts as shared. Updates bodies and impulses.
inline SolveReport BlockGaussSeidel(const ContactProblem& problem,
                                    const SolverParameters& parameters, VelocitySync& sync,
                                    ContactSolution& solution) {
  ContactBatches batches;
  FillBatches(problem, solution, batches);
  const SolveReport report = Sweep(parameters, sync, batches, solution.bodies);
  ReadImpulses(batches, solution);
  return report;
}
inline SolveReport BlockGaussSeidel(const ContactProblem& problem,
                                    const SolverParameters& parameters, ContactSolution& solution) {
  NoSync no_sync;
  return BlockGaussSeidel(problem, parameters, no_sync, solution);
}

inline Residual ContactResidual(const ContactProblem& problem, const ContactSolution& solution) {
  ContactBatches batches;
  FillBatches(problem, solution, batches);
  return scree::ContactResidual(batches, batches.Size(), std::span(solution.bodies));
}

}  // namespace scree::test
