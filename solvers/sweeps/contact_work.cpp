#include "solvers/sweeps/contact_work.hpp"

#include <tuple>

#include "solvers/batches/additional_laws.hpp"
#include "solvers/batches/batch_bodies.hpp"
#include "solvers/one_contact/sphere_contact.hpp"
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

/// L⋅δw
template <class Law, class Bodies>
Double8 WorkOfLaw(const LawBatch<Law>& its, const Bodies& of) {
  return Dot(ImpulseOf(its), Law::Velocity(its.data, of.a, of.b));
}

template <class Body>
double WorkOfAll(ContactBatches& batches, std::vector<Body>& bodies) {
  bodies.emplace_back();  // the padding body
  const std::span<const ContactBatch> all = batches.All();
  const ArmBatch* const arms = batches.Arms().data();
  Double8 sum = {};
  WithActingLaws(batches.Laws(), [&]<class... Laws>(const std::tuple<LawBatch<Laws>*...>& laws) {
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (k + kAhead < all.size()) PrefetchBodies(all[k + kAhead], bodies.data());
      const ContactBatch& batch = all[k];
      const BatchBodies<Body> of(batch, arms == nullptr ? nullptr : arms + k, bodies.data());
      const Vector3<Double8> n = NormalOf(batch), impulse = ImpulseOf(batch);
      sum += Dot(impulse, of.RelativeVelocity(n)) + batch.bias * Dot(impulse, n);
      ((sum += WorkOfLaw(std::get<LawBatch<Laws>*>(laws)[k], of)), ...);
    }
  });
  bodies.pop_back();
  double work = 0.0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) work += sum[lane];
  return work;
}

Vec3 VelocityAt(const ContactBatches&, std::size_t, const Vec3& normal, const SphereBody& a,
                const SphereBody& b) {
  return RelativeVelocity(a, b, normal);
}
Vec3 VelocityAt(const ContactBatches& batches, std::size_t j, const Vec3&, const RigidBody& a,
                const RigidBody& b) {
  return RelativeVelocity(a, b, batches.ArmsAt(j));
}

template <class Body>
double WorkOfOne(const ContactBatches& batches, std::size_t j, std::span<const Body> bodies) {
  const Contact contact = batches.At(j);
  const Body& a = bodies[static_cast<std::size_t>(contact.a)];
  const Body& b = bodies[static_cast<std::size_t>(contact.b)];
  const Vec3 impulse = batches.Impulse(j);
  double work = impulse.dot(VelocityAt(batches, j, contact.normal, a, b)) +
                contact.bias * impulse.dot(contact.normal);
  ForEachLaw([&](auto law) {
    using Law = typename decltype(law)::type;
    const LawArrays<Law>& arrays = batches.Of<Law>();
    if (!arrays.Acts()) return;
    const ContactSlot slot = batches.SlotOf(j);
    work += arrays.Impulse(slot).dot(Law::Velocity(arrays.At(slot), a, b));
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

double ContactWork(ContactBatches& batches, std::vector<SphereBody>& bodies) {
  return WorkOfAll(batches, bodies);
}
double ContactWork(ContactBatches& batches, std::vector<RigidBody>& bodies) {
  return WorkOfAll(batches, bodies);
}

double ContactWork(const ContactBatches& batches, std::size_t j,
                   std::span<const SphereBody> bodies) {
  return WorkOfOne(batches, j, bodies);
}
double ContactWork(const ContactBatches& batches, std::size_t j,
                   std::span<const RigidBody> bodies) {
  return WorkOfOne(batches, j, bodies);
}

void ScaleImpulses(double factor, ContactBatches& batches) {
  Scale(factor, batches.All());
  ForEachLaw([&](auto law) {
    using Law = typename decltype(law)::type;
    if (Law::kGrowsWithLoad && batches.Of<Law>().Acts()) Scale(factor, batches.Of<Law>().All());
  });
}

}  // namespace scree
