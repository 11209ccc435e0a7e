#include "engine/observation/energy_book.hpp"

#include <algorithm>

#include "engine/contacts/contact_partner.hpp"
#include "solvers/check.hpp"
#include "solvers/rolling.hpp"

namespace scree {
namespace {

Vec3 SurfaceVelocity(const Particles& particles, std::size_t i) {
  return particles.radius[i] * particles.angular_velocity[i];
}

/// The entries that bodies have without their contacts; sets `mean`.
EnergyBook BookBodies(const Particles& before, std::span<const SphereBody> after, const Vec3& kick,
                      std::vector<SphereBody>& mean) {
  mean.resize(after.size());
  std::copy(after.begin() + static_cast<std::ptrdiff_t>(before.Size()), after.end(),
            mean.begin() + static_cast<std::ptrdiff_t>(before.Size()));
  EnergyBook book;
  Vec3 momentum_before = Vec3::Zero(), momentum_after = Vec3::Zero();
  for (std::size_t i = 0; i < before.Size(); ++i) {
    if (before.id[i] == kGone) {
      mean[i] = SphereBody();
      continue;
    }
    const Vec3& v = before.velocity[i];
    const Vec3 u = SurfaceVelocity(before, i);
    const SphereBody& body = after[i];
    mean[i] = {0.5 * (v + body.v), body.inverse_mass, 0.5 * (u + body.u), body.radius};
    if (i >= before.owned) continue;
    const double mass = 1.0 / body.inverse_mass;
    momentum_before += mass * v;
    momentum_after += mass * body.v;
    book.kinetic += KineticEnergy(mass, body.v, body.u) - KineticEnergy(mass, v, u);
  }
  book.forces = 0.5 * kick.dot(momentum_before + momentum_after);
  book.potential = -kick.dot(momentum_after);
  return book;
}

}  // namespace

EnergyBook& EnergyBook::operator+=(const EnergyBook& other) {
  ForEachEntry([](const char*, double& sum, double entry) { sum += entry; }, *this, other);
  return *this;
}

EnergyBook BookSolve(const Particles& before, std::span<const SphereBody> after,
                     std::span<const DetectedContact> contacts, std::span<const Index> impacts,
                     const ContactBatches& batches, const Vec3& kick,
                     std::vector<SphereBody>& mean) {
  SCREE_DEMAND(batches.Size() >= contacts.size());  // those that other ranks book come last
  const ContactBodies numbers(before, {});
  SphereBody kicked;
  kicked.v = kick;
  EnergyBook book = BookBodies(before, after, kick, mean);
  auto impact = impacts.begin();
  constexpr std::size_t kAhead = 24;  // contacts whose data are prefetched
  for (std::size_t j = 0; j < contacts.size(); ++j) {
    if (j + kAhead < contacts.size()) {
      __builtin_prefetch(&mean[static_cast<std::size_t>(contacts[j + kAhead].b)]);
      batches.PrefetchImpulse(j + kAhead);
    }
    const DetectedContact& contact = contacts[j];
    const Vec3 impulse = batches.Impulse(j);
    const SphereBody& a = mean[static_cast<std::size_t>(contact.a)];
    const SphereBody& b = mean[static_cast<std::size_t>(contact.b)];
    double work = impulse.dot(RelativeVelocity(a, b, contact.normal));
    const bool with_wall = numbers.IsWall(contact.b);
    double on_wall = with_wall ? impulse.dot(b.v + b.u.cross(contact.normal)) : 0.0;
    ForEachLaw([&](auto law) {
      using Law = typename decltype(law)::type;
      const LawArrays<Law>& arrays = batches.Of<Law>();
      if (!arrays.Acts()) return;
      const ContactSlot slot = batches.SlotOf(j);
      const auto data = arrays.At(slot);
      const Vec3 its = arrays.Impulse(slot);
      work += its.dot(Law::Velocity(data, a, b));
      if (!with_wall) return;
      on_wall -= its.dot(Law::Velocity(data, SphereBody(), b));
      book.dissipated -= 0.5 * its.dot(Law::Velocity(data, kicked, SphereBody()));
    });
    book.contacts += work;
    book.dissipated -= work;
    if (with_wall) {
      book.walls += on_wall;
      // The weight changes the relative velocity: δvᶠ = δv⁻ + dt g. Between spheres it does not.
      book.dissipated -= 0.5 * impulse.dot(kick);
    }
    const bool is_impact = impact != impacts.end() && static_cast<std::size_t>(*impact) == j;
    if (is_impact) ++impact;
    const double opening = -batches.Bias(j);  // least δvₙ at the end
    if (opening > 0.0) {
      const double energy = opening * impulse.dot(contact.normal);
      (is_impact ? book.restitution : book.error_reduction) += energy;
    }
  }
  book.dissipated += book.error_reduction;
  return book;
}

double WorkAgainst(const Vec3& gravity, const Particles& particles,
                   std::span<const SphereBody> bodies,
                   std::span<const Displacement> displacements) {
  if (displacements.empty()) return 0.0;
  Vec3 moment = Vec3::Zero();
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] != kGone) moment += displacements[i].d / bodies[i].inverse_mass;
  }
  return -gravity.dot(moment);
}

double EnergyOfLeavers(const Particles& now, std::span<const SphereBody> after,
                       std::span<const SphereBody> mean) {
  double energy = 0.0;
  for (std::size_t i = 0; i < now.owned; ++i) {
    if (now.id[i] != kGone || mean[i].inverse_mass == 0.0) continue;
    energy += KineticEnergy(1.0 / after[i].inverse_mass, after[i].v, after[i].u);
  }
  return energy;
}

double EnergyFrom(std::size_t first, const Particles& particles,
                  std::span<const double> inverse_masses) {
  double energy = 0.0;
  for (std::size_t i = first; i < particles.Size(); ++i) {
    energy += KineticEnergy(1.0 / inverse_masses[i], particles.velocity[i],
                            SurfaceVelocity(particles, i));
  }
  return energy;
}

EnergyBook SumOverRanks(const Communicator& communicator, EnergyBook book) {
  std::vector<double> entries;
  ForEachEntry([&](const char*, double entry) { entries.push_back(entry); }, book);
  communicator.Sum(entries);
  auto sum = entries.begin();
  ForEachEntry([&](const char*, double& entry) { entry = *sum++; }, book);
  return book;
}

}  // namespace scree
