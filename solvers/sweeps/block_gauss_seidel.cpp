#include "solvers/sweeps/block_gauss_seidel.hpp"

#include <algorithm>

#include "solvers/batches/additional_laws.hpp"
#include "solvers/simd/prefetch.hpp"
#include "solvers/sweeps/batch_sweep.hpp"
#include "solvers/sweeps/sweep_control.hpp"

namespace scree {
namespace {

constexpr std::size_t kAhead = 3;     // batches between the prefetch of bodies and their use
constexpr std::size_t kFarAhead = 8;  // batches between the prefetch of a batch and its use

/// Relaxes batches first .. last - 1. If the sweep has momentum, the caller has extrapolated their
/// bodies, and this function extrapolates their impulses.
/// @returns the largest change of a relative velocity [m/s], if measured
template <bool kMeasure, class Sweep, class... Laws>
double Relax(std::size_t first, std::size_t last, const Extrapolation& extrapolation,
             const Sweep& sweep, const ActiveLawBatches<Laws...>& laws, MomentumScratch& momentum) {
  const auto prepare = [&](std::size_t k) {
    if (k + kAhead < last) PrefetchBodies(sweep.all[k + kAhead], sweep.bodies);
    if (k + kFarAhead < last) PrefetchBatch(extrapolation, sweep, k + kFarAhead, momentum);
    if (extrapolation.stores_start) ExtrapolateBatch(extrapolation, sweep, laws, k, momentum);
  };
  Double8 changes = Double8{};
  Double8* const largest = kMeasure ? &changes : nullptr;
  std::size_t k = first;
  if constexpr (Sweep::kRelaxesPairs && sizeof...(Laws) == 0) {
    for (; k + 1 < last; k += 2) {
      prepare(k);
      prepare(k + 1);
      RelaxTwoBatches(sweep, k, k + 1, largest);
    }
  }
  for (; k < last; ++k) {
    prepare(k);
    RelaxBatch(sweep, laws, k, largest);
  }
  return RootOfMax(changes);
}

template <class Sweep, class... Laws>
void PrepareBatches(std::size_t first, std::size_t last, StartingImpulses impulses,
                    const Sweep& sweep, const ActiveLawBatches<Laws...>& laws,
                    PerLaw<LawArrays>* all_laws) {
  const bool applies_impulses = impulses == StartingImpulses::kToApply;
  for (std::size_t k = first; k < last; ++k) {
    if (k + kAhead < last) PrefetchBodies(sweep.all[k + kAhead], sweep.bodies);
    if (k + kFarAhead < last) PrefetchToWrite(&sweep.all[k + kFarAhead]);
    PrepareBatch(sweep, laws, all_laws, applies_impulses, k);
  }
}

template <class Sweep>
bool NeedsPreparation(StartingImpulses impulses) {
  return Sweep::kNeedsSetUp || impulses == StartingImpulses::kToApply;
}

/// Sweeps chunk by chunk. A given number of sweeps is pipelined (a wavefront): each sweep starts on
/// a chunk as soon as the sweep before it has finished all chunks that share a body with it. The
/// results have the same bits as if sweeps ran one after the other. The chunks between the first
/// and the last active sweep stay in the cache, so that each contact is read from memory once for
/// all sweeps. With a tolerance each sweep ends before the next begins. An additional first pass
/// sets up the kernels and applies the starting impulses.
/// @param real_bodies  the bodies without the padding body
/// @param all_laws  null: no law with a given L is active
template <class Sweep, class... Laws>
SolveReport DoSweeps(const SolverParameters& parameters, StartingImpulses impulses,
                     const SweepOrder& order, VelocitySyncOf<typename Sweep::Body>& sync,
                     std::span<typename Sweep::Body> real_bodies, const Sweep& sweep,
                     const ActiveLawBatches<Laws...>& laws, PerLaw<LawArrays>* all_laws,
                     MomentumScratch& momentum) {
  // Sweeps in the pipeline at a time: enough for twelve sweeps and their setup. With more, the
  // chunks of large systems would leave the cache before the last sweep.
  constexpr int kDepth = 13;
  if (parameters.ActiveMomentum() > 0.0) {
    momentum.MarkShared(sync, real_bodies.size());
    momentum.SetBodies(order);
  }
  PipelinedExchange exchange(order, sync, real_bodies);
  SweepControl control(parameters, sync);
  const int preparations = NeedsPreparation<Sweep>(impulses) ? 1 : 0;
  double largest = 0.0;  // change in this sweep, if measured
  const auto advance = [&](int pass, std::size_t p) {
    const std::size_t first = order.FirstOf(p), last = order.EndOf(p);
    if (pass < preparations) {
      PrepareBatches(first, last, impulses, sweep, laws, all_laws);
      if (impulses == StartingImpulses::kToApply) exchange.AfterChunk(p);
      return;
    }
    exchange.BeforeChunk(p);
    const int sweep_number = pass - preparations;
    const Extrapolation extrapolation =
        Extrapolation::ForSweep(parameters, sweep_number, control.MomentumOf(sweep_number));
    if (extrapolation.stores_start) ExtrapolateBodies(p, extrapolation, sweep.bodies, momentum);
    if (extrapolation.stores_start && p == 0) sync.Start(real_bodies);
    if (control.Measures()) {
      largest = std::max(largest, Relax<true>(first, last, extrapolation, sweep, laws, momentum));
    } else {
      Relax<false>(first, last, extrapolation, sweep, laws, momentum);
    }
    exchange.AfterChunk(p);
  };
  if (!control.Measures()) {
    RunWavefront<kDepth>(order, preparations + parameters.sweeps, advance);
    exchange.Finish();
    SolveReport report;
    report.sweeps = parameters.sweeps;
    return report;
  }
  RunWavefront<1>(order, preparations, advance);
  for (int pass = preparations; control.NeedsSweep(); ++pass) {
    largest = 0.0;
    for (std::size_t p = 0; p < order.Chunks(); ++p) advance(pass, p);
    exchange.Finish();
    control.RecordSweep(largest);
  }
  return control.Report();
}

}  // namespace

template <class Body>
SolveReport BlockGaussSeidel(const SolverParameters& parameters, VelocitySyncOf<Body>& sync,
                             StartingImpulses impulses, ContactBatches& batches,
                             std::vector<Body>& bodies, KernelScratch& kernels,
                             MomentumScratch& momentum, SweepOrder& order) {
  order.Set(sync.Synced(), batches.Colouring());
  sync.Start(bodies);
  bodies.emplace_back();  // the padding body
  const std::span<Body> real_bodies = std::span(bodies).first(bodies.size() - 1);
  kernels.scalar_relaxations = 0;
  PerLaw<LawArrays>* const all_laws = HasGivenLaw(batches.Laws()) ? &batches.Laws() : nullptr;
  SolveReport report;
  WithSweep(parameters.kernel, batches, bodies.data(), kernels, [&](const auto& sweep) {
    WithRelaxedLaws(batches.Laws(), [&](const auto& laws) {
      if (parameters.ActiveMomentum() > 0.0)
        ReserveMomentum(sweep, laws, real_bodies.size(), momentum);
      report =
          DoSweeps(parameters, impulses, order, sync, real_bodies, sweep, laws, all_laws, momentum);
    });
  });
  report.scalar_relaxations = kernels.scalar_relaxations;
  bodies.pop_back();
  return report;
}

template SolveReport BlockGaussSeidel(const SolverParameters&, VelocitySync&, StartingImpulses,
                                      ContactBatches&, std::vector<SphereBody>&, KernelScratch&,
                                      MomentumScratch&, SweepOrder&);
template SolveReport BlockGaussSeidel(const SolverParameters&, RigidVelocitySync&, StartingImpulses,
                                      ContactBatches&, std::vector<RigidBody>&, KernelScratch&,
                                      MomentumScratch&, SweepOrder&);

}  // namespace scree
