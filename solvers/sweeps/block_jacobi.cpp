#include "solvers/sweeps/block_jacobi.hpp"

#include <algorithm>

#include "solvers/base/check.hpp"
#include "solvers/sweeps/batch_sweep.hpp"
#include "solvers/sweeps/sweep_control.hpp"

namespace scree {
namespace {

/// Lists the contacts of each owned body. Insertion sort is fastest because a body has few
/// contacts.
void FindSides(const ContactBatches& batches, std::size_t owned, std::span<const std::int64_t> keys,
               JacobiScratch& scratch) {
  std::vector<Index>& first_side = scratch.first_side;
  first_side.assign(owned + 1, 0);
  for (std::size_t j = 0; j < batches.Size(); ++j) {
    const Contact contact = batches.At(j);
    for (const Index body : {contact.a, contact.b}) {
      if (static_cast<std::size_t>(body) < owned) ++first_side[static_cast<std::size_t>(body)];
    }
  }
  // Now `first_side` has the end of each body's sides; `add` moves it down to their beginning.
  Index total = 0;
  for (Index& count : first_side) count = total += count;
  scratch.sides.resize(static_cast<std::size_t>(total));
  const auto add = [&](Index body, Index partner, double sign, std::size_t j) {
    if (static_cast<std::size_t>(body) >= owned) return;
    const auto index = static_cast<std::size_t>(--first_side[static_cast<std::size_t>(body)]);
    scratch.sides[index] = {batches.SlotOf(j), keys[static_cast<std::size_t>(partner)], sign};
  };
  for (std::size_t j = 0; j < batches.Size(); ++j) {
    const Contact contact = batches.At(j);
    add(contact.a, contact.b, 1.0, j);
    add(contact.b, contact.a, -1.0, j);
  }
  for (std::size_t i = 0; i < owned; ++i) {
    const auto begin = scratch.sides.begin() + first_side[i],
               end = scratch.sides.begin() + first_side[i + 1];
    for (auto k = begin; k != end; ++k) {
      const JacobiScratch::Side side = *k;
      auto hole = k;
      for (; hole != begin && side.partner < std::prev(hole)->partner; --hole) {
        *hole = *std::prev(hole);
      }
      *hole = side;
    }
  }
}

/// Computes λ* of all contacts at the present velocities.
/// @returns the largest change of a relative velocity [m/s], if measured
template <class Sweep>
double SolveBatches(const Sweep& sweep, bool measures, JacobiScratch& scratch) {
  Double8 largest = Double8{};
  for (std::size_t k = 0; k < sweep.all.size(); ++k) {
    const auto bodies = sweep.template Load<BodiesOfSweep<typename Sweep::Body, 0>>(k);
    const Vector3<Double8> delta_v = bodies.RelativeVelocity(NormalOf(sweep.all[k]));
    scratch.changes[k] = sweep.Solve(k, delta_v, measures ? &largest : nullptr);
  }
  return RootOfMax(largest);
}

/// Computes L* of an additional law at the present velocities.
/// @returns the largest change of a velocity δw [m/s]
template <class Law, class Sweep>
double SolveLawBatches(const Sweep& sweep, std::span<LawBatch<Law>> batches_of_law,
                       JacobiScratch& scratch) {
  Double8 largest = Double8{};
  for (std::size_t k = 0; k < sweep.all.size(); ++k) {
    const auto bodies = sweep.template Load<BatchBodies<typename Sweep::Body>>(k);
    Vector3<Double8>& change = scratch.law_changes[kLawIndex<Law>][k];
    change = SolveLawBatch(sweep.all[k], batches_of_law[k], bodies);
    largest = MaxSquaredChange(batches_of_law[k], change, largest);
  }
  return RootOfMax(largest);
}

/// Sets the changes to the starting impulses, so that ApplyChanges applies them.
void SetStartingChanges(ContactBatches& batches, JacobiScratch& scratch) {
  std::size_t k = 0;
  for (const ContactBatch& batch : batches.All()) scratch.changes[k++] = ImpulseOf(batch);
  ForEachLaw([&](auto law) {
    using Law = typename decltype(law)::type;
    auto change = scratch.law_changes[kLawIndex<Law>].begin();
    for (const LawBatch<Law>& law_batch : batches.ArraysOf<Law>().All())
      *change++ = ImpulseOf(law_batch);
  });
}

void ApplyChanges(std::size_t owned, ContactBatches& batches,
                  std::span<const Vector3<Double8>> changes, const JacobiScratch& scratch,
                  SphereBody* bodies) {
  const std::span<const ContactBatch> all = batches.All();
  for (std::size_t i = 0; i < owned; ++i) {
    Vec3 impulse = Vec3::Zero(), torque = Vec3::Zero();
    for (Index k = scratch.first_side[i]; k < scratch.first_side[i + 1]; ++k) {
      const JacobiScratch::Side& side = scratch.sides[static_cast<std::size_t>(k)];
      const Vec3 change = LaneOf(changes[side.slot.batch], side.slot.lane);
      const Vec3 normal = LaneOf(NormalOf(all[side.slot.batch]), side.slot.lane);
      const Vector3<double> term = ScaledTorque(Vector3<double>{normal.x(), normal.y(), normal.z()},
                                                {change.x(), change.y(), change.z()});
      impulse += side.sign * change;
      torque += Vec3(term.x, term.y, term.z);
    }
    bodies[i].v += bodies[i].inverse_mass * impulse;
    bodies[i].u -= bodies[i].inverse_mass * torque;
  }
}

void ApplyChanges(std::size_t owned, ContactBatches& batches,
                  std::span<const Vector3<Double8>> changes, const JacobiScratch& scratch,
                  RigidBody* bodies) {
  const std::span<const ArmBatch> arms = batches.Arms();
  for (std::size_t i = 0; i < owned; ++i) {
    Vec3 impulse = Vec3::Zero(), torque = Vec3::Zero();
    for (Index k = scratch.first_side[i]; k < scratch.first_side[i + 1]; ++k) {
      const JacobiScratch::Side& side = scratch.sides[static_cast<std::size_t>(k)];
      const Vec3 change = side.sign * LaneOf(changes[side.slot.batch], side.slot.lane);
      const Double8(&arm)[3] = side.sign > 0.0 ? arms[side.slot.batch].a : arms[side.slot.batch].b;
      impulse += change;
      torque += LaneOf({arm[0], arm[1], arm[2]}, side.slot.lane).cross(change);
    }
    bodies[i].v += bodies[i].inverse_mass * impulse;
    bodies[i].omega += bodies[i].InverseInertia() * torque;
  }
}

template <class Law, class Body>
void ApplyLawChanges(std::size_t owned, ContactBatches& batches, const JacobiScratch& scratch,
                     Body* bodies) {
  const std::span<const Vector3<Double8>> changes = scratch.law_changes[kLawIndex<Law>];
  if constexpr (Law::kActsAsLambda || (Law::kIsGiven && std::is_same_v<Body, RigidBody>)) {
    ApplyChanges(owned, batches, changes, scratch, bodies);
  } else {
    const std::span<LawBatch<Law>> batches_of_law = batches.ArraysOf<Law>().All();
    for (std::size_t i = 0; i < owned; ++i) {
      Vec3 sum = Vec3::Zero();
      for (Index k = scratch.first_side[i]; k < scratch.first_side[i + 1]; ++k) {
        const JacobiScratch::Side& side = scratch.sides[static_cast<std::size_t>(k)];
        const auto lane = side.slot.lane;
        sum += Law::TermOnBody(batches_of_law[side.slot.batch].data, lane, side.sign,
                               LaneOf(changes[side.slot.batch], lane));
      }
      Law::ApplySum(sum, bodies[i]);
    }
  }
}

template <class Work>
void ForEachActive(const ContactBatches& batches, Work&& work) {
  ForEachLaw([&](auto law) {
    if (batches.ArraysOf<typename decltype(law)::type>().IsActive()) work(law);
  });
}

}  // namespace

template <class Body>
SolveReport BlockJacobi(const SolverParameters& parameters, std::size_t owned,
                        std::span<const std::int64_t> keys, VelocitySyncOf<Body>& sync,
                        StartingImpulses impulses, ContactBatches& batches,
                        std::vector<Body>& bodies, KernelScratch& kernels, JacobiScratch& scratch) {
  const std::size_t count = bodies.size();
  SCREE_DEMAND(owned <= count && keys.size() == count);
  FindSides(batches, owned, keys, scratch);
  scratch.changes.resize(batches.All().size());
  ForEachLaw([&](auto law) {
    using Law = typename decltype(law)::type;
    scratch.law_changes[kLawIndex<Law>].resize(batches.ArraysOf<Law>().All().size());
  });
  bodies.emplace_back();  // the padding body
  const std::span<Body> real_bodies = std::span(bodies).first(count);
  if (impulses == StartingImpulses::kToApply) {
    SetStartingChanges(batches, scratch);
    ApplyChanges(owned, batches, scratch.changes, scratch, bodies.data());
    ForEachActive(batches, [&](auto law) {
      ApplyLawChanges<typename decltype(law)::type>(owned, batches, scratch, bodies.data());
    });
    sync.Gather(real_bodies);
  }
  kernels.scalar_relaxations = 0;
  SweepControl control(parameters, sync);
  WithSweep(parameters.kernel, batches, bodies.data(), kernels, [&](const auto& sweep) {
    for (std::size_t k = 0; k < sweep.all.size(); ++k) sweep.SetUp(k);
    while (control.NeedsSweep()) {
      double change = SolveBatches(sweep, control.Measures(), scratch);
      ApplyChanges(owned, batches, scratch.changes, scratch, bodies.data());
      sync.Gather(real_bodies);
      ForEachActive(batches, [&](auto law) {
        using Law = typename decltype(law)::type;
        if constexpr (RelaxedLaw<Law>) {
          change =
              std::max(change, SolveLawBatches<Law>(sweep, batches.ArraysOf<Law>().All(), scratch));
          ApplyLawChanges<Law>(owned, batches, scratch, bodies.data());
          sync.Gather(real_bodies);
        }
      });
      control.RecordSweep(change);
    }
  });
  bodies.pop_back();
  SolveReport report = control.Report();
  report.scalar_relaxations = kernels.scalar_relaxations;
  return report;
}

void Reserve(std::size_t contacts, std::size_t bodies, const LawFlags& laws,
             JacobiScratch& scratch) {
  scratch.first_side.reserve(bodies + 1);
  scratch.sides.reserve(2 * contacts);
  scratch.changes.reserve(ContactColouring::BatchesFor(contacts));
  for (std::size_t l = 0; l < kLawCount; ++l) {
    if (laws[l]) scratch.law_changes[l].reserve(scratch.changes.capacity());
  }
}

template SolveReport BlockJacobi(const SolverParameters&, std::size_t,
                                 std::span<const std::int64_t>, VelocitySync&, StartingImpulses,
                                 ContactBatches&, std::vector<SphereBody>&, KernelScratch&,
                                 JacobiScratch&);
template SolveReport BlockJacobi(const SolverParameters&, std::size_t,
                                 std::span<const std::int64_t>, RigidVelocitySync&,
                                 StartingImpulses, ContactBatches&, std::vector<RigidBody>&,
                                 KernelScratch&, JacobiScratch&);

}  // namespace scree
