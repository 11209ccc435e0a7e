/// \file  The steps of a sweep for one batch (load, relax, store), for each kind of kernel and
///        bodies.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "solvers/batches/additional_laws.hpp"
#include "solvers/batches/contact_batches.hpp"
#include "solvers/batches/sphere_pairs.hpp"
#include "solvers/simd/prefetch.hpp"
#include "solvers/sweeps/general_relaxation.hpp"
#include "solvers/sweeps/momentum.hpp"
#include "solvers/sweeps/solver_parameters.hpp"
#include "solvers/sweeps/sphere_relaxation.hpp"
#include "solvers/sweeps/wide_relaxation.hpp"

namespace scree {

/// Pointers to the first batch of each active relaxed law (WithRelaxedLaws).
template <class... Laws>
using ActiveLawBatches = std::tuple<LawBatch<Laws>*...>;

/// The type that loads and stores the bodies of a batch, given the number of relaxed laws in
/// addition to λ.
template <class Body, std::size_t kLaws>
using BodiesOfSweep = std::conditional_t<std::is_same_v<Body, SphereBody> && kLaws == 0,
                                         SpherePairs, BatchBodies<Body>>;

/// Solves spheres in closed form.
struct ClosedFormSweep {
  using Body = SphereBody;
  static constexpr bool kNeedsSetUp = false;
  static constexpr bool kRelaxesPairs = true;  // two batches at once if no law is relaxed

  std::span<ContactBatch> all;
  SphereBody* bodies;

  template <class Bodies>
  SCREE_INLINE Bodies Load(std::size_t k) const {
    return {all[k], nullptr, bodies};
  }
  SCREE_INLINE void SetUp(std::size_t) const {}
  /// Replaces the impulses of batch k by their solution.
  /// @param[in,out] largest  largest change so far, squared, per lane; null: not measured
  /// @returns the change of the impulses
  SCREE_INLINE Vector3<Double8> Solve(std::size_t k, const Vector3<Double8>& delta_v,
                                      Double8* largest) const {
    const Vector3<Double8> change = SolveBatch(all[k], delta_v);
    if (largest != nullptr) *largest = MaxSquaredChange(all[k], change, *largest);
    return change;
  }
};

/// Solves bodies of any kind by a general kernel.
template <class BodyType, ContactLaw kLaw>
struct GeneralSweep {
  using Body = BodyType;
  static constexpr bool kNeedsSetUp = true;
  static constexpr bool kRelaxesPairs = false;

  std::span<ContactBatch> all;
  Body* bodies;
  const ArmBatch* arms;  // null for spheres
  KernelState<kLaw>* kernels;
  std::int64_t* scalar_relaxations;  // counts the relaxations by the one-contact kernel

