#include "engine/step/step_bonds.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "engine/contacts/bond_birth.hpp"
#include "engine/contacts/ghost_contacts.hpp"
#include "engine/ranks/collective_error.hpp"
#include "engine/scene/wall_motion.hpp"
#include "solvers/base/check.hpp"
#include "solvers/sweeps/residual.hpp"

namespace scree {
namespace {

/// Fraction of a bond's pull below which a contact carries nothing.
constexpr double kUnloaded = 1e-9;
/// A velocity that opens or slides is one if it is larger than this fraction of the change of
/// velocity by the bond's pull.
constexpr double kRounding = 1e-9;
/// A bond breaks if its contact opens or slides at a velocity that is larger than kClear times the
/// change of velocity by its pull and than kSettled times the residual of the contacts of both
/// bodies. A smaller velocity must be larger than kConverged times the residual, which understates
/// the error of velocities by far.
constexpr double kClear = 0.1, kSettled = 10.0, kConverged = 1e6;
/// Fraction of the gap since birth that a step closes. All of it would feed the jitter of the
/// sweeps.
constexpr double kClosed = 0.2;

const DetectedContact& ContactAt(const StepContacts& contacts, std::size_t j) {
  const std::size_t owned = contacts.treated.size();
  return j < owned ? contacts.treated[j] : contacts.mirrors[j - owned];
}

/// The impulse S σ_n dt by which the bond of a contact shifts it.
double PullOf(const StepSetup& setup, const Bond& bond, std::uint32_t point) {
  const BondRule& rule = setup.scene.bonds[static_cast<std::size_t>(bond.rule)];
  const double share = bond.points > 0 ? bond.share[point] : 1.0;
  return share * bond.area * rule.tension * bond.strength * setup.parameters.dt;
}

/// Adds the bonds of the rules that are due.
void AddNewBonds(const StepSetup& setup, std::int64_t step, const BondBodies& bodies,
                 const CandidateLists& lists, const StepContacts& contacts, StepBonds& bonds) {
  constexpr double kBelow = 1.0 - 1e-12;  // times are multiples of a rounded step
  const double now = setup.TimeOf(step);
  const bool is_first = bonds.born_until < 0;
  const double before = setup.TimeOf(bonds.born_until);
  bonds.born_until = step;
  std::vector<std::uint8_t> is_due;
  for (const BondRule& rule : setup.scene.bonds) {
    const double time = kBelow * rule.time;
    is_due.push_back(now >= time && (is_first || before < time) ? 1 : 0);
  }
  if (std::ranges::count(is_due, 1) == 0) return;
  const NewBonds made = MakeBonds(bodies, bonds.table, contacts.found.All(), contacts.wall_bodies,
                                  is_due, setup.communicator, lists.halo, now);
  ThrowIfAny<InputError>(setup.communicator, made.error);
  bonds.table.Add(setup.communicator, made.bonds, made.homes);
  bonds.table.Bind(setup.communicator, bodies.particles, lists.halo, setup.scheme.mirrors);
}

double ResidualAt(const StepSolve& solve, std::size_t j, const std::vector<SphereBody>& bodies,
                  Kernel) {
  return ResidualAt(solve.batches, j, bodies);
}
double ResidualAt(const StepSolve& solve, std::size_t j, const std::vector<RigidBody>& bodies,
                  Kernel kernel) {
  const bool is_coulomb = kernel == Kernel::kCoulomb;
  return ResidualAt(solve.batches, j, bodies,
                    is_coulomb ? ContactLaw::kCoulomb : ContactLaw::kMaxDissipation);
}

Vec3 VelocityOfBond(const ContactBatches&, std::size_t, const Vec3& normal, const SphereBody& a,
                    const SphereBody& b) {
  return RelativeVelocity(a, b, normal);
}
Vec3 VelocityOfBond(const ContactBatches& batches, std::size_t j, const Vec3&, const RigidBody& a,
                    const RigidBody& b) {
  return RelativeVelocity(a, b, batches.ArmsAt(j));
}

double MobilityOfBond(const ContactBatches&, std::size_t, const Vec3&, const SphereBody& a,
                      const SphereBody& b) {
  return a.inverse_mass + b.inverse_mass;
}
double MobilityOfBond(const ContactBatches& batches, std::size_t j, const Vec3& normal,
                      const RigidBody& a, const RigidBody& b) {
  const ContactArms arms = batches.ArmsAt(j);
  return NormalMobility(a, arms.a, normal) + NormalMobility(b, arms.b, normal);
}

/// A body of the solve at its velocities before the step.
SphereBody BeforeStep(SphereBody body, const Particles& particles, Index i) {
  const auto k = static_cast<std::size_t>(i);
  if (k >= particles.Size()) return body;  // a wall
  body.v = particles.velocity[k];
  body.u = particles.radius[k] * particles.angular_velocity[k];
  return body;
}
RigidBody BeforeStep(RigidBody body, const Particles& particles, Index i) {
  const auto k = static_cast<std::size_t>(i);
  if (k >= particles.Size()) return body;
  body.v = particles.velocity[k];
  body.omega = particles.angular_velocity[k];
  return body;
}

/// A contact whose solution breaks its bond.
struct Failure {
  BondContact contact;
  BondState state = BondState::kIntact;
  double velocity = 0.0;    // at which it opens or slides [m/s]
  double scale = 0.0;       // change of velocity by the pull [m/s]
  bool is_growing = false;  // whether this velocity is larger than before the step
};

template <class Body>
void FindFailures(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                  const StepSolve& solve, const std::vector<Body>& bodies, const BondTable& bonds,
                  std::vector<Failure>& failures) {
  for (const BondContact& one : contacts.bonded) {
    const Contact contact = solve.batches.At(one.contact);
    const Vec3& n = contact.normal;
    const Body& a = bodies[static_cast<std::size_t>(contact.a)];
    const Body& b = bodies[static_cast<std::size_t>(contact.b)];
    const auto slip_of = [&n](const Vec3& v) { return (v - v.dot(n) * n).norm(); };
    const Vec3 velocity = VelocityOfBond(solve.batches, one.contact, n, a, b);
    const Vec3 before =
        VelocityOfBond(solve.batches, one.contact, n, BeforeStep(a, particles, contact.a),
                       BeforeStep(b, particles, contact.b));
    const Vec3 impulse = solve.batches.Impulse(one.contact);
    const double pull = PullOf(setup, bonds.At(one.bond), one.point);
    const double scale = pull * MobilityOfBond(solve.batches, one.contact, n, a, b);
    const double tiny = kRounding * scale;
    const double normal = impulse.dot(n), opening = velocity.dot(n), slip = slip_of(velocity);
    if (normal <= kUnloaded * pull) {
      if (opening <= tiny) continue;
      failures.push_back(
          {one, BondState::kBrokenByTension, opening, scale, opening > before.dot(n)});
    } else if (slip_of(impulse) >= (1.0 - kUnloaded) * contact.friction * normal && slip > tiny) {
      failures.push_back({one, BondState::kBrokenByShear, slip, scale, slip > slip_of(before)});
    }
  }
}

/// The largest residual of the contacts of each body, over all ranks. Collective.
template <class Body>
std::vector<double> ResidualsOfBodies(const StepSetup& setup, const StepSolve& solve,
                                      const std::vector<Body>& bodies, ExchangePlan& plan) {
  std::vector<double> largest(bodies.size(), 0.0);
  for (std::size_t j = 0; j < solve.batches.Size(); ++j) {
    const Contact contact = solve.batches.At(j);
    const double r = ResidualAt(solve, j, bodies, setup.parameters.solver.kernel);
    for (const Index body : {contact.a, contact.b}) {
      double& of_body = largest[static_cast<std::size_t>(body)];
      of_body = std::max(of_body, r);
    }
  }
  if (plan.IsEmpty()) return largest;
  plan.ScatterAdd<double>(
      setup.communicator, [&](Index ghost) { return largest[static_cast<std::size_t>(ghost)]; },
      [&](Index i, double r) {
        double& of_body = largest[static_cast<std::size_t>(i)];
        of_body = std::max(of_body, r);
      });
  plan.Gather(setup.communicator, std::span(largest));
  return largest;
}

/// Breaks the bonds that fail clearly, and counts those that wait.
void BreakClearFailures(const StepSetup& setup, const Particles& particles,
                        const StepContacts& contacts, const StepSolve& solve,
                        std::span<const double> residuals, std::vector<Failure>& failures,
                        BondTable& bonds) {
  const double end = setup.TimeOf(contacts.step + setup.stride);
  // The worst point of each bond, tension first: a bond that opens and slides breaks by tension.
  std::ranges::stable_sort(failures, [](const Failure& one, const Failure& other) {
    return std::tuple(one.contact.bond, one.state, -one.velocity) <
           std::tuple(other.contact.bond, other.state, -other.velocity);
  });
  const auto same = [](const Failure& one, const Failure& other) {
    return one.contact.bond == other.contact.bond;
  };
  failures.erase(std::unique(failures.begin(), failures.end(), same), failures.end());
  std::int64_t waiting = 0;
  for (const Failure& failure : failures) {
    const Contact contact = solve.batches.At(failure.contact.contact);
    double residual = residuals[static_cast<std::size_t>(contact.a)];
    if (static_cast<std::size_t>(contact.b) < particles.Size()) {
      residual = std::max(residual, residuals[static_cast<std::size_t>(contact.b)]);
    }
    const double v = failure.velocity;
    const bool is_clear = v > kClear * failure.scale && v > kSettled * residual;
    if (failure.is_growing && (is_clear || v > kConverged * residual)) {
      bonds.Break(failure.contact.bond, failure.state, end);
    } else {
      waiting += failure.contact.contact < contacts.treated.size() ? 1 : 0;
    }
  }
  bonds.SetWaiting(waiting);
}

/// The stored impulse of a contact whose bond has broken is that without the bond's shift.
void StoreWithoutBond(const StepContacts& contacts, std::size_t j, const Vec3& impulse, double pull,
                      const ContactBodies& numbers, WarmStart& warm_start) {
  const DetectedContact& contact = ContactAt(contacts, j);
  const LocalPartner partner = numbers.PartnerOf(contact.b);
  const Index k = partner.IsSurface() ? warm_start.FindSurface(contact.a, partner.Surface(),
                                                               contact.members, contact.normal)
                                      : warm_start.Find(contact.a, partner, contact.members);
  if (k == kNoStoredImpulse) return;
  const double normal = impulse.dot(contact.normal) - pull;
  warm_start.SetImpulse(k,
                        normal > 0.0 ? Vec3(impulse - pull * contact.normal) : Vec3(Vec3::Zero()));
}

}  // namespace

void FindContacts(const StepSetup& setup, const ActivationRule& rule, std::int64_t step,
                  FreeWallStates free_walls, const Particles& particles,
                  std::span<const Vec3> velocities, CandidateLists& lists,
                  const WarmStart* warm_start, StepBonds& bonds, StepContacts& contacts) {
  if (setup.scene.bonds.empty()) {
    return FindContacts(setup, rule, step, free_walls, particles, velocities, lists, warm_start,
                        contacts);
  }
  contacts.step = step;
  WallPoses(setup.scene, setup.base, step, free_walls, contacts.walls, setup.stride);
  contacts.first_wall_body = particles.Size();
  contacts.found.Begin();
  contacts.deepest = DetectContacts(particles, velocities, lists.halo, lists.neighbors, setup.scene,
                                    contacts.walls, rule, warm_start, contacts.buffers,
                                    contacts.found, contacts.wall_bodies);
  contacts.found.End();
  const BondBodies bodies = {particles,   lists.halo.shift, contacts.buffers.members,
                             setup.scene, contacts.walls,   warm_start};
  AddNewBonds(setup, step, bodies, lists, contacts, bonds);
  contacts.treated.Begin(MarksOf(setup, lists));
  MergeBondContacts(bodies, bonds.table, contacts.found, contacts.wall_bodies, contacts.treated);
  contacts.treated.End();
  if (setup.scheme.mirrors) {
    SplitGhostContacts(setup.communicator.Rank(), particles, lists.halo, contacts.treated,
                       contacts.mirrors);
  }
  FindBondContacts(bodies, bonds.table, contacts.wall_bodies, contacts.treated, contacts.mirrors,
                   contacts.bonded);
}

void AssembleBonds(const StepSetup& setup, const StepContacts& contacts,
                   const WarmStart* warm_start, const BondTable& bonds, StepSolve& solve) {
  const StepParameters& parameters = setup.parameters;
  const double now = setup.TimeOf(contacts.step);
  ContactBatches& batches = solve.batches;
  for (const BondContact& one : contacts.bonded) {
    const Bond& bond = bonds.At(one.bond);
    const BondRule& rule = setup.scene.bonds[static_cast<std::size_t>(bond.rule)];
    const DetectedContact& contact = ContactAt(contacts, one.contact);
    const Vec3& n = contact.normal;
    const double pull = PullOf(setup, bond, one.point), friction = rule.shear / rule.tension;
    const ContactSlot slot = batches.SlotOf(one.contact);
    ContactBatch& batch = batches.All()[slot.batch];
    batch.friction[slot.lane] = friction;
    double bias = kClosed * contact.gap / parameters.dt;
    if (contact.gap <= 0.0) {
      bias = PositionSweeps(parameters) > 0
                 ? 0.0
                 : std::max(parameters.error_reduction * contact.gap / parameters.dt,
                            -setup.correction_speed);
    }
    batch.bias[slot.lane] = bias;

    // The impulse of the last step, which has the shift, or the shift alone.
    Vec3 start = pull * n;
    if (warm_start != nullptr && contact.last != kNoStoredImpulse) {
      const Vec3& stored = warm_start->EntryAt(contact.last).impulse;
      start = bond.born == now ? Vec3(stored + start) : stored;
    }
    const double normal = start.dot(n);
    const Vec3 tangential = start - normal * n;
    const double limit = friction * normal, length = tangential.norm();
    const double scale = length > limit ? limit / length : 1.0;
    batches.SetImpulse(one.contact,
                       normal > 0.0 ? Vec3(normal * n + scale * tangential) : Vec3(Vec3::Zero()));
    batches.Of<CohesionLaw>().Set(slot, {pull}, -pull * n);
    if (auto& rolling = batches.Of<RollingLaw>(); rolling.Acts()) {
      auto data = rolling.At(slot);
      data.rolling = data.spinning = 0.0;
      rolling.Set(slot, data, Vec3::Zero());
    }
    if (batches.Kind() == BodyKind::kRigid && setup.restitution.Any()) {
      batches.SetRecoil(one.contact, Vec3::Zero());
    }
  }
  std::erase_if(solve.impacts, [&](Index j) {
    return std::ranges::binary_search(contacts.bonded, static_cast<std::uint32_t>(j), {},
                                      &BondContact::contact);
  });
}

void BreakBonds(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                const StepSolve& solve, CandidateLists& lists, WarmStart* warm_start,
                BondTable& bonds) {
  if (setup.scene.bonds.empty()) return;
  bonds.SetWaiting(0);
  std::vector<Failure> failures;
  With(solve.bodies, [&](const auto& of) {
    FindFailures(setup, particles, contacts, solve, of.all, bonds, failures);
  });
  if (setup.communicator.Max(std::int64_t{!failures.empty()}) == 0) return;
  const std::vector<double> residuals = With(solve.bodies, [&](const auto& of) {
    return ResidualsOfBodies(setup, solve, of.all, lists.halo.plan);
  });
  BreakClearFailures(setup, particles, contacts, solve, residuals, failures, bonds);
  if (warm_start != nullptr) {
    const ContactBodies numbers(particles, contacts.wall_bodies);
    for (const BondContact& one : contacts.bonded) {
      const Bond& bond = bonds.At(one.bond);
      if (bond.IsIntact() || bond.points > 0) continue;
      StoreWithoutBond(contacts, one.contact, solve.batches.Impulse(one.contact),
                       PullOf(setup, bond, one.point), numbers, *warm_start);
    }
  }
  bonds.ReportBreaks(setup.communicator, lists.halo);
}

}  // namespace scree
