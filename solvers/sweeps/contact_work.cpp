#include "solvers/sweeps/contact_work.hpp"

#include <tuple>

#include "solvers/batches/additional_laws.hpp"
#include "solvers/batches/batch_bodies.hpp"
#include "solvers/batches/body_kinds.hpp"
#include "solvers/simd/prefetch.hpp"

namespace scree {
namespace {

constexpr std::size_t kAhead = 4;  // batches between the prefetch of bodies and their use

template <class Body>
void PrefetchBodies(const ContactBatch& batch, const Body* bodies) {
  const auto* start = reinterpret_cast<const std::byte*>(bodies);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    __builtin_prefetch(start + batch.a[lane]);
    __builtin_prefetch(start + batch.b[lane]);
  }
}

double SumOf(const Double8& lanes) {
  double sum = 0.0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) sum += lanes[lane];
  return sum;
}

/// A packet of eight contacts, with the present velocities of their bodies.
struct Contacts8 {
  const ContactBatch& batch;
  Vector3<Double8> impulse, delta_v;
  Double8 load, speed;  // λₙ, δvₙ

  template <class Bodies>
  SCREE_INLINE Contacts8(const ContactBatch& contacts, const Bodies& bodies)
      : batch(contacts), impulse(ImpulseOf(contacts)) {
    const Vector3<Double8> n = NormalOf(contacts);
    delta_v = bodies.RelativeVelocity(n);
    load = Dot(impulse, n);
    speed = Dot(delta_v, n);
  }
  SCREE_INLINE Double8 Work() const { return Dot(impulse, delta_v) + batch.bias * load; }
  SCREE_INLINE Double8 WorkOfLoad() const { return load * (speed + batch.bias); }
  /// Work without that of slip, which dissipates energy in the exact solution too.
  SCREE_INLINE Double8 WorkWithoutSlip() const {
    constexpr double kInside = 0.998;  // a contact sticks below this fraction of the squared limit
    const Double8 limit = batch.friction * load;
    const Double8 tangent = Dot(impulse, impulse) - load * load;
    const Double8 sticking = Dot(impulse, delta_v) - load * speed;
    return WorkOfLoad() + Select(tangent < kInside * limit * limit, sticking, Double8{});
  }
};

template <class Bodies>
SCREE_INLINE Int8 AreHeavyAndLight(const Bodies& bodies) {
  const Double8 zero = {}, a = bodies.a.W(), b = bodies.b.W();
  const Double8 min = Select(a < b, a, b), max = Select(a < b, b, a);
  return (min > zero) & (kHeavyRatio * min < max);
}

/// L⋅δw, the work of an additional law.
template <class Law, class Bodies>
Double8 WorkOfLaw(const Vector3<Double8>& n, const LawBatch<Law>& law_batch, const Bodies& pair) {
  if constexpr (Law::kIsGiven) {
    return Dot(ImpulseOf(law_batch), pair.VelocityAlongNormal());
  } else {
    return Dot(ImpulseOf(law_batch), VelocityOfLawBatch(n, law_batch, pair));
  }
}

/// Calls visit(contacts, their bodies, work of laws) for all contacts, in packets of eight.
template <class Body, class Visit>
void ForEachBatch(ContactBatches& batches, std::vector<Body>& bodies, Visit&& visit) {
  bodies.emplace_back();  // the padding body
  const std::span<const ContactBatch> all = batches.All();
  const ArmBatch* const arms = batches.Arms().data();
  WithRelaxedLaws(batches.Laws(), [&]<class... Laws>(const std::tuple<LawBatch<Laws>*...>& laws) {
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (k + kAhead < all.size()) PrefetchBodies(all[k + kAhead], bodies.data());
      const BatchBodies<Body> pair(all[k], arms == nullptr ? nullptr : arms + k, bodies.data());
      const Vector3<Double8> n = NormalOf(all[k]);
      Double8 law_work = {};
      ((law_work += WorkOfLaw(n, std::get<LawBatch<Laws>*>(laws)[k], pair)), ...);
      ForEachGivenLaw(batches.Laws(),
                      [&](const auto& law_batch) { law_work += WorkOfLaw(n, law_batch[k], pair); });
      visit(Contacts8(all[k], pair), pair, law_work);
    }
  });
  bodies.pop_back();
}

