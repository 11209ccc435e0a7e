#include "engine/step/step_bonds.hpp"

#include <algorithm>
#include <vector>

#include "engine/contacts/bond_birth.hpp"
#include "engine/contacts/ghost_contacts.hpp"
#include "engine/ranks/collective_error.hpp"
#include "engine/scene/wall_motion.hpp"

namespace scree {
namespace {

/// Fraction of the gap since birth that a step closes. All of it would feed the jitter of the
/// sweeps. The velocity is at most the fraction kGently of the change by the bond's pull, because
/// it takes strength from other bonds.
constexpr double kClosed = 0.2, kGently = 0.01;
/// Steps without this after a step in which bonds seemed to fail. Such a step costs many sweeps,
/// and closing gaps may be what makes bonds seem to fail.
constexpr std::int64_t kLeftFor = 1000;

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
                   const WarmStart* warm_start, const StepBonds& bonds, StepSolve& solve) {
  const StepParameters& parameters = setup.parameters;
  const double now = setup.TimeOf(contacts.step);
  ContactBatches& batches = solve.batches;
  const auto inverse_mass = [&](Index body) {
    return solve.inverse_masses[static_cast<std::size_t>(body)];
  };
  for (const BondContact& one : contacts.bonded) {
    const Bond& bond = bonds.table.At(one.bond);
    const BondRule& rule = setup.scene.bonds[static_cast<std::size_t>(bond.rule)];
    const DetectedContact& contact = contacts.At(one.contact);
    const Vec3& n = contact.normal;
    const double pull = PullOf(setup, bond, one.point), friction = rule.shear / rule.tension;
    const ContactSlot slot = batches.SlotOf(one.contact);
    ContactBatch& batch = batches.All()[slot.batch];
    batch.friction[slot.lane] = friction;
    double bias = 0.0;
    if (contact.gap > 0.0 && contacts.step >= bonds.gaps_left_until) {
      bias = std::min(kClosed * contact.gap / parameters.dt,
                      kGently * pull * (inverse_mass(contact.a) + inverse_mass(contact.b)));
    }
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

void FindFailures(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                  Halo& halo, PhaseTimer& timer, StepSolve& solve, StepBonds& bonds) {
  const bool is_alert = contacts.step < bonds.gaps_left_until;
  const bool any = FindBondFailures(setup, particles, contacts, halo, timer, solve, bonds.table,
                                    is_alert, bonds.failures);
  if (any) bonds.gaps_left_until = contacts.step + kLeftFor * setup.stride;
}

}  // namespace scree
