#include "solvers/sweeps/scheme.hpp"

#include "solvers/sweeps/block_gauss_seidel.hpp"

namespace scree {
namespace {

/// Mass splitting: gives this rank its share of each body that several ranks work on, 1/k of mass
/// and inertia.
void SplitMasses(std::span<const Index> shares, std::vector<SphereBody>& bodies) {
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] > 1) bodies[i].inverse_mass *= shares[i];
  }
}

void UniteMasses(std::span<const double> inverse_masses, std::vector<SphereBody>& bodies) {
  for (std::size_t i = 0; i < bodies.size(); ++i) bodies[i].inverse_mass = inverse_masses[i];
}

void SplitMasses(std::span<const Index> shares, std::vector<RigidBody>& bodies,
                 std::vector<RigidBody>& whole) {
  whole.clear();
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] <= 1) continue;
    whole.push_back(bodies[i]);
    bodies[i].inverse_mass *= shares[i];
    bodies[i].SetInverseInertia(shares[i] * bodies[i].InverseInertia());
  }
}

void UniteMasses(std::span<const Index> shares, std::span<const RigidBody> whole,
                 std::vector<RigidBody>& bodies) {
  auto next = whole.begin();
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] <= 1) continue;
    bodies[i].inverse_mass = next->inverse_mass;
    bodies[i].SetInverseInertia(next->InverseInertia());
    ++next;
  }
}

}  // namespace

void Reserve(const SolverParameters& parameters, std::size_t contacts, std::size_t bodies,
             const LawFlags& laws, SchemeScratch& scratch) {
  if (parameters.scheme == Scheme::kJacobi) Reserve(contacts, bodies, laws, scratch.jacobi);
  const std::size_t batches = ContactLayout::BatchesFor(contacts);
  if (parameters.ActingMomentum() > 0.0) {
    scratch.momentum.Reserve(batches, bodies, parameters.kernel != Kernel::kSphere, laws);
  }
  if (parameters.kernel == Kernel::kMaxDissipation)
    scratch.kernels.max_dissipation.reserve(batches);
  if (parameters.kernel == Kernel::kCoulomb) scratch.kernels.coulomb.reserve(batches);
}

SolveReport SolveByScheme(const SolverParameters& parameters, const SchemeInput& input,
                          VelocitySync& sync, StartingImpulses impulses, ContactBatches& batches,
                          std::vector<SphereBody>& bodies, SchemeScratch& scratch) {
  if (parameters.scheme == Scheme::kJacobi) {
    return BlockJacobi(parameters, input.own, input.keys, sync, impulses, batches, bodies,
                       scratch.kernels, scratch.jacobi);
  }
  const bool splits = NeedsOf(parameters).splits_masses;
  if (splits) SplitMasses(input.counts, bodies);
  const SolveReport report = BlockGaussSeidel(parameters, sync, impulses, batches, bodies,
                                              scratch.kernels, scratch.momentum, scratch.order);
  if (splits) UniteMasses(input.inverse_masses, bodies);
  return report;
}

SolveReport SolveByScheme(const SolverParameters& parameters, const SchemeInput& input,
                          RigidVelocitySync& sync, StartingImpulses impulses,
                          ContactBatches& batches, std::vector<RigidBody>& bodies,
                          SchemeScratch& scratch) {
  if (parameters.scheme == Scheme::kJacobi) {
    return BlockJacobi(parameters, input.own, input.keys, sync, impulses, batches, bodies,
                       scratch.kernels, scratch.jacobi);
  }
  const bool splits = NeedsOf(parameters).splits_masses;
  if (splits) SplitMasses(input.counts, bodies, scratch.whole);
  const SolveReport report = BlockGaussSeidel(parameters, sync, impulses, batches, bodies,
                                              scratch.kernels, scratch.momentum, scratch.order);
  if (splits) UniteMasses(input.counts, scratch.whole, bodies);
  return report;
}

void ProjectByScheme(const SolverParameters& parameters, const SchemeInput& input,
                     BodySync<Displacement>& sync, ContactBatches& batches,
                     std::vector<SphereBody>& bodies, const SchemeScratch& scratch,
                     PositionProjection& projection) {
  if (parameters.scheme == Scheme::kJacobi) {
    projection.SweepJacobi(input.own, scratch.jacobi, sync, batches, bodies);
    return;
  }
  const bool splits = NeedsOf(parameters).splits_masses;
  if (splits) SplitMasses(input.counts, bodies);
  projection.Sweep(scratch.order, sync, batches, bodies);
  if (splits) UniteMasses(input.inverse_masses, bodies);
}

void ProjectByScheme(const SolverParameters& parameters, const SchemeInput& input,
                     BodySync<Displacement>& sync, ContactBatches& batches,
                     std::vector<RigidBody>& bodies, SchemeScratch& scratch,
                     PositionProjection& projection) {
  if (parameters.scheme == Scheme::kJacobi) {
    projection.SweepJacobi(input.own, scratch.jacobi, sync, batches, bodies);
    return;
  }
  const bool splits = NeedsOf(parameters).splits_masses;
  if (splits) SplitMasses(input.counts, bodies, scratch.whole);
  projection.Sweep(scratch.order, sync, batches, bodies);
  if (splits) UniteMasses(input.counts, scratch.whole, bodies);
}

}  // namespace scree
