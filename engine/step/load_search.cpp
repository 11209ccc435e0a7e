#include "engine/step/load_search.hpp"

#include <algorithm>

#include "solvers/base/exact_sum.hpp"
#include "solvers/one_contact/sphere_contact.hpp"
#include "solvers/sweeps/contact_work.hpp"

namespace scree {
namespace {

Vec3& SpinOf(SphereBody& body) { return body.u; }
Vec3& SpinOf(RigidBody& body) { return body.omega; }

/// What the body of a particle has before the contacts act.
struct MotionBefore {
  Vec3 v, spin;

  MotionBefore(const Particles& particles, const Vec3& kick, std::size_t i, const SphereBody&)
      : v(particles.velocity[i] + kick),
        spin(particles.radius[i] * particles.angular_velocity[i]) {}
  MotionBefore(const Particles& particles, const Vec3& kick, std::size_t i, const RigidBody&)
      : v(particles.velocity[i] + kick), spin(particles.angular_velocity[i]) {}
};

/// Twice the energy of a change of velocity.
double NormOf(const SphereBody& body, const Vec3& v, const Vec3& u) {
  return (v.squaredNorm() + u.squaredNorm() / kMassOverInertia) / body.inverse_mass;
}
double NormOf(const RigidBody& body, const Vec3& v, const Vec3& omega) {
  double norm = v.squaredNorm() / body.inverse_mass;
  if (!omega.isZero(0.0)) norm += omega.dot(body.InverseInertia().inverse() * omega);
  return norm;
}

/// Calls add(‖Wλ‖² of one body) for this rank's.
template <class Body, class Add>
void ForEachNorm(const StepSetup& setup, const Particles& particles, const StepSolve& solve,
                 std::vector<Body>& bodies, Add&& add) {
  const Vec3 kick = setup.parameters.dt * setup.scene.gravity;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kGone) continue;
    const MotionBefore before(particles, kick, i, bodies[i]);
    add(NormOf(bodies[i], bodies[i].v - before.v, SpinOf(bodies[i]) - before.spin));
  }
  if (setup.communicator.IsRoot()) add(solve.free_walls.NormOfImpulses());
}

/// What contacts of spheres with walls that do not turn or yield give the particles of this rank
/// and of others, less what walls give: ΔE − Σ λ⋅v_wall [J]. It costs a look at each body.
double EnergyGiven(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                   const StepSolve& solve) {
  const Vec3 kick = setup.parameters.dt * setup.scene.gravity;
  double energy = 0.0;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kGone) continue;
    const SphereBody& body = solve.bodies[i];
    const MotionBefore before(particles, kick, i, body);
    const double square = (body.v - before.v).dot(body.v + before.v) +
                          (body.u - before.spin).dot(body.u + before.spin) / kMassOverInertia;
    energy += 0.5 * square / body.inverse_mass;
  }
  const bool any_moves = std::ranges::any_of(
      contacts.walls, [](const WallPose& w) { return !w.velocity.isZero(0.0) || w.Rotates(); });
  for (std::size_t j = 0; j < (any_moves ? contacts.treated.size() : 0); ++j) {
    const auto b = static_cast<std::size_t>(contacts.treated[j].b);
    if (b < particles.Size()) continue;
    energy -= solve.batches.Impulse(j).dot(contacts.wall_bodies[b - particles.Size()].velocity);
  }
  return setup.communicator.Sum(energy);
}

struct Slope {
  double work = 0.0;  // λ⋅(δv' + b) [J]
  double norm = 0.0;  // ‖Wλ‖² [J]
};

template <class Body>
Slope SlopeOf(const StepSetup& setup, const Particles& particles, StepSolve& solve,
              std::vector<Body>& bodies) {
  double sums[2] = {ContactWork(solve.batches, bodies), 0.0};
  ForEachNorm(setup, particles, solve, bodies, [&](double norm) { sums[1] += norm; });
  setup.communicator.Sum(sums);
  return {sums[0], sums[1]};
}

/// The same bits on any number of ranks, where contacts have.
template <class Body>
Slope ExactSlopeOf(const StepSetup& setup, const Particles& particles, std::size_t treated,
                   StepSolve& solve, std::vector<Body>& bodies) {
  ExactSum work, norms;
  for (std::size_t j = 0; j < treated; ++j) {
    work.Add(ContactWork(solve.batches, j, std::span<const Body>(bodies)));
  }
  ForEachNorm(setup, particles, solve, bodies, [&](double norm) { norms.Add(norm); });
  setup.communicator.Sum(work.Digits());
  setup.communicator.Sum(norms.Digits());
  return {work.Value(), norms.Value()};
}

}  // namespace

bool AllLawsGrowWithLoads(const Scene& scene) {
  bool all_grow = true;
  const LawFlags acting = scene.materials.ActingLaws();
  ForEachLaw([&](auto law) {
    using Law = typename decltype(law)::type;
    all_grow = all_grow && (Law::kGrowsWithLoad || !acting[kLawIndex<Law>]);
  });
  return all_grow;
}

bool SearchesLoads(const StepSetup& setup) {
  return setup.parameters.warm_start && PositionSweeps(setup.parameters) > 0 &&
         AllLawsGrowWithLoads(setup.scene);
}

bool MayGiveEnergy(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                   const StepSolve& solve) {
  const bool is_simple = !setup.HasClumps() && !setup.scheme.mirrors && !solve.free_walls.Any() &&
                         !setup.scene.materials.AnyLawActs() && !setup.subdomains.Images().Move();
  return !is_simple || EnergyGiven(setup, particles, contacts, solve) > 0.0;
}

template <class Body>
double BestLoad(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                StepSolve& solve, std::vector<Body>& bodies) {
  const Slope slope = setup.scheme.mirrors
                          ? ExactSlopeOf(setup, particles, contacts.treated.size(), solve, bodies)
                          : SlopeOf(setup, particles, solve, bodies);
  if (slope.norm > 0.0) return std::max(0.0, 1.0 - slope.work / slope.norm);
  return slope.work > 0.0 ? 0.0 : 1.0;
}

template <class Body>
void ScaleLoads(const StepSetup& setup, const Particles& particles, double factor, StepSolve& solve,
                std::vector<Body>& bodies) {
  ScaleImpulses(factor, solve.batches);
  const Vec3 kick = setup.parameters.dt * setup.scene.gravity;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kGone) continue;
    const MotionBefore before(particles, kick, i, bodies[i]);
    bodies[i].v = before.v + factor * (bodies[i].v - before.v);
    SpinOf(bodies[i]) = before.spin + factor * (SpinOf(bodies[i]) - before.spin);
  }
}

template double BestLoad(const StepSetup&, const Particles&, const StepContacts&, StepSolve&,
                         std::vector<SphereBody>&);
template double BestLoad(const StepSetup&, const Particles&, const StepContacts&, StepSolve&,
                         std::vector<RigidBody>&);
template void ScaleLoads(const StepSetup&, const Particles&, double, StepSolve&,
                         std::vector<SphereBody>&);
template void ScaleLoads(const StepSetup&, const Particles&, double, StepSolve&,
                         std::vector<RigidBody>&);

}  // namespace scree
