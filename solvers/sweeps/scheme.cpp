#include "solvers/sweeps/scheme.hpp"

namespace scree {

void Reserve(const SolverParameters& parameters, std::size_t contacts, std::size_t bodies,
             const LawFlags& laws, SchemeScratch& scratch) {
  if (parameters.scheme == Scheme::kJacobi) Reserve(contacts, bodies, laws, scratch.jacobi);
  const std::size_t batches = ContactColouring::BatchesFor(contacts);
  if (parameters.ActiveMomentum() > 0.0) {
    scratch.momentum.Reserve(batches, bodies, parameters.kernel != Kernel::kSphere, laws);
  }
  if (parameters.kernel == Kernel::kMaxDissipation)
    scratch.kernels.max_dissipation.reserve(batches);
  if (parameters.kernel == Kernel::kCoulomb) scratch.kernels.coulomb.reserve(batches);
}

}  // namespace scree
