#include "solvers/block_gauss_seidel.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "solvers/additional_laws.hpp"
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

/// The first batches of the additional laws that act (WithActingLaws).
template <class... Laws>
using ActingLaws = std::tuple<LawBatch<Laws>*...>;

/// @param[in,out] greatest  the greatest change so far, squared and lane by lane; null: not
/// measured
template <class Law>
SCREE_INLINE void RelaxLawBatch(const ContactBatch& batch, LawBatch<Law>& its, Bodies8& a,
                                Bodies8& b, Double8* greatest) {
  const Vector3<Double8> change = SolveLawBatch(batch, its, a, b);
  Law::Apply(its.data, change, a, b);
  if (greatest != nullptr) *greatest = GreaterChange(its, change, *greatest);
}

/// @param k  number of the batch, for the laws'
template <class... Laws>
SCREE_INLINE void RelaxBatch(ContactBatch& batch, const ActingLaws<Laws...>& laws,
                             [[maybe_unused]] std::size_t k, SphereBody* bodies,
                             Double8* greatest) {
  double* a_lines[kLanes];
  double* b_lines[kLanes];
  Point(batch.a, bodies, a_lines);
  Point(batch.b, bodies, b_lines);
  Bodies8 a{LoadLines(a_lines)};
  Bodies8 b{LoadLines(b_lines)};
  const Vector3<Double8> change = SolveBatch(batch, a, b);
  ApplyToBodies(batch, change, a, b);
  if (greatest != nullptr) *greatest = GreaterChange(batch, change, *greatest);
  (RelaxLawBatch(batch, std::get<LawBatch<Laws>*>(laws)[k], a, b, greatest), ...);
  StoreLines(a.fields, a_lines);
  StoreLines(b.fields, b_lines);
}

/// The bodies get the impulses that the contacts start with.
template <class... Laws>
SCREE_INLINE void ApplyBatch(const ContactBatch& batch, const ActingLaws<Laws...>& laws,
                             [[maybe_unused]] std::size_t k, SphereBody* bodies) {
  double* a_lines[kLanes];
  double* b_lines[kLanes];
  Point(batch.a, bodies, a_lines);
  Point(batch.b, bodies, b_lines);
  Bodies8 a{LoadLines(a_lines)};
  Bodies8 b{LoadLines(b_lines)};
  ApplyToBodies(batch, ImpulseOf(batch), a, b);
  (Laws::Apply(std::get<LawBatch<Laws>*>(laws)[k].data,
               ImpulseOf(std::get<LawBatch<Laws>*>(laws)[k]), a, b),
   ...);
  StoreLines(a.fields, a_lines);
  StoreLines(b.fields, b_lines);
}

/// Body lines are prefetched while the batches before are at work.
SCREE_INLINE void PrefetchBodies(const ContactBatch& batch, const SphereBody* bodies) {
  const auto* start = reinterpret_cast<const std::byte*>(bodies);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    __builtin_prefetch(start + batch.a[lane]);
    __builtin_prefetch(start + batch.b[lane]);
  }
}

/// Calls work(batch, k) for batches first .. last - 1, prefetching the bodies of the next ones.
template <class Work>
SCREE_INLINE void ForEachBatch(std::size_t first, std::size_t last, std::span<ContactBatch> all,
                               SphereBody* bodies, Work&& work) {
  constexpr std::size_t kAhead = 3;
  for (std::size_t k = first; k < last; ++k) {
    if (k + kAhead < last) PrefetchBodies(all[k + kAhead], bodies);
    work(all[k], k);
  }
}

template <class... Laws>
void Relax(std::size_t first, std::size_t last, std::span<ContactBatch> all,
           const ActingLaws<Laws...>& laws, SphereBody* bodies) {
  ForEachBatch(first, last, all, bodies, [=](ContactBatch& batch, std::size_t k) {
    RelaxBatch(batch, laws, k, bodies, nullptr);
  });
}

template <class... Laws>
void Apply(std::size_t first, std::size_t last, std::span<ContactBatch> all,
           const ActingLaws<Laws...>& laws, SphereBody* bodies) {
  ForEachBatch(first, last, all, bodies,
               [=](ContactBatch& batch, std::size_t k) { ApplyBatch(batch, laws, k, bodies); });
}

