#include "engine/step/impulse_line_search.hpp"

#include <algorithm>
#include <cmath>

#include "engine/contacts/contact_assembly.hpp"
#include "solvers/base/exact_sum.hpp"
#include "solvers/batches/body_kinds.hpp"
#include "solvers/sweeps/contact_work.hpp"

namespace scree {
namespace {

// Impulses are scaled if s* is below kMinScale, and for heavy free walls if s* is above kMaxScale.
// If contacts are known to add energy, kMinScaleOfGain is the bound. It leaves out gains by
// rounding, because new sweeps cost as much as the first ones.
constexpr double kMinScale = 0.5, kMaxScale = 4.0, kMinScaleOfGain = 0.9999;

// For heavy bodies. In one solve an impulse may grow by up to kMaxGrowth, because nothing else
// limits the impulses of a wedged body.
constexpr double kMaxGrowth = 8.0, kMinFactor = 0.5, kMaxFactor = 2.0, kMinChange = 3e-3;
constexpr int kMaxScalings = 20;
// A heavy body is nearly at rest if its support bears all but the fraction kNearlyAtRest of its
// weight. Impulses then change by at most kMaxChange times the missing fraction, so that errors of
// light contacts do not make the body jump.
constexpr double kNearlyAtRest = 0.02, kMaxChange = 2.0;

/// Whether a wall may be too heavy compared with a particle for sweeps to bring it to rest. The
/// effective mass of a wall that rotates, or is one of several links, depends on the contact point.
bool IsHeavyWall(const StepSetup& setup, const WallPose& wall) {
  if (!wall.IsFree()) return false;
  if (wall.CanRotate() || wall.tree->axes.size() > 1) return true;
  return wall.tree->mass(0, 0) > kHeavyRatio * setup.scaling.min_mass;
}

/// (v, u)⋅M⋅(x, x_spin): M is the mass matrix of the body, each pair a velocity and a rotation.
double MassProduct(const SphereBody& body, const Vec3& v, const Vec3& u, const Vec3& x,
                   const Vec3& x_spin) {
  return (v.dot(x) + u.dot(x_spin) / kMassOverInertia) / body.inverse_mass;
}
double MassProduct(const RigidBody& body, const Vec3& v, const Vec3& omega, const Vec3& x,
                   const Vec3& x_spin) {
  const double product = v.dot(x) / body.inverse_mass;
  if (omega.isZero(0.0)) return product;
  return product + omega.dot(body.InverseInertia().inverse() * x_spin);
}

}  // namespace

template <class Body>
ImpulseLineSearch<Body>::ImpulseLineSearch(const StepSetup& setup, const Particles& particles,
                                           const StepContacts& contacts, StepSolve& solve,
                                           std::vector<Body>& bodies)
    : setup_(setup),
      particles_(particles),
      contacts_(contacts),
      solve_(solve),
      bodies_(bodies),
      kicks_(solve.forces.KicksOf(setup)) {
  constexpr double kWeightFraction = 1e-3;  // of the kick by the weight in a step
  const SolverParameters& solver = setup.parameters.solver;
  const bool has_heavy_walls = std::ranges::any_of(
      contacts.walls, [&](const WallPose& wall) { return IsHeavyWall(setup, wall); });
  // HeavyBodyScale sums over the ranks with rounding, but the results of Jacobi's scheme must not
  // depend on the number of ranks.
  const bool is_search_possible =
      setup.scaling.is_possible && solver.tolerance <= 0.0 && solver.scheme == Scheme::kGaussSeidel;
  const bool has_heavy = has_heavy_walls || setup.scaling.has_heavy_bodies;
  tolerance_ = is_search_possible && has_heavy ? kWeightFraction * kicks_.weight.norm() : 0.0;
  has_heavy_walls_ = has_heavy_walls && !(tolerance_ > 0.0);
}

template <class Body>
double ImpulseLineSearch<Body>::HeavyBodyScale() {
  if (!(tolerance_ > 0.0) || scalings_ == kMaxScalings) return 1.0;
  const ContactWork work = WorkInContacts(true, solve_.batches, bodies_);
  double sums[5] = {work.all, work.without_slip, work.heavy, work.heavy_load, 0.0};
  AddNorms([&](double norm) { sums[4] += norm; });
  setup_.communicator.Sum(sums);
  const auto [all, without_slip, heavy, heavy_load, norm] = sums;
  slope_ = Slope{all, norm};
  if (!(std::abs(heavy) > tolerance_ * heavy_load)) return 1.0;
  const double missing = std::abs(heavy) / (heavy_load * kicks_.weight.norm());
  const double max_change = missing < kNearlyAtRest ? kMaxChange * missing : kMaxFactor;
  const double min = std::max(kMinFactor, 1.0 - max_change);
  const double max = std::min({kMaxFactor, 1.0 + max_change, kMaxGrowth / growth_});
  const double factor = std::clamp(1.0 - without_slip / norm, std::min(min, max), max);
  if (!(std::abs(factor - 1.0) > kMinChange)) return 1.0;
  growth_ *= factor;
  ++scalings_;
  return factor;
}

template <class Body>
double ImpulseLineSearch<Body>::EnergyGainScale() {
  if (!setup_.scaling.is_possible || PositionSweeps(setup_.parameters) == 0) return 1.0;
  AddedEnergy added = AddedEnergy::kUnknown;
  // The coarse correction of deep beds has changed the slope that HeavyBodyScale found.
  if (!slope_ || setup_.coarse.IsActive()) {
    if (!has_heavy_walls_) added = FindAddedEnergy();
    if (added == AddedEnergy::kNone) return 1.0;
    slope_ = setup_.scheme.ghost_contacts ? FindExactSlope() : FindSlope();
  }
  const double best = slope_->OptimalFactor();
  if (has_heavy_walls_ && best > kMaxScale) return kMaxScale;
  return best < (added == AddedEnergy::kSome ? kMinScaleOfGain : kMinScale) ? best : 1.0;
}

template <class Body>
void ImpulseLineSearch<Body>::Scale(double factor) {
  slope_.reset();
  ScaleImpulses(factor, solve_.batches);
  ForEachBody([&](std::size_t i, const MotionBefore& before) {
    Body& body = bodies_[i];
    body.v = before.v + factor * (body.v - before.v);
    SpinOf(body) = before.spin + factor * (SpinOf(body) - before.spin);
  });
}

/// s*, at least 0, and 1 without impulses.
template <class Body>
double ImpulseLineSearch<Body>::Slope::OptimalFactor() const {
  if (norm > 0.0) return std::max(0.0, 1.0 - work / norm);
  return work > 0.0 ? 0.0 : 1.0;
}

template <class Body>
SCREE_INLINE typename ImpulseLineSearch<Body>::MotionBefore
ImpulseLineSearch<Body>::MotionBeforeContacts(std::size_t i) const {
  MotionBefore before = {particles_.velocity[i] + kicks_.VelocityOf(i),
                         SpinOf<Body>(particles_, i)};
  if (kicks_.HasForces()) before.spin += SpinKick<Body>(particles_, kicks_, i);
  return before;
}

/// Calls visit(i, motion before the contacts) for the owned particles with a contact on any rank.
/// (Sweeps with heavy-ball momentum have a list of them.) Particles without a contact still have
/// their motion before the contacts.
template <class Body>
template <class Visit>
void ImpulseLineSearch<Body>::ForEachBody(Visit&& visit) const {
  const auto visit_particle = [&](std::size_t i) {
    if (i < particles_.owned && particles_.id[i] != kRemovedId) visit(i, MotionBeforeContacts(i));
  };
  if (setup_.parameters.solver.ActiveMomentum() > 0.0) {
    for (const Index i : solve_.scheme.momentum.bodies) visit_particle(static_cast<std::size_t>(i));
  } else {
    const ContactColouring& colouring = solve_.batches.Colouring();
    const std::span<const Index> counts = solve_.counts.PerBody();  // empty if none is shared
    for (std::size_t i = 0; i < particles_.owned; ++i) {
      const bool has_local_contact = colouring.FirstChunkPlusOne(i) > 0;
      if (has_local_contact || (!counts.empty() && counts[i] > 0)) visit_particle(i);
    }
  }
}

/// Adds ‖Wλ‖² of each body.
template <class Body>
template <class Add>
void ImpulseLineSearch<Body>::AddNorms(Add&& add) const {
  ForEachBody([&](std::size_t i, const MotionBefore& before) {
    const Body& body = bodies_[i];
    const Vec3 v = body.v - before.v, spin = SpinOf(body) - before.spin;
    add(MassProduct(body, v, spin, v, spin));
  });
  if (setup_.communicator.IsRoot()) add(solve_.free_walls.NormOfImpulses());
}

/// Adds the energies that contacts transfer to bodies and free walls [J].
template <class Body>
template <class Add>
void ImpulseLineSearch<Body>::AddEnergies(Add&& add) const {
  ForEachBody([&](std::size_t i, const MotionBefore& before) {
    const Body& body = bodies_[i];
    add(0.5 * MassProduct(body, body.v - before.v, SpinOf(body) - before.spin, body.v + before.v,
                          SpinOf(body) + before.spin));
  });
  if (setup_.communicator.IsRoot()) add(solve_.free_walls.EnergyOfImpulses());
}

/// Adds the energy −Σ λ⋅v that surfaces with prescribed motion take from the system [J].
template <class Body>
template <class Add>
void ImpulseLineSearch<Body>::AddWorkOfWalls(Add&& add) const {
  for (std::size_t j = 0; j < contacts_.owned.size(); ++j) {
    const auto b = static_cast<std::size_t>(contacts_.owned[j].b);
    if (b < particles_.Size()) continue;
    const WallBody& surface = contacts_.wall_bodies[b - particles_.Size()];
    const Vec3 prescribed = surface.velocity - surface.free_velocity;
    if (!prescribed.isZero(0.0)) add(-solve_.batches.Impulse(j).dot(prescribed));
  }
}

/// Whether the contacts add energy. This checks only the bodies, which is cheaper than a loop over
/// the contacts. (Unknown with moving images: contacts across sheared ends transfer the work of the
/// shear.)
template <class Body>
typename ImpulseLineSearch<Body>::AddedEnergy ImpulseLineSearch<Body>::FindAddedEnergy() const {
  const bool has_moving_walls = std::ranges::any_of(contacts_.walls, [](const WallPose& wall) {
    return wall.IsFree() || !wall.velocity.isZero(0.0) || wall.IsRotating() || wall.IsBelt();
  });
  const bool can_laws_add_energy = has_moving_walls && setup_.scene.HasActiveLaw();
  if (can_laws_add_energy || setup_.subdomains.Images().AreMoving()) return AddedEnergy::kUnknown;
  const auto add_all = [&](const auto& add) {
    AddEnergies(add);
    if (has_moving_walls) AddWorkOfWalls(add);
  };
  if (setup_.scheme.ghost_contacts) {
    ExactSum sum;
    add_all([&](double energy) { sum.Add(energy); });
    setup_.communicator.Sum(sum.Digits());
    return sum.Value() <= 0.0 ? AddedEnergy::kNone : AddedEnergy::kSome;
  }
  double sum = 0.0;
  add_all([&](double energy) { sum += energy; });
  return setup_.communicator.Sum(sum) <= 0.0 ? AddedEnergy::kNone : AddedEnergy::kSome;
}

template <class Body>
typename ImpulseLineSearch<Body>::Slope ImpulseLineSearch<Body>::FindSlope() const {
  double sums[2] = {WorkInContacts(false, solve_.batches, bodies_).all, 0.0};
  AddNorms([&](double norm) { sums[1] += norm; });
  setup_.communicator.Sum(sums);
  return {sums[0], sums[1]};
}

/// FindSlope by exact sums. If the contacts have the same bits on any number of ranks, so has the
/// slope.
template <class Body>
typename ImpulseLineSearch<Body>::Slope ImpulseLineSearch<Body>::FindExactSlope() const {
  ExactSum work, norms;
  for (std::size_t j = 0; j < contacts_.owned.size(); ++j) {
    work.Add(WorkInContact(solve_.batches, j, std::span<const Body>(bodies_)));
  }
  AddNorms([&](double norm) { norms.Add(norm); });
  setup_.communicator.Sum(work.Digits());
  setup_.communicator.Sum(norms.Digits());
  return {work.Value(), norms.Value()};
}

template class ImpulseLineSearch<SphereBody>;
template class ImpulseLineSearch<RigidBody>;

}  // namespace scree
