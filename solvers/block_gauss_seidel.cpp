#include "solvers/block_gauss_seidel.hpp"

#include "solvers/check.hpp"
#include "solvers/sphere_contact.hpp"

namespace scree {
namespace {

void Sweep(const ContactProblem& problem, ContactSolution& solution) {
  SphereBody* const bodies = solution.bodies.data();
  Vec3* const impulses = solution.impulses.data();
  const std::size_t count = problem.contacts.size();
  for (std::size_t j = 0; j < count; ++j) {
    const Contact& contact = problem.contacts[j];
    RelaxSphereContact(contact, impulses[j], bodies[contact.a], bodies[contact.b]);
  }
}

}  // namespace

void BlockGaussSeidel(const ContactProblem& problem, const SolverParameters& parameters,
                      VelocitySync& sync, ContactSolution& solution) {
  SCREE_DEMAND(solution.impulses.size() == problem.contacts.size());
  sync.Start(solution.bodies);
  for (int sweep = 0; sweep < parameters.sweeps; ++sweep) {
    Sweep(problem, solution);
    sync.Combine(solution.bodies);
  }
}

}  // namespace scree