/// Pipelined sweeps (a wavefront): the same as one sweep after the other, to the last bit, but each
/// sweep follows the one before it as closely as the bodies they share allow. What is between the
/// first and the last stays in the cache, and contacts come from memory once for all sweeps.
/// Applying the starting impulses is one more sweep, before the others.
template <class... Laws>
void PipelinedSweeps(int sweeps, StartingImpulses impulses, ContactBatches& batches,
                     const ActingLaws<Laws...>& laws, SphereBody* bodies) {
  // So many at a time: with more of them, large systems do not stay in the cache between the first
  // and the last.
  constexpr int kDepth = 8;
  std::array<std::size_t, kDepth> done;  // pieces that each sweep has done
  const ContactLayout& layout = batches.Layout();
  const std::span<ContactBatch> all = batches.All();
  const int apply = impulses == StartingImpulses::kToApply ? 1 : 0;
  for (int first = 0; first < sweeps + apply; first += kDepth) {
    const auto depth = static_cast<std::size_t>(std::min(kDepth, sweeps + apply - first));
    const auto advance = [&](std::size_t sweep) {
      const std::size_t p = done[sweep]++;
      const std::size_t begin = ContactLayout::FirstOf(p), end = layout.EndOf(p);
      first + static_cast<int>(sweep) < apply ? Apply(begin, end, all, laws, bodies)
                                              : Relax(begin, end, all, laws, bodies);
    };
    done.fill(0);
    while (done[depth - 1] < layout.Pieces()) {
      if (done[0] < layout.Pieces()) advance(0);
      for (std::size_t sweep = 1; sweep < depth; ++sweep) {
        while (done[sweep] < done[sweep - 1] && layout.Needs(done[sweep]) < done[sweep - 1]) {
          advance(sweep);
        }
      }
    }
  }
}

/// Batches first .. last - 1 in order, or from the last to the first.
/// @returns the greatest change of a relative velocity [m/s], if measured
template <bool kMeasure, class... Laws>
double RelaxInTurn(std::size_t first, std::size_t last, bool backward, std::span<ContactBatch> all,
                   const ActingLaws<Laws...>& laws, SphereBody* bodies) {
  const auto at = [&](std::size_t k) { return backward ? last - 1 - (k - first) : k; };
  constexpr std::size_t kAhead = 3;
  Double8 greatest = Double8{};
  for (std::size_t k = first; k < last; ++k) {
    if (k + kAhead < last) PrefetchBodies(all[at(k + kAhead)], bodies);
    RelaxBatch(all[at(k)], laws, at(k), bodies, kMeasure ? &greatest : nullptr);
  }
  return GreatestOf(greatest);
}

/// Relaxes L of one contact, where the law acts.
/// @returns the change of its velocity [m/s]
template <class Law>
double RelaxLawOf(std::size_t j, ContactBatches& batches, SphereBody* bodies) {
  LawArrays<Law>& arrays = batches.Of<Law>();
  if (!arrays.Acts()) return 0.0;
  const ContactSlot slot = batches.SlotOf(j);
  const Contact contact = batches.At(j);
  const auto data = arrays.At(slot);
  const Vec3 before = arrays.Impulse(slot);
  Vec3 impulse = before;
  RelaxLaw<Law>(contact.normal, data, batches.Impulse(j), impulse, bodies[contact.a],
                bodies[contact.b]);
  arrays.SetImpulse(slot, impulse);
  return (impulse - before).norm() / data.effective_mass;
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
    ForEachLaw([&](auto additional) {
      using Law = typename decltype(additional)::type;
      greatest = std::max(greatest, RelaxLawOf<Law>(j, batches, bodies));
    });
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
        count_(IsBatched() ? batches.Layout().Batches() : batches.Size()),
        shared_(IsBatched() ? batches.Layout().BatchesOfFirst(shared) : shared) {}

  /// Contacts of shared bodies come first; then messages overlap with the rest, each with one half.
  SolveReport Run(StartingImpulses impulses) {
    if (impulses == StartingImpulses::kToApply) {
      WithActingLaws(batches_.Laws(), [&](const auto& laws) {
        Apply(0, batches_.Layout().Batches(), batches_.All(), laws, bodies_);
      });
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
    return WithActingLaws(batches_.Laws(), [&](const auto& laws) {
      return parameters_.tolerance > 0.0
                 ? RelaxInTurn<true>(first, last, backward, batches_.All(), laws, bodies_)
                 : RelaxInTurn<false>(first, last, backward, batches_.All(), laws, bodies_);
    });
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
    WithActingLaws(batches.Laws(), [&](const auto& laws) {
      PipelinedSweeps(parameters.sweeps, impulses, batches, laws, bodies.data());
    });
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
  ContactBatches batches;
  batches.Begin(problem.first_fixed, solution.bodies.size());
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
  const SolveReport report = BlockGaussSeidel(parameters, batches.Size(), sync,
                                              StartingImpulses::kApplied, batches, solution.bodies);
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
