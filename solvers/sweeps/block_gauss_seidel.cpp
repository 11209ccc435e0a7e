#include "solvers/sweeps/block_gauss_seidel.hpp"

#include <algorithm>

#include "solvers/base/check.hpp"
#include "solvers/batches/additional_laws.hpp"
#include "solvers/simd/prefetch.hpp"
#include "solvers/sweeps/batch_sweep.hpp"
#include "solvers/sweeps/sweep_control.hpp"

namespace scree {
namespace {

constexpr std::size_t kAhead = 3;     // batches whose bodies are prefetched
constexpr std::size_t kFarAhead = 8;  // batches that are prefetched themselves

/// Batches first .. last - 1 in order, or from the last to the first, whose bodies have
/// been carried on.
/// @returns the greatest change of a relative velocity [m/s], if measured
template <bool kMeasure, class Sweep, class... Laws>
double Relax(std::size_t first, std::size_t last, bool backward, const Carrying& carrying,
             const Sweep& sweep, const ActingLaws<Laws...>& laws, MomentumScratch& momentum) {
  const auto at = [&](std::size_t k) { return backward ? last - 1 - (k - first) : k; };
  const auto begin = [&](std::size_t k) {
    if (k + kAhead < last) PrefetchBodies(sweep.all[at(k + kAhead)], sweep.bodies);
    if (k + kFarAhead < last) PrefetchBatch(carrying, sweep, at(k + kFarAhead), momentum);
    if (carrying.remembers) CarryBatch(carrying, sweep, laws, at(k), momentum);
  };
  Double8 changes = Double8{};
  Double8* const greatest = kMeasure ? &changes : nullptr;
  std::size_t k = first;
  if constexpr (Sweep::kInPairs && sizeof...(Laws) == 0) {
    for (; k + 1 < last; k += 2) {
      begin(k);
      begin(k + 1);
      RelaxTwoBatches(sweep, at(k), at(k + 1), greatest);
    }
  }
  for (; k < last; ++k) {
    begin(k);
    RelaxBatch(sweep, laws, at(k), greatest);
  }
  return GreatestOf(changes);
}

template <class Sweep, class... Laws>
void Begin(std::size_t first, std::size_t last, StartingImpulses impulses, const Sweep& sweep,
           const ActingLaws<Laws...>& laws) {
  const bool applies = impulses == StartingImpulses::kToApply;
  for (std::size_t k = first; k < last; ++k) {
    if (k + kAhead < last) PrefetchBodies(sweep.all[k + kAhead], sweep.bodies);
    if (k + kFarAhead < last) PrefetchToWrite(&sweep.all[k + kFarAhead]);
    BeginBatch(sweep, laws, applies, k);
  }
}

/// Whether there is anything to do before the first sweep.
template <class Sweep>
bool HasBeginning(StartingImpulses impulses) {
  return Sweep::kSetsUp || impulses == StartingImpulses::kToApply;
}

/// Pipelined sweeps (a wavefront): the same as one sweep after the other, to the last bit, but each
/// sweep follows the one before it as closely as the bodies they share allow. What is between the
/// first and the last stays in the cache, and contacts come from memory once for all sweeps.
/// Setting up the kernels and applying the starting impulses is one more sweep, before the others.
/// @param real  bodies without the padding body
template <class Sweep, class... Laws>
void PipelinedSweeps(const SolverParameters& parameters, StartingImpulses impulses,
                     const SweepOrder& order, VelocitySyncOf<typename Sweep::Body>& sync,
                     std::span<typename Sweep::Body> real, const Sweep& sweep,
                     const ActingLaws<Laws...>& laws, MomentumScratch& momentum) {
  // So many at a time: the channel's twelve and their beginning at once. With more of them, large
  // systems do not stay in the cache between the first and the last.
  constexpr int kDepth = 13;
  constexpr bool kForward = false;
  if (parameters.ActingMomentum() > 0.0) {
    momentum.MarkShared(sync, real.size());
    momentum.SetBodies(order);
  }
  PipelinedExchange exchange(order, sync, real);
  const int before = HasBeginning<Sweep>(impulses) ? 1 : 0;
  RunWavefront<kDepth>(order, parameters.sweeps + before, [&](int number, std::size_t p) {
    const std::size_t first = order.FirstOf(p), last = order.EndOf(p);
    if (number < before) {
      Begin(first, last, impulses, sweep, laws);
      if (impulses == StartingImpulses::kToApply) exchange.After(p);
      return;
    }
    exchange.Before(p);
    const Carrying carrying = Carrying::Before(parameters, number - before);
    if (carrying.remembers) CarryBodiesOf(p, carrying, sweep.bodies, momentum);
    if (carrying.remembers && p == 0) sync.Start(real);
    Relax<false>(first, last, kForward, carrying, sweep, laws, momentum);
    exchange.After(p);
  });
  exchange.Finish();
}

/// One solve, sweep after sweep. Contacts of shared bodies come first; then messages overlap with
/// the rest, each with one half.
/// @param border  batches before this one may have contacts of shared bodies
/// @param real    bodies without the padding body
template <class Sweep, class... Laws>
SolveReport SweepsInTurn(const SolverParameters& parameters, std::size_t border,
                         StartingImpulses impulses, VelocitySyncOf<typename Sweep::Body>& sync,
                         const ContactLayout& layout, std::span<typename Sweep::Body> real,
                         const Sweep& sweep, const ActingLaws<Laws...>& laws,
                         MomentumScratch& momentum) {
  const std::size_t end = layout.Batches();
  const std::size_t middle = border + (end - border) / 2;
  if (HasBeginning<Sweep>(impulses)) Begin(0, end, impulses, sweep, laws);
  if (impulses == StartingImpulses::kToApply) {
    sync.SendChanges(real);
    sync.TakeChanges(real);
    sync.TakeSums(real);
  }
  if (parameters.ActingMomentum() > 0.0) {
    momentum.MarkShared(sync, real.size());
    momentum.SetBodiesInTurn(layout);
  }
  SweepControl control(parameters, sync);
  for (int number = 0; control.WantsSweep(); ++number) {
    const bool backward = parameters.order == Order::kSymmetric && number % 2 == 1;
    const Carrying carrying = Carrying::Before(parameters, number);
    if (carrying.remembers) {
      CarryBodies(0, momentum.bodies.size(), carrying, sweep.bodies, momentum);
      sync.Start(real);
    }
    double greatest = 0.0;
    const auto relax = [&](std::size_t first, std::size_t last) {
      const double change =
          parameters.tolerance > 0.0
              ? Relax<true>(first, last, backward, carrying, sweep, laws, momentum)
              : Relax<false>(first, last, backward, carrying, sweep, laws, momentum);
      greatest = std::max(greatest, change);
    };
    relax(0, border);
    sync.SendChanges(real);
    relax(backward ? middle : border, backward ? end : middle);
    sync.TakeChanges(real);
    relax(backward ? border : middle, backward ? middle : end);
    sync.TakeSums(real);
    control.SweepIsDone(greatest);
  }
  return control.Report();
}

template <class Body>
SolveReport Solve(const SolverParameters& parameters, VelocitySyncOf<Body>& sync,
                  StartingImpulses impulses, ContactBatches& batches, std::vector<Body>& bodies,
                  KernelScratch& kernels, MomentumScratch& momentum, SweepOrder& order) {
  order.Set(sync.Synced(), batches.Layout());
  sync.Start(bodies);
  bodies.emplace_back();  // the padding body
  const std::span<Body> real = std::span(bodies).first(bodies.size() - 1);
  const bool pipelined = parameters.order == Order::kForward && parameters.tolerance <= 0.0 &&
                         sync.Synced() != SyncedBodies::kAny;
  kernels.one_by_one = 0;
  SolveReport report;
  WithSweep(parameters.kernel, batches, bodies.data(), kernels, [&](const auto& sweep) {
    WithActingLaws(batches.Laws(), [&](const auto& laws) {
      if (parameters.ActingMomentum() > 0.0) MakeRoom(sweep, laws, real.size(), momentum);
      if (pipelined) {
        PipelinedSweeps(parameters, impulses, order, sync, real, sweep, laws, momentum);
        report.sweeps = parameters.sweeps;
      } else {
        report = SweepsInTurn(parameters, batches.Layout().Border(), impulses, sync,
                              batches.Layout(), real, sweep, laws, momentum);
      }
    });
  });
  report.one_by_one = kernels.one_by_one;
  bodies.pop_back();
  return report;
}

}  // namespace

SolveReport BlockGaussSeidel(const SolverParameters& parameters, VelocitySync& sync,
                             StartingImpulses impulses, ContactBatches& batches,
                             std::vector<SphereBody>& bodies, KernelScratch& kernels,
                             MomentumScratch& momentum, SweepOrder& order) {
  return Solve(parameters, sync, impulses, batches, bodies, kernels, momentum, order);
}

SolveReport BlockGaussSeidel(const SolverParameters& parameters, RigidVelocitySync& sync,
                             StartingImpulses impulses, ContactBatches& batches,
                             std::vector<RigidBody>& bodies, KernelScratch& kernels,
                             MomentumScratch& momentum, SweepOrder& order) {
  return Solve(parameters, sync, impulses, batches, bodies, kernels, momentum, order);
}

SolveReport BlockGaussSeidel(const ContactProblem& problem, const SolverParameters& parameters,
                             VelocitySync& sync, ContactSolution& solution) {
  SCREE_DEMAND(solution.impulses.size() == problem.contacts.size());
  ContactBatches batches;
  batches.Begin(problem.first_fixed, solution.bodies.size(), BodyKind::kSphere,
                problem.contacts.size());
  for (std::size_t j = 0; j < problem.contacts.size(); ++j) {
    batches.Add(problem.contacts[j], solution.impulses[j]);
  }
  batches.End();
  ForEachLaw([&](auto law) {
    using Law = typename decltype(law)::type;
    const LawContacts<Law>& contacts = problem.Of<Law>();
    SCREE_DEMAND(contacts.empty() || contacts.size() == problem.contacts.size());
    SCREE_DEMAND(solution.Of<Law>().size() == contacts.size());
    if (!contacts.empty()) batches.BeginLaw<Law>();
    for (std::size_t j = 0; j < contacts.size(); ++j) {
      batches.Of<Law>().Set(batches.SlotOf(j), contacts[j], solution.Of<Law>()[j]);
    }
  });
  KernelScratch kernels;
  MomentumScratch momentum;
  SweepOrder order;
  const SolveReport report = BlockGaussSeidel(parameters, sync, StartingImpulses::kApplied, batches,
                                              solution.bodies, kernels, momentum, order);
  for (std::size_t j = 0; j < batches.Size(); ++j) {
    solution.impulses[j] = batches.Impulse(j);
    const LawImpulses of_laws = batches.ImpulsesOfLaws(j);
    for (std::size_t l = 0; l < kLawCount; ++l) {
      if (!solution.law_impulses[l].empty()) solution.law_impulses[l][j] = of_laws.of[l];
    }
  }
  return report;
}

}  // namespace scree
