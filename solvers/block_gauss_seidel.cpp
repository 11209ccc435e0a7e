#include "solvers/block_gauss_seidel.hpp"

#include <algorithm>
#include <array>

#include "solvers/batch_relaxation.hpp"
#include "solvers/check.hpp"
#include "solvers/general_relaxation.hpp"
#include "solvers/sweep_control.hpp"

namespace scree {
namespace {

SCREE_INLINE void ApplyToBodies(const ContactBatch& batch, const Vector3<Double8>& impulse,
                                Bodies8& a, Bodies8& b) {
  const Vector3<Double8> torque = ScaledTorque(batch, impulse);
  a.Accelerate(impulse);
  a.Spin(torque);
  b.Decelerate(impulse);
  b.Spin(torque);
}

/// What one relaxation of a batch changes: λ, and L if contacts resist rolling.
struct BatchChange {
  Vector3<Double8> impulse, rolling;
};

SCREE_INLINE void RollBodies(const RollingBatch& rolling, const Vector3<Double8>& impulse,
                             Bodies8& a, Bodies8& b) {
  a.Roll(rolling.share_a, impulse);
  b.Roll(-rolling.share_b, impulse);
}

/// @param rolling  of the batch; not read if contacts do not resist
template <bool kRolls>
SCREE_INLINE BatchChange RelaxBatch(ContactBatch& batch, RollingBatch* rolling,
                                    SphereBody* bodies) {
  double* a_lines[kLanes];
  double* b_lines[kLanes];
  Point(batch.a, bodies, a_lines);
  Point(batch.b, bodies, b_lines);
  Bodies8 a{LoadLines(a_lines)};
  Bodies8 b{LoadLines(b_lines)};
  BatchChange change = {};
  change.impulse = SolveBatch(batch, a, b);
  ApplyToBodies(batch, change.impulse, a, b);
  if constexpr (kRolls) {
    change.rolling = SolveRollingBatch(batch, *rolling, a, b);
    RollBodies(*rolling, change.rolling, a, b);
  }
  StoreLines(a.fields, a_lines);
  StoreLines(b.fields, b_lines);
  return change;
}

/// The bodies get the impulses that the contacts start with.
template <bool kRolls>
SCREE_INLINE void ApplyBatch(const ContactBatch& batch, const RollingBatch* rolling,
                             SphereBody* bodies) {
  double* a_lines[kLanes];
  double* b_lines[kLanes];
  Point(batch.a, bodies, a_lines);
  Point(batch.b, bodies, b_lines);
  Bodies8 a{LoadLines(a_lines)};
  Bodies8 b{LoadLines(b_lines)};
  ApplyToBodies(batch, {batch.impulse[0], batch.impulse[1], batch.impulse[2]}, a, b);
  if constexpr (kRolls) {
    RollBodies(*rolling, {rolling->impulse[0], rolling->impulse[1], rolling->impulse[2]}, a, b);
  }
  StoreLines(a.fields, a_lines);
  StoreLines(b.fields, b_lines);
}

/// Body lines are on their way while the batches before are at work.
SCREE_INLINE void PrefetchBodies(const ContactBatch& batch, const SphereBody* bodies) {
  const auto* start = reinterpret_cast<const std::byte*>(bodies);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    __builtin_prefetch(start + batch.a[lane]);
    __builtin_prefetch(start + batch.b[lane]);
  }
}

/// Calls work(k) for each, the bodies of the next ones on their way.
template <class Work>
SCREE_INLINE void ForEachBatch(std::span<ContactBatch> batches, SphereBody* bodies, Work&& work) {
  constexpr std::size_t kAhead = 3;
  for (std::size_t k = 0; k < batches.size(); ++k) {
    if (k + kAhead < batches.size()) PrefetchBodies(batches[k + kAhead], bodies);
    work(k);
  }
}

template <bool kRolls>
void Relax(std::span<ContactBatch> batches, RollingBatch* rolling, SphereBody* bodies) {
  ForEachBatch(batches, bodies, [=](std::size_t k) {
    RelaxBatch<kRolls>(batches[k], kRolls ? rolling + k : nullptr, bodies);
  });
}

template <bool kRolls>
void Apply(std::span<ContactBatch> batches, const RollingBatch* rolling, SphereBody* bodies) {
  ForEachBatch(batches, bodies, [=](std::size_t k) {
    ApplyBatch<kRolls>(batches[k], kRolls ? rolling + k : nullptr, bodies);
  });
}

/// The same as one sweep after the other, to the last bit, but each sweep follows the one before it
/// as closely as the bodies they share allow: what is between the first and the last stays in the
/// cache, and contacts come from memory once for all sweeps. Applying the starting impulses is one
/// more sweep, before the others.
template <bool kRolls>
void PipelinedSweeps(int sweeps, StartingImpulses impulses, ContactBatches& batches,
                     SphereBody* bodies) {
  // So many at a time: with more of them, large systems do not stay in the cache between the first
  // and the last.
  constexpr int kDepth = 8;
  std::array<std::size_t, kDepth> done;  // pieces that each sweep has done
  const int apply = impulses == StartingImpulses::kToApply ? 1 : 0;
  for (int first = 0; first < sweeps + apply; first += kDepth) {
    const auto depth = static_cast<std::size_t>(std::min(kDepth, sweeps + apply - first));
    const auto advance = [&](std::size_t sweep) {
      const std::size_t p = done[sweep]++;
      const std::span<ContactBatch> piece = batches.Piece(p);
      RollingBatch* const rolling =
          kRolls ? batches.Rolling().data() + ContactBatches::FirstOf(p) : nullptr;
      first + static_cast<int>(sweep) < apply ? Apply<kRolls>(piece, rolling, bodies)
                                              : Relax<kRolls>(piece, rolling, bodies);
    };
    done.fill(0);
    while (done[depth - 1] < batches.Pieces()) {
      if (done[0] < batches.Pieces()) advance(0);
      for (std::size_t sweep = 1; sweep < depth; ++sweep) {
        while (done[sweep] < done[sweep - 1] && batches.Needs(done[sweep]) < done[sweep - 1]) {
          advance(sweep);
        }
      }
    }
  }
}

/// Batches first .. last - 1 in order, or from the last to the first.
template <bool kMeasure, bool kRolls>
double RelaxInTurn(std::size_t first, std::size_t last, bool backward, ContactBatches& batches,
                   SphereBody* bodies) {
  const std::span<ContactBatch> all = batches.All();
  RollingBatch* const rolling = batches.Rolling().data();
  const auto at = [&](std::size_t k) { return backward ? last - 1 - (k - first) : k; };
  constexpr std::size_t kAhead = 3;
  Double8 greatest = Double8{};
  for (std::size_t k = first; k < last; ++k) {
    if (k + kAhead < last) PrefetchBodies(all[at(k + kAhead)], bodies);
    ContactBatch& batch = all[at(k)];
    RollingBatch* const its_rolling = kRolls ? rolling + at(k) : nullptr;
    const BatchChange change = RelaxBatch<kRolls>(batch, its_rolling, bodies);
    if constexpr (kMeasure) greatest = GreaterChange(batch, change.impulse, greatest);
    if constexpr (kMeasure && kRolls) {
      greatest = GreaterChange(*its_rolling, change.rolling, greatest);
    }
  }
  return GreatestOf(greatest);
}

/// Relaxes L of one contact.
/// @returns the change of the rolling velocity [m/s]
double RelaxRollingOf(std::size_t j, ContactBatches& batches, SphereBody* bodies) {
  const Contact contact = batches.At(j);
  const RollingContact rolling = batches.RollingAt(j);
  const Vec3 before = batches.RollingImpulse(j);
  Vec3 impulse = before;
  RelaxRolling(contact.normal, rolling, batches.Impulse(j), impulse, bodies[contact.a],
               bodies[contact.b]);
  batches.SetRollingImpulse(j, impulse);
  return (impulse - before).norm() / rolling.effective_mass;
}

/// RelaxInTurn, one contact after the other and by a general kernel.
double RelaxByLaw(ContactLaw law, std::size_t first, std::size_t last, bool backward,
                  ContactBatches& batches, SphereBody* bodies) {
  double greatest = 0.0;
  for (std::size_t k = first; k < last; ++k) {
    const std::size_t j = backward ? last - 1 - (k - first) : k;
    const Contact contact = batches.At(j);
    const Vec3 before = batches.Impulse(j);
    Vec3 impulse = before;
    RelaxByGeneralKernel(contact, law, impulse, bodies[contact.a], bodies[contact.b]);
    batches.SetImpulse(j, impulse);
    greatest = std::max(greatest, ChangeOfVelocity(contact, impulse - before));
    if (batches.Rolls()) greatest = std::max(greatest, RelaxRollingOf(j, batches, bodies));
  }
  return greatest;
}

/// One solve, sweep after sweep.
class Sweeps {
 public:
  Sweeps(const SolverParameters& parameters, std::size_t shared, VelocitySync& sync,
         ContactBatches& batches, std::vector<SphereBody>& bodies)
      : parameters_(parameters),
        sync_(sync),
        batches_(batches),
        bodies_(bodies.data()),
        real_(std::span(bodies).first(bodies.size() - 1)),
        count_(IsBatched() ? batches.Batches() : batches.Size()),
        shared_(IsBatched() ? batches.BatchesOfFirst(shared) : shared) {}

