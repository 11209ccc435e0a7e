#include "solvers/sweeps/residual.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/batches/additional_laws.hpp"
#include "solvers/batches/body_kinds.hpp"
#include "solvers/one_contact/sphere_contact.hpp"
#include "solvers/sweeps/general_relaxation.hpp"

namespace scree {
namespace {

double SphereResidual(const Contact& contact, const Vec3& impulse, const SphereBody& a,
                      const SphereBody& b) {
  const double a_n = a.inverse_mass + b.inverse_mass;
  const Vec3& n = contact.normal;
  const Vec3 relaxed = SolveSphereContact(n, 1.0 / a_n, contact.friction, impulse,
                                          RelativeVelocity(a, b, n), contact.bias);
  const Vec3 change = relaxed - impulse;
  const Vec3 normal_part = change.dot(n) * n;
  return a_n * (normal_part + kTangentOverNormal * (change - normal_part)).norm();
}

/// @param residual_of  residual_of(j) returns r_j of contact j
template <class ResidualOf>
Residual SumResiduals(std::size_t count, const ResidualOf& residual_of) {
  Residual residual;
  residual.contacts = static_cast<std::int64_t>(count);
  for (std::size_t j = 0; j < count; ++j) {
    const double r = residual_of(j);
    residual.max = std::max(residual.max, r);
    residual.square_sum += r * r;
  }
  return residual;
}

}  // namespace

double ResidualAt(const ContactBatches& batches, std::size_t j, std::span<const SphereBody> bodies,
                  ContactLaw) {
  const Contact contact = batches.At(j);
  const Vec3 impulse = batches.Impulse(j);
  const SphereBody& a = bodies[static_cast<std::size_t>(contact.a)];
  const SphereBody& b = bodies[static_cast<std::size_t>(contact.b)];
  double r = SphereResidual(contact, impulse, a, b);
  ForEachLaw([&](auto law) {
    using Law = typename decltype(law)::type;
    if constexpr (RelaxedLaw<Law>) {
      const LawArrays<Law>& arrays = batches.ArraysOf<Law>();
      if (!arrays.IsActive()) return;
      const ContactSlot slot = batches.SlotOf(j);
      r = std::hypot(r, ResidualOfLaw<Law>(contact.normal, arrays.At(slot), impulse,
                                           arrays.Impulse(slot), a, b));
    }
  });
  return r;
}

double ResidualAt(const ContactBatches& batches, std::size_t j, std::span<const RigidBody> bodies,
                  ContactLaw law) {
  Contact contact = batches.At(j);
  const ContactArms arms = batches.ArmsAt(j);
  const RigidBody& a = bodies[static_cast<std::size_t>(contact.a)];
  const RigidBody& b = bodies[static_cast<std::size_t>(contact.b)];
  const Vec3& n = contact.normal;
  // Without the factor κ of under-relaxation.
  contact.effective_mass = 1.0 / (NormalMobility(a, arms.a, n) + NormalMobility(b, arms.b, n));
  const Vec3 impulse = batches.Impulse(j);
  double r = SolveByGeneralKernel(contact, arms, law, impulse, a, b).change;
  ForEachLaw([&](auto additional) {
    using Law = typename decltype(additional)::type;
    if constexpr (RelaxedLaw<Law>) {
      if (!batches.ArraysOf<Law>().IsActive()) return;
      const ContactSlot slot = batches.SlotOf(j);
      const auto data = batches.ArraysOf<Law>().At(slot);
      if (data.effective_mass == 0.0) return;  // this contact has no such law
      const Vec3 old_impulse = batches.ArraysOf<Law>().Impulse(slot);
      const Vec3 relaxed = SolveLaw<Law>(n, data, impulse, data.effective_mass, old_impulse,
                                         VelocityOfLaw<Law>(batches, j, n, a, b));
      r = std::hypot(r, (relaxed - old_impulse).norm() / data.effective_mass);
    }
  });
  return r;
}

Residual ContactResidual(const ContactBatches& batches, std::size_t count,
                         std::span<const SphereBody> bodies, ContactLaw) {
  return SumResiduals(count, [&](std::size_t j) { return ResidualAt(batches, j, bodies); });
}

Residual ContactResidual(const ContactBatches& batches, std::size_t count,
                         std::span<const RigidBody> bodies, ContactLaw law) {
  return SumResiduals(count, [&](std::size_t j) { return ResidualAt(batches, j, bodies, law); });
}

}  // namespace scree
