/// \file  What a sweep does with one batch, for each kind of kernel and bodies: load, relax, store.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>

#include "solvers/additional_laws.hpp"
#include "solvers/batch_relaxation.hpp"
#include "solvers/contact_batches.hpp"
#include "solvers/general_relaxation.hpp"
#include "solvers/kernel_relaxation.hpp"
#include "solvers/solver_parameters.hpp"

namespace scree {

/// The first batches of the additional laws that act (WithActingLaws).
template <class... Laws>
using ActingLaws = std::tuple<LawBatch<Laws>*...>;

/// Spheres, in closed form.
struct ClosedFormSweep {
  using Body = SphereBody;
  static constexpr bool kSetsUp = false;

  std::span<ContactBatch> all;
  SphereBody* bodies;

  SCREE_INLINE BatchBodies<Body> Load(std::size_t k) const { return {all[k], nullptr, bodies}; }
  SCREE_INLINE void SetUp(std::size_t, const BatchBodies<Body>&) const {}
  /// Replaces the impulses of batch k by their solution.
  /// @param[in,out] greatest  the greatest change so far, squared and lane by lane; null: not
  ///                          measured
  /// @returns their change
  SCREE_INLINE Vector3<Double8> Solve(std::size_t k, const BatchBodies<Body>& its,
                                      Double8* greatest) const {
    const Vector3<Double8> change = SolveBatch(all[k], its);
    if (greatest != nullptr) *greatest = GreaterChange(all[k], change, *greatest);
    return change;
  }
};

/// Bodies of any kind, by a general kernel.
template <class BodyType, ContactLaw kLaw>
struct GeneralSweep {
  using Body = BodyType;
  static constexpr bool kSetsUp = true;

  std::span<ContactBatch> all;
  Body* bodies;
  const ArmBatch* arms;  // null for spheres
  KernelBatch<kLaw>* kernels;
  std::int64_t* one_by_one;  // counts what is left to the kernel for one contact

  SCREE_INLINE const ArmBatch* ArmsOf(std::size_t k) const {
    return arms == nullptr ? nullptr : arms + k;
  }
  SCREE_INLINE BatchBodies<Body> Load(std::size_t k) const { return {all[k], ArmsOf(k), bodies}; }
  SCREE_INLINE void SetUp(std::size_t k, const BatchBodies<Body>& its) const {
    SetUpKernelBatch(all[k], its, kernels[k]);
  }
  SCREE_INLINE Vector3<Double8> Solve(std::size_t k, const BatchBodies<Body>& its,
                                      Double8* greatest) const {
    ContactBatch& batch = all[k];
    Relaxed8 relaxed = SolveKernelBatch(batch, kernels[k], its.RelativeVelocity(NormalOf(batch)));
    if (greatest != nullptr) {
      *greatest = GreaterChange(kernels[k], relaxed.change, relaxed.left, *greatest);
    }
    if (relaxed.left != 0) [[unlikely]] {
      const double change = SolveOneByOne(batch, ArmsOf(k), bodies, kernels[k], relaxed);
      *one_by_one += std::popcount(relaxed.left);
      if (greatest != nullptr && change * change > (*greatest)[0]) {
        (*greatest)[0] = change * change;
      }
    }
    const Vector3<Double8> change = Minus(relaxed.impulse, ImpulseOf(batch));
    SetImpulseOf(batch, relaxed.impulse);
    return change;
  }
};

namespace internal {
template <ContactLaw kLaw, class Body, class Work>
decltype(auto) WithGeneralSweep(ContactBatches& batches, Body* bodies, KernelScratch& scratch,
                                Work&& work) {
  const std::span<ContactBatch> all = batches.All();
  auto& kernels = scratch.Of<kLaw>();
  if (kernels.size() < all.size()) kernels.resize(all.size());
  const ArmBatch* const arms = batches.Arms().data();
  return work(GeneralSweep<Body, kLaw>{all, bodies, arms, kernels.data(), &scratch.one_by_one});
}
}  // namespace internal

/// Calls work(sweep) with the sweep of the kernel and the bodies of a problem.
/// @param bodies  with the padding body
template <class Work>
decltype(auto) WithSweep(Kernel kernel, ContactBatches& batches, SphereBody* bodies,
                         KernelScratch& scratch, Work&& work) {
  SCREE_DEMAND(batches.Kind() == BodyKind::kSphere);
  using enum ContactLaw;
  if (kernel == Kernel::kSphere) return work(ClosedFormSweep{batches.All(), bodies});
  return kernel == Kernel::kCoulomb
             ? internal::WithGeneralSweep<kCoulomb>(batches, bodies, scratch, work)
             : internal::WithGeneralSweep<kMaxDissipation>(batches, bodies, scratch, work);
}
template <class Work>
decltype(auto) WithSweep(Kernel kernel, ContactBatches& batches, RigidBody* bodies,
                         KernelScratch& scratch, Work&& work) {
  SCREE_DEMAND(batches.Kind() == BodyKind::kRigid && kernel != Kernel::kSphere);
  using enum ContactLaw;
  return kernel == Kernel::kCoulomb
             ? internal::WithGeneralSweep<kCoulomb>(batches, bodies, scratch, work)
             : internal::WithGeneralSweep<kMaxDissipation>(batches, bodies, scratch, work);
}

/// @param[in,out] greatest  as of the sweeps' Solve
template <class Law, class Bodies>
SCREE_INLINE void RelaxLawBatch(const ContactBatch& batch, LawBatch<Law>& its, Bodies& bodies,
                                Double8* greatest) {
  const Vector3<Double8> change = SolveLawBatch(batch, its, bodies.a, bodies.b);
  Law::Apply(its.data, change, bodies.a, bodies.b);
  if (greatest != nullptr) *greatest = GreaterChange(its, change, *greatest);
}

/// One relaxation of the contacts of batch k.
template <class Sweep, class... Laws>
SCREE_INLINE void RelaxBatch(const Sweep& sweep, const ActingLaws<Laws...>& laws, std::size_t k,
                             Double8* greatest) {
  auto bodies = sweep.Load(k);
  const Vector3<Double8> change = sweep.Solve(k, bodies, greatest);
  bodies.Apply(NormalOf(sweep.all[k]), change);
  (RelaxLawBatch(sweep.all[k], std::get<LawBatch<Laws>*>(laws)[k], bodies, greatest), ...);
  bodies.Store();
}

/// Before the first sweep: sets the kernel up, and lets the bodies get the impulses that the
/// contacts start with.
template <class Sweep, class... Laws>
SCREE_INLINE void BeginBatch(const Sweep& sweep, const ActingLaws<Laws...>& laws, bool applies,
                             std::size_t k) {
  auto bodies = sweep.Load(k);
  sweep.SetUp(k, bodies);
  if (!applies) return;
  bodies.Apply(NormalOf(sweep.all[k]), ImpulseOf(sweep.all[k]));
  (Laws::Apply(std::get<LawBatch<Laws>*>(laws)[k].data,
               ImpulseOf(std::get<LawBatch<Laws>*>(laws)[k]), bodies.a, bodies.b),
   ...);
  bodies.Store();
}

/// Body lines are prefetched while the batches before are at work.
template <class Body>
SCREE_INLINE void PrefetchBodies(const ContactBatch& batch, const Body* bodies) {
  const auto* start = reinterpret_cast<const std::byte*>(bodies);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (std::size_t line = 0; line < sizeof(Body); line += 64) {
      __builtin_prefetch(start + batch.a[lane] + line);
      __builtin_prefetch(start + batch.b[lane] + line);
    }
  }
}

}  // namespace scree
