/// \file  Contacts of spheres as lists, in the order in which they were added, in front of the
///        batches that the sweeps work on.
#pragma once

#include <limits>
#include <vector>

#include "solvers/sweeps/block_gauss_seidel.hpp"
#include "solvers/sweeps/residual.hpp"

namespace scree::test {

struct ContactProblem {
  std::vector<Contact> contacts;
  std::vector<RollingContact> rolling;                    // one per contact; empty: none resists
  Index first_fixed = std::numeric_limits<Index>::max();  // bodies from here on have w = 0
};

struct ContactSolution {
  std::vector<SphereBody> bodies;
  std::vector<Vec3> impulses;  // λ, one per contact [N s]
  std::vector<Vec3> rolling;   // L, as many as the problem has [N s]
};

inline void FillBatches(const ContactProblem& problem, const ContactSolution& solution,
                        ContactBatches& batches) {
  batches.Begin(problem.first_fixed, solution.bodies.size());
  for (std::size_t j = 0; j < problem.contacts.size(); ++j) {
    batches.Add(problem.contacts[j], solution.impulses[j]);
  }
  batches.End();
  if (!problem.rolling.empty()) batches.BeginLaw<RollingLaw>();
  for (std::size_t j = 0; j < problem.rolling.size(); ++j) {
    batches.Of<RollingLaw>().Set(batches.SlotOf(j), problem.rolling[j], solution.rolling[j]);
  }
}

/// Impulses as the batches have them.
inline void ReadImpulses(const ContactBatches& batches, ContactSolution& solution) {
  for (std::size_t j = 0; j < solution.impulses.size(); ++j) {
    solution.impulses[j] = batches.Impulse(j);
  }
  for (std::size_t j = 0; j < solution.rolling.size(); ++j) {
    solution.rolling[j] = batches.Of<RollingLaw>().Impulse(batches.SlotOf(j));
  }
}

/// All contacts may touch shared bodies.
inline SolveReport BlockGaussSeidel(const ContactProblem& problem,
                                    const SolverParameters& parameters, VelocitySync& sync,
                                    ContactSolution& solution) {
  ContactBatches batches;
  FillBatches(problem, solution, batches);
  KernelScratch kernels;
  MomentumScratch momentum;
  SweepOrder order;
  const SolveReport report =
      scree::BlockGaussSeidel(parameters, sync, StartingImpulses::kApplied, batches,
                              solution.bodies, kernels, momentum, order);
  ReadImpulses(batches, solution);
  return report;
}

inline Residual ContactResidual(const ContactProblem& problem, const ContactSolution& solution) {
  ContactBatches batches;
  FillBatches(problem, solution, batches);
  return scree::ContactResidual(batches, batches.Size(), std::span(solution.bodies));
}

}  // namespace scree::test
