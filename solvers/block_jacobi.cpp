#include "solvers/block_jacobi.hpp"

#include <algorithm>

#include "solvers/check.hpp"
#include "solvers/general_relaxation.hpp"
#include "solvers/sweep_control.hpp"

namespace scree {
namespace {

/// Lists the contacts of each own body. Few contacts per body: sorting by insertion is best.
void FindSides(const ContactBatches& batches, std::size_t own, std::span<const std::int64_t> keys,
               JacobiScratch& scratch) {
  std::vector<Index>& first = scratch.first;
  first.assign(own + 1, 0);
  for (std::size_t j = 0; j < batches.Size(); ++j) {
    const Contact contact = batches.At(j);
    for (const Index body : {contact.a, contact.b}) {
      if (static_cast<std::size_t>(body) < own) ++first[static_cast<std::size_t>(body)];
    }
  }
  Index total = 0;  // `first` becomes the end of each body's sides, and moves to the beginning
  for (Index& count : first) count = total += count;
  scratch.sides.resize(static_cast<std::size_t>(total));
  const auto add = [&](Index body, Index partner, double sign, std::size_t j) {
    if (static_cast<std::size_t>(body) >= own) return;
    const auto place = static_cast<std::size_t>(--first[static_cast<std::size_t>(body)]);
    scratch.sides[place] = {batches.SlotOf(j), keys[static_cast<std::size_t>(partner)], sign};
  };
  for (std::size_t j = 0; j < batches.Size(); ++j) {
    const Contact contact = batches.At(j);
    add(contact.a, contact.b, 1.0, j);
    add(contact.b, contact.a, -1.0, j);
  }
  for (std::size_t i = 0; i < own; ++i) {
    const auto begin = scratch.sides.begin() + first[i], end = scratch.sides.begin() + first[i + 1];
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

/// @returns the greatest change of a relative velocity [m/s]
double SolveBatches(ContactBatches& batches, SphereBody* bodies, JacobiScratch& scratch) {
  std::size_t k = 0;
  Double8 greatest = Double8{};
  for (ContactBatch& batch : batches.All()) {
    double* a_lines[kLanes];
    double* b_lines[kLanes];
    Point(batch.a, bodies, a_lines);
    Point(batch.b, bodies, b_lines);
    JacobiScratch::Change& change = scratch.changes[k++];
    change.impulse = SolveBatch(batch, {LoadLines(a_lines)}, {LoadLines(b_lines)});
    change.torque = ScaledTorque(batch, change.impulse);
    greatest = GreaterChange(batch, change.impulse, greatest);
  }
  return GreatestOf(greatest);
}

/// The same for L of a law.
template <class Law>
double SolveLawBatches(ContactBatches& batches, SphereBody* bodies, JacobiScratch& scratch) {
  const std::span<ContactBatch> all = batches.All();
  const std::span<LawBatch<Law>> its = batches.Of<Law>().All();
  Double8 greatest = Double8{};
  for (std::size_t k = 0; k < all.size(); ++k) {
    double* a_lines[kLanes];
    double* b_lines[kLanes];
    Point(all[k].a, bodies, a_lines);
    Point(all[k].b, bodies, b_lines);
    Vector3<Double8>& change = scratch.law_changes[kLawIndex<Law>][k];
    change = SolveLawBatch(all[k], its[k], {LoadLines(a_lines)}, {LoadLines(b_lines)});
    greatest = GreaterChange(its[k], change, greatest);
  }
  return GreatestOf(greatest);
}

/// Contact frames are not symmetric: seen from the body with the lower key, a contact has the same
/// one on every rank.
double SolveByLaw(ContactLaw law, std::span<const std::int64_t> keys, ContactBatches& batches,
                  const SphereBody* bodies, JacobiScratch& scratch) {
  double greatest = 0.0;
  for (std::size_t j = 0; j < batches.Size(); ++j) {
    Contact contact = batches.At(j);
    const bool turn =
        keys[static_cast<std::size_t>(contact.a)] > keys[static_cast<std::size_t>(contact.b)];
    const double sign = turn ? -1.0 : 1.0;
    if (turn) std::swap(contact.a, contact.b);
    // Adding zero makes −0 a 0: the frame would depend on it.
    contact.normal = sign * contact.normal + Vec3::Zero();
    const Vec3 before = sign * batches.Impulse(j) + Vec3::Zero();
    Vec3 impulse = before;
    SphereBody a = bodies[contact.a], b = bodies[contact.b];
    RelaxByGeneralKernel(contact, law, impulse, a, b);
    batches.SetImpulse(j, sign * impulse);
    greatest = std::max(greatest, ChangeOfVelocity(contact, impulse - before));

    const Vec3 change = sign * (impulse - before);
    const Vec3 torque = kMassOverInertia * contact.normal.cross(impulse - before);
    const ContactSlot slot = batches.SlotOf(j);
    JacobiScratch::Change& all = scratch.changes[slot.batch];
    const auto lane = slot.lane;
    all.impulse.x[lane] = change.x(), all.impulse.y[lane] = change.y();
    all.impulse.z[lane] = change.z();
    all.torque.x[lane] = torque.x(), all.torque.y[lane] = torque.y();
    all.torque.z[lane] = torque.z();
  }
  return greatest;
}

/// The impulses with which the contacts start.
void ChangeFromZero(ContactBatches& batches, JacobiScratch& scratch) {
  std::size_t k = 0;
  for (const ContactBatch& batch : batches.All()) {
    JacobiScratch::Change& change = scratch.changes[k++];
    change.impulse = ImpulseOf(batch);
    change.torque = ScaledTorque(batch, change.impulse);
  }
  ForEachLaw([&](auto law) {
    using Law = typename decltype(law)::type;
    auto change = scratch.law_changes[kLawIndex<Law>].begin();
    for (const LawBatch<Law>& its : batches.Of<Law>().All()) *change++ = ImpulseOf(its);
  });
}

void MoveBodies(std::size_t own, const JacobiScratch& scratch, SphereBody* bodies) {
  for (std::size_t i = 0; i < own; ++i) {
    Vec3 impulse = Vec3::Zero(), torque = Vec3::Zero();
    for (Index k = scratch.first[i]; k < scratch.first[i + 1]; ++k) {
      const JacobiScratch::Side& side = scratch.sides[static_cast<std::size_t>(k)];
      const JacobiScratch::Change& change = scratch.changes[side.slot.batch];
      const auto lane = side.slot.lane;
      impulse +=
          side.sign * Vec3(change.impulse.x[lane], change.impulse.y[lane], change.impulse.z[lane]);
      torque += Vec3(change.torque.x[lane], change.torque.y[lane], change.torque.z[lane]);
    }
    bodies[i].v += bodies[i].inverse_mass * impulse;
    bodies[i].u -= bodies[i].inverse_mass * torque;
  }
}

/// The same for L of a law.
template <class Law>
void MoveBodiesByLaw(std::size_t own, ContactBatches& batches, const JacobiScratch& scratch,
                     SphereBody* bodies) {
  const std::span<LawBatch<Law>> its = batches.Of<Law>().All();
  for (std::size_t i = 0; i < own; ++i) {
    Vec3 sum = Vec3::Zero();
    for (Index k = scratch.first[i]; k < scratch.first[i + 1]; ++k) {
      const JacobiScratch::Side& side = scratch.sides[static_cast<std::size_t>(k)];
      const Vector3<Double8>& change = scratch.law_changes[kLawIndex<Law>][side.slot.batch];
      const auto lane = side.slot.lane;
      sum += Law::OnSide(its[side.slot.batch].data, lane, side.sign,
                         Vec3(change.x[lane], change.y[lane], change.z[lane]));
    }
    Law::Push(sum, bodies[i]);
  }
}

/// Calls work(law) for each law that acts in these contacts.
template <class Work>
void ForEachActing(const ContactBatches& batches, Work&& work) {
  ForEachLaw([&](auto law) {
    if (batches.Of<typename decltype(law)::type>().Acts()) work(law);
  });
}

}  // namespace

void Reserve(std::size_t contacts, std::size_t bodies, const LawFlags& laws,
             JacobiScratch& scratch) {
  scratch.first.reserve(bodies + 1);
  scratch.sides.reserve(2 * contacts);
  scratch.changes.reserve(ContactLayout::BatchesFor(contacts));
  for (std::size_t l = 0; l < kLawCount; ++l) {
    if (laws[l]) scratch.law_changes[l].reserve(scratch.changes.capacity());
  }
}

SolveReport BlockJacobi(const SolverParameters& parameters, std::size_t own,
                        std::span<const std::int64_t> keys, VelocitySync& sync,
                        StartingImpulses impulses, ContactBatches& batches,
                        std::vector<SphereBody>& bodies, JacobiScratch& scratch) {
  const std::size_t count = bodies.size();
  SCREE_DEMAND(own <= count && keys.size() == count);
  FindSides(batches, own, keys, scratch);
  scratch.changes.resize(batches.All().size());
  ForEachLaw([&](auto law) {
    using Law = typename decltype(law)::type;
    scratch.law_changes[kLawIndex<Law>].resize(batches.Of<Law>().All().size());
  });
  bodies.emplace_back();  // the padding body
  if (impulses == StartingImpulses::kToApply) {
    ChangeFromZero(batches, scratch);
    MoveBodies(own, scratch, bodies.data());
    ForEachActing(batches, [&](auto law) {
      MoveBodiesByLaw<typename decltype(law)::type>(own, batches, scratch, bodies.data());
    });
    sync.Refresh(std::span(bodies).first(count));
  }
  SweepControl control(parameters, sync);
  while (control.WantsSweep()) {
    double change =
        parameters.kernel == Kernel::kSphere
            ? SolveBatches(batches, bodies.data(), scratch)
            : SolveByLaw(LawOf(parameters.kernel), keys, batches, bodies.data(), scratch);
    MoveBodies(own, scratch, bodies.data());
    sync.Refresh(std::span(bodies).first(count));
    ForEachActing(batches, [&](auto law) {
      using Law = typename decltype(law)::type;
      change = std::max(change, SolveLawBatches<Law>(batches, bodies.data(), scratch));
      MoveBodiesByLaw<Law>(own, batches, scratch, bodies.data());
      sync.Refresh(std::span(bodies).first(count));
    });
    control.SweepIsDone(change);
  }
  bodies.pop_back();
  return control.Report();
}

}  // namespace scree