  SCREE_INLINE const ArmBatch* ArmsOf(std::size_t k) const {
    return arms == nullptr ? nullptr : arms + k;
  }
  template <class Bodies>
  SCREE_INLINE Bodies Load(std::size_t k) const {
    return {all[k], ArmsOf(k), bodies};
  }
  SCREE_INLINE void SetUp(std::size_t k) const {
    SetUpKernel(all[k], Load<BatchBodies<Body>>(k), kernels[k]);
  }
  SCREE_INLINE Vector3<Double8> Solve(std::size_t k, const Vector3<Double8>& delta_v,
                                      Double8* largest) const {
    ContactBatch& batch = all[k];
    Relaxed8 relaxed = SolveByKernel(batch, kernels[k], delta_v);
    if (largest != nullptr) {
      *largest = MaxSquaredChange(kernels[k], relaxed.change, relaxed.scalar_lanes, *largest);
    }
    if (relaxed.scalar_lanes != 0) [[unlikely]] {
      const double change = SolveScalarLanes(batch, ArmsOf(k), bodies, kernels[k], relaxed);
      *scalar_relaxations += std::popcount(relaxed.scalar_lanes);
      if (largest != nullptr && change * change > (*largest)[0]) {
        (*largest)[0] = change * change;
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
  auto& kernels = scratch.KernelsOf<kLaw>();
  if (kernels.size() < all.size()) kernels.resize(all.size());
  const ArmBatch* const arms = batches.Arms().data();
  return work(
      GeneralSweep<Body, kLaw>{all, bodies, arms, kernels.data(), &scratch.scalar_relaxations});
}
}  // namespace internal

/// Calls work(sweep), where sweep is the ClosedFormSweep or GeneralSweep for this kernel and these
/// bodies.
/// @param bodies  the bodies of the problem, then the padding body
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

/// Relaxes the impulses L of a law in one batch.
/// @param[in,out] largest  as in ClosedFormSweep::Solve
template <class Law, class Bodies>
SCREE_INLINE void RelaxLawBatch(const ContactBatch& batch, LawBatch<Law>& law_batch, Bodies& bodies,
                                Double8* largest) {
  const Vector3<Double8> change = SolveLawBatch(batch, law_batch, bodies);
  ApplyLawImpulse(NormalOf(batch), law_batch, change, bodies);
  if (largest != nullptr) *largest = MaxSquaredChange(law_batch, change, *largest);
}

template <class Sweep, class... Laws>
SCREE_INLINE void RelaxBatch(const Sweep& sweep, const ActiveLawBatches<Laws...>& laws,
                             std::size_t k, Double8* largest) {
  const Vector3<Double8> n = NormalOf(sweep.all[k]);
  auto bodies = sweep.template Load<BodiesOfSweep<typename Sweep::Body, sizeof...(Laws)>>(k);
  bodies.Apply(n, sweep.Solve(k, bodies.RelativeVelocity(n), largest));
  (RelaxLawBatch(sweep.all[k], std::get<LawBatch<Laws>*>(laws)[k], bodies, largest), ...);
  bodies.Store();
}

/// Relaxes batches k and l together, which share no moving body. The processor works on one batch
/// while the other waits for its inverse square root.
template <class Sweep>
SCREE_INLINE void RelaxTwoBatches(const Sweep& sweep, std::size_t k, std::size_t l,
                                  Double8* largest) {
  const Vector3<Double8> n_k = NormalOf(sweep.all[k]), n_l = NormalOf(sweep.all[l]);
  const auto at_k = sweep.template Load<SpherePairs>(k), at_l = sweep.template Load<SpherePairs>(l);
  const Vector3<Double8> v_k = at_k.RelativeVelocity(n_k), v_l = at_l.RelativeVelocity(n_l);
  const Vector3<Double8> change_k = sweep.Solve(k, v_k, largest);
  const Vector3<Double8> change_l = sweep.Solve(l, v_l, largest);
  at_k.Apply(n_k, change_k);
  at_l.Apply(n_l, change_l);
}

template <class Law, class Bodies>
SCREE_INLINE void ApplyLawBatch(const Vector3<Double8>& n, const LawBatch<Law>& law_batch,
                                Bodies& bodies) {
  ApplyLawImpulse(n, law_batch, ImpulseOf(law_batch), bodies);
}

/// Prepares batch k for the first sweep: sets up the kernel and, if `applies_impulses`, applies the
/// starting impulses of the contacts to the bodies.
/// @param all_laws  null if no law with a given L is active
template <class Sweep, class... Laws>
SCREE_INLINE void PrepareBatch(const Sweep& sweep, const ActiveLawBatches<Laws...>& laws,
                               PerLaw<LawArrays>* all_laws, bool applies_impulses, std::size_t k) {
  using Body = typename Sweep::Body;
  sweep.SetUp(k);
  if (!applies_impulses) return;
  const auto apply = [&](auto bodies, auto&& apply_given) {
    const Vector3<Double8> n = NormalOf(sweep.all[k]);
    bodies.Apply(n, ImpulseOf(sweep.all[k]));
    (ApplyLawBatch(n, std::get<LawBatch<Laws>*>(laws)[k], bodies), ...);
    apply_given(bodies);
    bodies.Store();
  };
  if (all_laws == nullptr) {
    return apply(sweep.template Load<BodiesOfSweep<Body, sizeof...(Laws)>>(k), [](auto&) {});
  }
  apply(sweep.template Load<BatchBodies<Body>>(k), [&](auto& bodies) {
    ForEachGivenLaw(*all_laws, [&, n = NormalOf(sweep.all[k])](const auto& law_batches) {
      ApplyLawBatch(n, law_batches[k], bodies);
    });
  });
}

template <class Sweep, class... Laws>
SCREE_INLINE void ExtrapolateBatch(const Extrapolation& extrapolation, const Sweep& sweep,
                                   const ActiveLawBatches<Laws...>& laws, std::size_t k,
                                   MomentumScratch& momentum) {
  extrapolation.Extrapolate(sweep.all[k].impulse, momentum.impulses[k]);
  if constexpr (Sweep::kNeedsSetUp) {
    Coordinates8& x = sweep.kernels[k].x;
    std::array<Double8, 3>& values = momentum.coordinates[k];
    extrapolation.Extrapolate(x.n, values[0]);
    extrapolation.Extrapolate(x.y1, values[1]);
    extrapolation.Extrapolate(x.y2, values[2]);
  }
  (extrapolation.Extrapolate(std::get<LawBatch<Laws>*>(laws)[k].impulse,
                             momentum.laws[kLawIndex<Laws>][k]),
   ...);
}

/// Extrapolates a body before a sweep. All of its first eight numbers are extrapolated; those that
/// are not velocities are constant and stay the same.
template <class Body>
SCREE_INLINE void ExtrapolateBody(const Extrapolation& extrapolation, Body& body, Double8& start) {
  auto* const line = reinterpret_cast<double*>(&body);
  Double8 values = LoadLine(line);
  extrapolation.Extrapolate(values, start);
  StoreLine(values, line);
}

/// Before a sweep does a chunk, extrapolates the bodies of the chunk that are in no earlier chunk
/// of the order. The previous sweep has then finished all contacts of these bodies. Their start
/// values are stored in the order of momentum.bodies.
template <class Body>
void ExtrapolateBodies(std::size_t chunk, const Extrapolation& extrapolation, Body* bodies,
                       MomentumScratch& momentum) {
  // Bodies are prefetched because they are in no regular order, and start values because they are
  // in order only within a chunk.
  constexpr std::size_t kAhead = 16;
  const std::span<const Index> order = momentum.bodies;
  const std::size_t last = momentum.first_of_chunk[chunk + 1];
  for (std::size_t k = momentum.first_of_chunk[chunk]; k < last; ++k) {
    if (k + kAhead < last) {
      __builtin_prefetch(&bodies[order[k + kAhead]], 1);
      __builtin_prefetch(&momentum.velocities[k + kAhead], 1);
    }
    ExtrapolateBody(extrapolation, bodies[order[k]], momentum.velocities[k]);
  }
}

template <class Sweep, class... Laws>
void ReserveMomentum(const Sweep& sweep, const ActiveLawBatches<Laws...>&, std::size_t bodies,
                     MomentumScratch& momentum) {
  const auto grow = [](auto& values, std::size_t size) {
    if (values.size() < size) values.resize(size);
  };
  const std::size_t batches = sweep.all.size();
  grow(momentum.velocities, bodies);
  grow(momentum.impulses, batches);
  if constexpr (Sweep::kNeedsSetUp) grow(momentum.coordinates, batches);
  (grow(momentum.laws[kLawIndex<Laws>], batches), ...);
}

/// Prefetches batch k and the start values of its impulses, but not its bodies. A sweep jumps
/// between chunks of 64 batches (40 kB). The hardware prefetcher does not predict where a chunk
/// begins, and does not follow several arrays at once.
template <class Sweep>
SCREE_INLINE void PrefetchBatch(const Extrapolation& extrapolation, const Sweep& sweep,
                                std::size_t k, const MomentumScratch& momentum) {
  PrefetchToWrite(&sweep.all[k]);
  if (extrapolation.stores_start) PrefetchToWrite(&momentum.impulses[k]);
}

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