  /// What touches shared bodies comes first. Then the messages are on their way, each while one
  /// half of the rest is at work.
  SolveReport Run(StartingImpulses impulses) {
    if (impulses == StartingImpulses::kToApply) {
      batches_.Rolls() ? Apply<true>(batches_.All(), batches_.Rolling().data(), bodies_)
                       : Apply<false>(batches_.All(), nullptr, bodies_);
      sync_.SendChanges(real_);
      sync_.TakeChanges(real_);
      sync_.TakeSums(real_);
    }
    const std::size_t middle = shared_ + (count_ - shared_) / 2;
    SweepControl control(parameters_, sync_);
    for (int sweep = 0; control.WantsSweep(); ++sweep) {
      const bool backward = parameters_.order == Order::kSymmetric && sweep % 2 == 1;
      double change = Relax(0, shared_, backward);
      sync_.SendChanges(real_);
      const std::size_t first = backward ? middle : shared_, last = backward ? count_ : middle;
      change = std::max(change, Relax(first, last, backward));
      sync_.TakeChanges(real_);
      const std::size_t next = backward ? shared_ : middle, end = backward ? middle : count_;
      change = std::max(change, Relax(next, end, backward));
      sync_.TakeSums(real_);
      control.SweepIsDone(change);
    }
    return control.Report();
  }