template <class Body>
ContactWork WorkOfAll(bool with_heavy, ContactBatches& batches, std::vector<Body>& bodies) {
  const Double8 zero = {};
  Double8 all = zero, without_slip = zero, heavy = zero, heavy_load = zero;
  ForEachBatch(batches, bodies,
               [&](const Contacts8& contacts, const auto& pair, const Double8& law_work) {
                 all += contacts.Work() + law_work;
                 if (!with_heavy) return;
                 const Double8 work = contacts.WorkWithoutSlip();
                 const Int8 is_heavy = AreHeavyAndLight(pair);
                 without_slip += work;
                 heavy += Select(is_heavy, work, zero);
                 heavy_load += Select(is_heavy, contacts.load, zero);
               });
  return {SumOf(all), SumOf(without_slip), SumOf(heavy), SumOf(heavy_load)};
}

template <class Body>
double SumResidualApproachWork(ContactBatches& batches, std::vector<Body>& bodies) {
  Double8 residual_work = {};
  ForEachBatch(batches, bodies, [&](const Contacts8& contacts, const auto&, const Double8&) {
    const Double8 work = contacts.WorkOfLoad();
    residual_work += Select(work < Double8{}, -work, Double8{});
  });
  return SumOf(residual_work);
}

template <class Body>
double WorkOfContact(const ContactBatches& batches, std::size_t j, std::span<const Body> bodies) {
  const Contact contact = batches.At(j);
  const Body& a = bodies[static_cast<std::size_t>(contact.a)];
  const Body& b = bodies[static_cast<std::size_t>(contact.b)];
  const Vec3 impulse = batches.Impulse(j);
  double work = impulse.dot(VelocityAt(batches, j, contact.normal, a, b)) +
                contact.bias * impulse.dot(contact.normal);
  ForEachLaw([&](auto law) {
    using Law = typename decltype(law)::type;
    const LawArrays<Law>& arrays = batches.ArraysOf<Law>();
    if (!arrays.IsActive()) return;
    work +=
        arrays.Impulse(batches.SlotOf(j)).dot(VelocityOfLaw<Law>(batches, j, contact.normal, a, b));
  });
  return work;
}

template <class Batch>
void Scale(double factor, std::span<Batch> batches) {
  for (Batch& batch : batches) {
    for (Double8& part : batch.impulse) part *= factor;
  }
}

}  // namespace

ContactWork WorkInContacts(bool with_heavy, ContactBatches& batches,
                           std::vector<SphereBody>& bodies) {
  return WorkOfAll(with_heavy, batches, bodies);
}
ContactWork WorkInContacts(bool with_heavy, ContactBatches& batches,
                           std::vector<RigidBody>& bodies) {
  return WorkOfAll(with_heavy, batches, bodies);
}

double ResidualApproachWork(ContactBatches& batches, std::vector<SphereBody>& bodies) {
  return SumResidualApproachWork(batches, bodies);
}
double ResidualApproachWork(ContactBatches& batches, std::vector<RigidBody>& bodies) {
  return SumResidualApproachWork(batches, bodies);
}

double WorkInContact(const ContactBatches& batches, std::size_t j,
                     std::span<const SphereBody> bodies) {
  return WorkOfContact(batches, j, bodies);
}
double WorkInContact(const ContactBatches& batches, std::size_t j,
                     std::span<const RigidBody> bodies) {
  return WorkOfContact(batches, j, bodies);
}

void ScaleImpulses(double factor, ContactBatches& batches) {
  Scale(factor, batches.All());
  ForEachLaw([&](auto law) {
    using Law = typename decltype(law)::type;
    if (Law::kGrowsWithLoad && batches.ArraysOf<Law>().IsActive())
      Scale(factor, batches.ArraysOf<Law>().All());
  });
}

}  // namespace scree
