#include "engine/step/step_bonds.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "engine/contacts/bond_birth.hpp"
#include "engine/ranks/collective_error.hpp"
#include "engine/scene/wall_motion.hpp"
#include "engine/step/bond_damage.hpp"
#include "engine/step/bond_motion.hpp"

namespace scree {
namespace {

/// Fraction of the gap opened since birth that a bond closes in a step, in addition to the gap that
/// the turn in this step opens (bond_motion.hpp). Closing all of it would feed the jitter of the
/// sweeps. The closing velocity is at most the fraction kClosingFraction of the velocity change by
/// the bond's pull, because closing takes strength from other bonds.
constexpr double kClosedPerStep = 0.2, kClosingFraction = 0.01;
/// Number of steps in which no gaps are closed after bonds seemed to fail. Steps with failing bonds
/// cost many sweeps, and the closing of gaps may itself make bonds seem to fail.
constexpr std::int64_t kStepsWithoutClosing = 1000;
/// After an undecided step, the next step starts with this fraction of the impulses of bonds.
/// Redundant bonds may bear impulses against each other that nothing determines. After a break
/// these may stay at a limit: the bonds of a free fragment would seem to fail until it meets
/// another body. With 0.7 a mortar wall lost a bond before its limit load; with 0.9 fragments take
/// several times the sweeps.
constexpr double kKeptFraction = 0.8;

/// The impulse S σ_n dt by which a bond shifts the impulse of its contact.
double PullOf(const StepSetup& setup, const BondTable& bonds, const BondRow& row,
              std::uint32_t point) {
  const BondRule& rule = setup.scene.bonds[static_cast<std::size_t>(row.rule)];
  const double fraction = row.is_anchored ? bonds.At(row.bond).area_fraction[point] : 1.0;
  return fraction * row.area * rule.tension * row.strength * setup.parameters.dt;
}

/// Effective radius R of a contact [m]. It has the same bits after an exchange of the bodies.
double EffectiveRadiusOf(const RollingContact& rolling, const SphereBody& a, const SphereBody& b) {
  const bool is_flat = rolling.fraction_a == 1.0;  // b is a wall
  return is_flat ? a.radius : a.radius * b.radius / (a.radius + b.radius);
}
double EffectiveRadiusOf(const RollingContact& rolling, const RigidBody&, const RigidBody&) {
  return rolling.fraction_a;
}

/// Replaces the rolling and spinning friction of the pair by the limits of the moments of a bond.
/// @param radius    of the bond; 0: it resists no moments [m]
/// @param friction  σ_t/σ_n
/// @param last      L of the last step [N s]
void SetMoments(std::size_t number, double radius, double friction, const Vec3& last,
                StepSolve& solve) {
  auto& law = solve.batches.ArraysOf<RollingLaw>();
  const ContactSlot slot = solve.batches.SlotOf(number);
  const Contact contact = solve.batches.At(number);
  RollingContact data = law.At(slot);
  VisitBodies(solve.bodies, [&](const auto& typed) {
    const double effective_radius =
        EffectiveRadiusOf(data, typed.all[static_cast<std::size_t>(contact.a)],
                          typed.all[static_cast<std::size_t>(contact.b)]);
    data.rolling = radius / (4.0 * effective_radius);
    data.spinning = 0.5 * radius * friction / effective_radius;
  });
  const Vec3 impulse = solve.batches.Impulse(number);
  law.Set(slot, data, StartingLawImpulse<RollingLaw>(contact.normal, data, impulse, last));
}

/// Prefetches the data of a bond's contact. The colouring has scattered them over the batches.
SCREE_INLINE void Prefetch(const StepContacts& contacts, std::size_t k, StepSolve& solve) {
  constexpr std::size_t kAhead = 24;
  if (k + kAhead >= contacts.bonded.size()) return;
  const std::size_t number = contacts.bonded[k + kAhead].contact;
  solve.batches.PrefetchImpulse(number);
  const std::size_t batch = solve.batches.SlotOf(number).batch;
  __builtin_prefetch(&solve.batches.All()[batch].friction);
  const LawBatch<CohesionLaw>& shift = solve.batches.ArraysOf<CohesionLaw>().All()[batch];
  __builtin_prefetch(&shift.data);
  for (const Double8& part : shift.impulse) __builtin_prefetch(&part);
}

/// Relative distance from a limit at which CanFail still reports a bond.
constexpr double kNearly = 1e-6;

/// Whether a bond with moments may be at the limit of a moment.
/// @param normal  impulse of its contact, including the bond's shift [N s]
bool CanRotate(const ContactBatches& batches, ContactSlot slot, const Vec3& n, double normal) {
  const auto& rolling = batches.ArraysOf<RollingLaw>();
  if (!rolling.IsActive()) return false;
  const RollingContact data = rolling.At(slot);
  if (data.rolling == 0.0) return false;
  const Vec3 moment = rolling.Impulse(slot);
  const double twist = moment.dot(n), bend = (1.0 - kNearly) * data.rolling * normal;
  return (moment - twist * n).squaredNorm() >= bend * bend ||
         std::abs(twist) >= (1.0 - kNearly) * data.spinning * normal;
}

/// Whether a bond on this rank may seem to fail: its contact bears no impulse, or is at a limit.
/// Costs much less than FindBondFailures, whose conditions are narrower.
bool CanFail(const StepContacts& contacts, StepSolve& solve) {
  const std::span<const ContactBatch> batches = solve.batches.All();
  for (std::size_t k = 0; k < contacts.bonded.size(); ++k) {
    Prefetch(contacts, k, solve);
    const BondContact& bond_contact = contacts.bonded[k];
    const ContactSlot slot = solve.batches.SlotOf(bond_contact.contact);
    const ContactBatch& batch = batches[slot.batch];
    const Vec3& n = contacts.At(bond_contact.contact).normal;
    const Vec3 impulse(batch.impulse[0][slot.lane], batch.impulse[1][slot.lane],
                       batch.impulse[2][slot.lane]);
    const double normal = impulse.dot(n),
                 pull = solve.batches.ArraysOf<CohesionLaw>().At(slot).pull;
    const double limit = (1.0 - kNearly) * batch.friction[slot.lane] * normal;
    const double sliding = impulse.squaredNorm() - normal * normal;
    if (normal <= kNearly * pull || sliding >= limit * limit) return true;
    if (CanRotate(solve.batches, slot, n, normal)) return true;
  }
  return false;
}

/// Erases the bonds with walls that have been removed since the last step.
void EraseBondsOfRemovedWalls(const StepSetup& setup, const BondBodies& bodies,
                              const CandidateLists& lists, StepBonds& bonds) {
  std::vector<std::uint8_t> absent_walls;
  for (const WallPose& pose : bodies.walls) absent_walls.push_back(pose.is_present ? 0 : 1);
  if (absent_walls == bonds.absent_walls) return;
  bonds.absent_walls = std::move(absent_walls);
  bonds.table.EraseOfWalls(bonds.absent_walls);
  bonds.table.Bind(setup.communicator, bodies.particles, lists.halo, setup.scheme.ghost_contacts);
}

/// Bonds move with the belts to which they hold.
void MoveOnBelts(std::span<const WallPose> walls, double dt, BondTable& bonds) {
  if (std::ranges::none_of(walls, &WallPose::IsBelt)) return;
  for (const BondRow& row : bonds.Rows()) {
    const Bond& bond = bonds.At(row.bond);
    if (bond.wall < 0) continue;
    const WallPose& pose = walls[static_cast<std::size_t>(bond.wall)];
    if (!pose.IsBelt()) continue;
    const Vec3 velocity = pose.BeltVelocityAt(pose.DirectionInSpace(bond.normal));
    bonds.MoveOnWall(
        row.bond, dt * (pose.is_rotated ? Vec3(pose.rotation.transpose() * velocity) : velocity));
  }
}

/// One per rule: whether its bonds are born in this step.
std::vector<std::uint8_t> FindDueRules(const StepSetup& setup, std::int64_t step,
                                       const StepBonds& bonds) {
  constexpr double kBelow = 1.0 - 1e-12;  // times are multiples of a rounded step
  const double current_time = setup.TimeOf(step);
  const bool is_first_step = bonds.born_until < 0;
  const double last_time = setup.TimeOf(bonds.born_until);
  std::vector<std::uint8_t> is_due;
  for (const BondRule& rule : setup.scene.bonds) {
    const double time = kBelow * rule.time;
    is_due.push_back(current_time >= time && (is_first_step || last_time < time) ? 1 : 0);
  }
  return is_due;
}

/// Adds the bonds of the rules that are due.
void AddNewBonds(const StepSetup& setup, std::int64_t step, const BondBodies& bodies,
                 std::span<const std::uint8_t> is_due, const CandidateLists& lists,
                 const StepContacts& contacts, StepBonds& bonds) {
  const NewBonds new_bonds =
      MakeBonds(bodies, bonds.table, contacts.found.All(), contacts.wall_bodies, is_due,
                setup.communicator, lists.halo, setup.TimeOf(step));
  ThrowIfAny<InputError>(setup.communicator, new_bonds.error);
  bonds.table.Add(setup.communicator, new_bonds.bonds, new_bonds.homes);
  bonds.table.Bind(setup.communicator, bodies.particles, lists.halo, setup.scheme.ghost_contacts);
}

/// Sets friction, shift, bias and starting impulses of the contacts of brittle bonds.
void AssembleBrittle(const StepSetup& setup, const Particles& particles,
                     const StepContacts& contacts, const WarmStart* warm_start,
                     const StepBonds& bonds, StepSolve& solve) {
  const StepParameters& parameters = setup.parameters;
  const double current_time = setup.TimeOf(contacts.step);
  ContactBatches& batches = solve.batches;
  const BondMotion motion(setup.scene, particles, contacts, bonds.table, solve);
  const auto inverse_mass = [&](Index body) {
    return solve.inverse_masses[static_cast<std::size_t>(body)];
  };
  for (std::size_t k = 0; k < contacts.bonded.size(); ++k) {
    Prefetch(contacts, k, solve);
    const BondContact& bond_contact = contacts.bonded[k];
    const BondRow& row = bonds.table.Rows()[bond_contact.row];
    const BondRule& rule = setup.scene.bonds[static_cast<std::size_t>(row.rule)];
    const DetectedContact& contact = contacts.At(bond_contact.contact);
    const Vec3& n = contact.normal;
    const double pull = PullOf(setup, bonds.table, row, bond_contact.point),
                 friction = rule.shear / rule.tension;
    const ContactSlot slot = batches.SlotOf(bond_contact.contact);
    ContactBatch& batch = batches.All()[slot.batch];
    batch.friction[slot.lane] = friction;
    double bias = 0.0;
    if (contact.gap > 0.0 && contacts.step >= bonds.close_from) {
      bias =
          std::min(kClosedPerStep * contact.gap / parameters.dt,
                   kClosingFraction * pull * (inverse_mass(contact.a) + inverse_mass(contact.b)));
    }
    if (contact.gap <= 0.0) {
      bias = PositionSweeps(parameters) > 0
                 ? 0.0
                 : std::max(parameters.error_reduction * contact.gap / parameters.dt,
                            -setup.correction_speed);
    }
    batch.bias[slot.lane] = bias + VisitBodies(solve.bodies, [&](const auto& typed) {
                              return motion.ClosingSpeed(typed.all, bond_contact, parameters.dt);
                            });

    // The stored impulse, plus the shift if the bond is new. After an undecided step, kKeptFraction
    // of its difference from the shift is kept. Without a stored impulse, the shift.
    Vec3 start = pull * n;
    if (warm_start != nullptr && contact.stored_entry != kNoStoredImpulse) {
      const Vec3& stored = warm_start->EntryAt(contact.stored_entry).impulse;
      if (row.born == current_time) {
        start += stored;
      } else {
        start = bonds.is_undecided ? Vec3(start + kKeptFraction * (stored - start)) : stored;
      }
    }
    const double normal = start.dot(n);
    const Vec3 tangential = start - normal * n;
    const double limit = friction * normal, length = tangential.norm();
    const double scale = length > limit ? limit / length : 1.0;
    batches.SetImpulse(bond_contact.contact,
                       normal > 0.0 ? Vec3(normal * n + scale * tangential) : Vec3(Vec3::Zero()));
    batches.ArraysOf<CohesionLaw>().Set(slot, {pull}, -pull * n);
    if (batches.ArraysOf<RollingLaw>().IsActive()) {
      const bool has_moments = rule.moments && !row.is_anchored;
      const Vec3 last = warm_start != nullptr && has_moments
                            ? warm_start->LawAt<RollingLaw>(contact.stored_entry)
                            : Vec3(Vec3::Zero());
      SetMoments(bond_contact.contact, has_moments ? std::sqrt(row.area / std::numbers::pi) : 0.0,
                 friction, last, solve);
    }
  }
}

/// Contacts of bonds do not rebound.
void RemoveRebounds(const StepSetup& setup, std::span<const BondContact> bonded, StepSolve& solve) {
  if (bonded.empty()) return;
  if (solve.batches.Kind() == BodyKind::kRigid && setup.restitution.CanRebound()) {
    for (const BondContact& bond_contact : bonded) {
      solve.batches.SetRestitutionSlip(bond_contact.contact, Vec3::Zero());
    }
  }
  std::erase_if(solve.impacts, [&](Index j) {
    return std::ranges::binary_search(bonded, static_cast<std::uint32_t>(j), {},
                                      &BondContact::contact);
  });
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
  const auto detect = [&](const ActivationRule& detection_rule) {
    contacts.found.Begin();
    contacts.deepest = DetectContacts(particles, velocities, lists.halo, lists.neighbors,
                                      setup.scene, contacts.walls, detection_rule, warm_start,
                                      contacts.buffers, contacts.found, contacts.wall_bodies);
    contacts.found.End();
  };
  const BondBodies bodies = {
      particles,      lists.halo.shift, contacts.buffers.members,    setup.scene,
      contacts.walls, warm_start,       contacts.buffers.walls.query};
  EraseBondsOfRemovedWalls(setup, bodies, lists, bonds);
  const std::vector<std::uint8_t> is_due = FindDueRules(setup, step, bonds);
  bonds.born_until = step;
  if (std::ranges::count(is_due, 1) > 0) {
    // Faces are bonded on the polygon of all their contact points. The step itself needs only four.
    ActivationRule whole = rule;
    whole.whole_manifolds = true;
    detect(whole);
    AddNewBonds(setup, step, bodies, is_due, lists, contacts, bonds);
  }
  detect(rule);
  contacts.owned.Begin(SharedMarks(setup, lists));
  const bool has_ghosts = setup.scheme.ghost_contacts;
  if (has_ghosts) contacts.ghosts.Begin();
  MergeBondContacts(bodies, bonds.table, contacts.found, contacts.wall_bodies,
                    {contacts.owned, has_ghosts ? &contacts.ghosts : nullptr,
                     setup.communicator.Rank(), lists.halo},
                    contacts.bonded);
  contacts.owned.End();
  contacts.damaging.clear();
  if (!setup.scene.HasDamageBonds()) return;
  const auto is_brittle = [&](const BondContact& bond_contact) {
    const BondRow& row = bonds.table.Rows()[bond_contact.row];
    return setup.scene.bonds[static_cast<std::size_t>(row.rule)].IsBrittle();
  };
  const auto damaging = std::ranges::stable_partition(contacts.bonded, is_brittle);
  contacts.damaging.assign(damaging.begin(), damaging.end());
  contacts.bonded.erase(damaging.begin(), damaging.end());
}

void AssembleBonds(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                   const WarmStart* warm_start, const StepBonds& bonds, StepSolve& solve) {
  AssembleBrittle(setup, particles, contacts, warm_start, bonds, solve);
  AssembleDamage(setup, contacts, bonds.table, solve);
  RemoveRebounds(setup, contacts.bonded, solve);
  RemoveRebounds(setup, contacts.damaging, solve);
}

void SolveBonds(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                Halo& halo, PhaseTimer& timer, StepSolve& solve, StepBonds& bonds) {
  bonds.failures.clear();
  bonds.is_undecided = false;
  if (setup.scene.bonds.empty()) return;
  SweepDamage(setup, particles, contacts, halo, timer, solve);
  const bool is_alert = contacts.step < bonds.close_from;
  if (!is_alert) {
    const std::int64_t can_fail = CanFail(contacts, solve) ? 1 : 0;
    if (setup.communicator.Max(can_fail) == 0) return;
  }
  const FailureSearch search = FindBondFailures(setup, particles, contacts, halo, timer, solve,
                                                bonds.table, is_alert, bonds.failures);
  bonds.is_undecided = search.is_undecided;
  if (search.has_candidates) bonds.close_from = contacts.step + kStepsWithoutClosing * setup.stride;
}

double UpdateBonds(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                   const StepSolve& solve, const CandidateLists& lists, WarmStart* warm_start,
                   StepBonds& bonds) {
  MoveOnBelts(contacts.walls, setup.parameters.dt, bonds.table);
  BreakBonds(setup, particles, contacts, solve, lists, bonds.failures, warm_start, bonds.table);
  return UpdateDamage(setup, contacts, solve, lists, bonds.table);
}

}  // namespace scree