 private:
  bool IsBatched() const { return parameters_.kernel == Kernel::kSphere; }

  double Relax(std::size_t first, std::size_t last, bool backward) {
    if (!IsBatched()) {
      const ContactLaw law = LawOf(parameters_.kernel);
      return RelaxByLaw(law, first, last, backward, batches_, bodies_);
    }
    const auto relax =
        parameters_.tolerance > 0.0
            ? (batches_.Rolls() ? RelaxInTurn<true, true> : RelaxInTurn<true, false>)
            : (batches_.Rolls() ? RelaxInTurn<false, true> : RelaxInTurn<false, false>);
    return relax(first, last, backward, batches_, bodies_);
  }

  const SolverParameters& parameters_;
  VelocitySync& sync_;
  ContactBatches& batches_;
  SphereBody* bodies_;
  std::span<SphereBody> real_;  // without the padding body
  std::size_t count_;           // batches, or contacts for kernels that take one at a time
  std::size_t shared_;          // of these, those that come first
};

}  // namespace

SolveReport BlockGaussSeidel(const SolverParameters& parameters, std::size_t shared,
                             VelocitySync& sync, StartingImpulses impulses, ContactBatches& batches,
                             std::vector<SphereBody>& bodies) {
  SCREE_DEMAND(shared <= batches.Size());
  sync.Start(bodies);
  bodies.emplace_back();  // the padding body
  SolveReport report;
  if (parameters.kernel == Kernel::kSphere && parameters.order == Order::kForward &&
      parameters.tolerance <= 0.0 && !sync.IsNeeded()) {
    (batches.Rolls() ? PipelinedSweeps<true> : PipelinedSweeps<false>)(parameters.sweeps, impulses,
                                                                       batches, bodies.data());
    report.sweeps = parameters.sweeps;
  } else {
    report = Sweeps(parameters, shared, sync, batches, bodies).Run(impulses);
  }
  bodies.pop_back();
  return report;
}

SolveReport BlockGaussSeidel(const ContactProblem& problem, const SolverParameters& parameters,
                             VelocitySync& sync, ContactSolution& solution) {
  SCREE_DEMAND(solution.impulses.size() == problem.contacts.size());
  SCREE_DEMAND(problem.rolling.empty() || problem.rolling.size() == problem.contacts.size());
  SCREE_DEMAND(solution.rolling_impulses.size() == problem.rolling.size());
  ContactBatches batches;
  batches.Begin(problem.first_fixed, solution.bodies.size());
  for (std::size_t j = 0; j < problem.contacts.size(); ++j) {
    batches.Add(problem.contacts[j], solution.impulses[j]);
  }
  batches.End();
  if (!problem.rolling.empty()) batches.BeginRolling();
  for (std::size_t j = 0; j < problem.rolling.size(); ++j) {
    batches.SetRolling(j, problem.rolling[j], solution.rolling_impulses[j]);
  }
  const SolveReport report = BlockGaussSeidel(parameters, batches.Size(), sync,
                                              StartingImpulses::kApplied, batches, solution.bodies);
  for (std::size_t j = 0; j < batches.Size(); ++j) solution.impulses[j] = batches.Impulse(j);
  for (std::size_t j = 0; j < problem.rolling.size(); ++j) {
    solution.rolling_impulses[j] = batches.RollingImpulse(j);
  }
  return report;
}

}  // namespace scree
