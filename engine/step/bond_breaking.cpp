#include "engine/step/bond_breaking.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

#include "engine/step/bond_damage.hpp"
#include "engine/step/bond_motion.hpp"

namespace scree {
namespace {

/// Below this fraction of a bond's pull, the normal impulse of its contact counts as zero.
constexpr double kUnloaded = 1e-9;
/// Velocities at a bond count as zero up to this fraction of the velocity change by the bond's
/// pull. Smaller velocities are rounding errors of the sweeps, or will grow.
constexpr double kSmall = 1e-7;
/// If the rounds leave a bond undecided, it breaks if f grows by more than this fraction of the
/// velocity change by its pull.
constexpr double kClearGrowth = 0.1;
/// The error of f is taken as kMargin times its estimate, but at least as kUnrestFactor times the
/// largest velocity at bonds that hold.
constexpr double kMargin = 4.0, kUnrestFactor = 100.0;
/// Changes of f below this fraction of its growth in the step count as zero: f has converged.
constexpr double kSettled = 1e-6;
/// A bond that holds counts as at rest below this fraction of the velocity change by its pull.
constexpr double kQuiet = 1e-4;
/// A bond that will hold loses at least this fraction of its opening velocity in a step.
constexpr double kStopping = 1e-4;
/// An undecided bond breaks when it has opened or slipped by this fraction of the path on which its
/// pull would move it in a step. With 0.1 a beam at 0.8 of its failure load broke after 1100 steps.
constexpr double kBreakingPath = 0.5;
/// An undecided bond also breaks after this fraction of the rounding radius of its bodies. While
/// bodies that are bonded at a few points rotate against each other, their corners overlap by up to
/// about the path of these points.
constexpr double kBreakingPathOfRounding = 0.25;
/// Maximum number of sweeps of a step, including its rounds. At least two rounds are done.
constexpr int kMaxSweeps = 10240;

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

double RollingMobility(const RollingContact& rolling, const SphereBody& a, const SphereBody& b) {
  return RollingLaw::ScalarBlock(rolling, a.inverse_mass, b.inverse_mass);
}
double RollingMobility(const RollingContact& rolling, const RigidBody& a, const RigidBody& b) {
  return RollingLaw::ScalarBlock(rolling, a, b);
}

/// Limits of the moments of a bond's contact; zero if the contact resists no moments.
RollingContact MomentsOf(const ContactBatches& batches, std::size_t j) {
  const auto& law = batches.ArraysOf<RollingLaw>();
  return law.IsActive() ? law.At(batches.SlotOf(j)) : RollingContact{};
}

double TangentialSpeed(const Vec3& velocity, const Vec3& n) {
  return (velocity - velocity.dot(n) * n).norm();
}
Vec3 TangentialDirection(const Vec3& velocity, const Vec3& n) {
  return (velocity - velocity.dot(n) * n).normalized();
}

/// Data of the whole step for the decision about each bond.
struct FailureLimits {
  double unrest = 0.0;        // largest velocity at bonds that hold, before or after the step [m/s]
  double held = 0.0;          // largest velocity at bonds that hold, after the step [m/s]
  bool is_undecided = false;  // the rounds ended before all bonds were decided
  double dt = 0.0;            // [s]
};

/// The velocity f of one contact, updated after each round.
struct FailingContact {
  BondState state = BondState::kIntact;  // how it fails; kIntact: it holds
  double velocity = 0.0;                 // f, beyond `closing` [m/s]
  double before = 0.0;                   // f before the step (bond_motion.hpp) [m/s]
  double changes[2] = {};                // d₁ and d₂ [m/s]
  double scale = 0.0;                    // velocity change by the pull [m/s]
  double held_velocity = 0.0;            // velocity if the contact holds, else 0 [m/s]
  double displacement = 0.0;             // from birth to this step, in the direction of f [m]
  double closing = 0.0;                  // speed for the turn (bond_motion.hpp) [m/s]
  double rounding = 0.0;                 // rounding radius at an anchored bond; 0: no limit [m]

  void SetVelocity(double f) {
    changes[0] = std::exchange(changes[1], std::abs(f - velocity));
    velocity = f;
  }
  /// Error of f [m/s]; infinite: unknown.
  double Error() const {
    const double settled = std::max(kSmall * scale, kSettled * std::abs(Growth()));
    if (std::max(changes[0], changes[1]) <= settled) return settled;
    const double q = changes[1] / changes[0];
    if (!(q < 1.0)) return std::numeric_limits<double>::infinity();
    const double x = 0.5 * (std::sqrt(1.0 + 4.0 * q) - 1.0);
    return kMargin * changes[1] * std::max(1.0, x * x / (1.0 - x * x));
  }
  /// Growth of f in the step [m/s]. An opening velocity that loses less than the fraction
  /// kStopping counts as growing.
  double Growth() const { return velocity - (1.0 - kStopping) * std::max(before, 0.0); }
  bool HasFailed(const FailureLimits& limits) const {
    if (Growth() > std::max(Error(), kUnrestFactor * limits.unrest)) return true;
    if (!limits.is_undecided) return false;
    if (Growth() > std::max(kClearGrowth * scale, kMargin * changes[1])) return true;
    if (IsDecided(limits.unrest)) return false;
    if (rounding > 0.0 && displacement > kBreakingPathOfRounding * rounding) return true;
    return velocity > limits.held && displacement > kBreakingPath * scale * limits.dt;
  }
  bool IsDecided(double unrest) const {
    if (state == BondState::kIntact) return held_velocity <= kQuiet * scale;
    return std::max(Error(), kUnrestFactor * unrest) < std::abs(Growth());
  }
};

class FailingContacts {
 public:
  FailingContacts(const Scene& scene, const Particles& particles, const StepContacts& contacts,
                  const BondTable& bonds, const StepSolve& solve, double dt)
      : scene_(scene),
        particles_(particles),
        contacts_(contacts),
        bonds_(bonds),
        solve_(solve),
        motion_(scene, particles, contacts, bonds, solve),
        failing_(contacts.bonded.size()) {
    VisitBodies(solve.bodies, [&](const auto& typed) {
      for (std::size_t k = 0; k < failing_.size(); ++k)
        failing_[k].closing = motion_.ClosingSpeed(typed.all, contacts.bonded[k], dt);
    });
  }

  /// Bonds close no gaps in the rest of the step, except those that the turn in this step opens.
  void ReleaseGaps(ContactBatches& batches) const {
    for (std::size_t k = 0; k < failing_.size(); ++k) {
      const ContactSlot slot = batches.SlotOf(contacts_.bonded[k].contact);
      batches.All()[slot.batch].bias[slot.lane] = failing_[k].closing;
    }
  }

  /// Updates all contacts with the velocities after a round.
  void Update() {
    VisitBodies(solve_.bodies, [&](const auto& typed) {
      for (std::size_t k = 0; k < failing_.size(); ++k)
        Update(typed.all, contacts_.bonded[k], failing_[k]);
    });
  }
  /// Whether bonds seem to fail or, if is_alert, whether bonds that hold are not at rest.
  bool HasCandidates(bool is_alert) const {
    return std::ranges::any_of(failing_, [&](const FailingContact& failing) {
      return failing.state != BondState::kIntact || (is_alert && !failing.IsDecided(0.0));
    });
  }
  /// @param unrest  largest velocity at bonds that hold, over all ranks [m/s]
  bool AreDecided(double unrest) const {
    return std::ranges::all_of(
        failing_, [&](const FailingContact& failing) { return failing.IsDecided(unrest); });
  }
  /// The largest velocity after the step at bonds that hold, and the largest velocity before the
  /// step at bonds that hold or slow down [m/s].
  std::array<double, 2> RemainingVelocities() const {
    double after = 0.0, before = 0.0;
    VisitBodies(solve_.bodies, [&](const auto& typed) {
      for (std::size_t k = 0; k < failing_.size(); ++k) {
        const BondContact& bond_contact = contacts_.bonded[k];
        const bool is_intact = failing_[k].state == BondState::kIntact;
        after = std::max(after, failing_[k].held_velocity);
        if (is_intact || failing_[k].Growth() < 0.0) {
          const MotionBefore motion = motion_.Before(
              typed.all, bond_contact, MomentsOf(solve_.batches, bond_contact.contact));
          before = std::max({before, motion.velocity.norm(), motion.rolling.norm()});
        }
      }
    });
    return {after, before};
  }
  /// Reports one contact of each bond that seems to fail. Contacts that break have priority, then
  /// contacts that open (a bond that opens and slides breaks by tension), then the fastest contact.
  void Report(const FailureLimits& limits, std::vector<BondFailure>& failures) const {
    for (std::size_t k = 0; k < failing_.size(); ++k) {
      const FailingContact& failing = failing_[k];
      if (failing.state == BondState::kIntact) continue;
      failures.push_back(
          {contacts_.bonded[k], failing.state, failing.velocity, failing.HasFailed(limits)});
    }
    std::ranges::stable_sort(failures, [](const BondFailure& first, const BondFailure& second) {
      return std::tuple(first.contact.bond, !first.is_breaking, first.state, -first.velocity) <
             std::tuple(second.contact.bond, !second.is_breaking, second.state, -second.velocity);
    });
    const auto is_same_bond = [](const BondFailure& first, const BondFailure& second) {
      return first.contact.bond == second.contact.bond;
    };
    failures.erase(std::unique(failures.begin(), failures.end(), is_same_bond), failures.end());
  }

 private:
  template <class Body>
  Vec3 VelocityAfter(const std::vector<Body>& bodies, const BondContact& bond_contact,
                     const Contact& contact) const {
    return VelocityOfBond(solve_.batches, bond_contact.contact, contact.normal,
                          bodies[static_cast<std::size_t>(contact.a)],
                          bodies[static_cast<std::size_t>(contact.b)]);
  }
  /// Rounding radius of the body a of an anchored bond; a is a solid [m].
  double RoundingOf(const Contact& contact) const {
    const auto a = static_cast<std::size_t>(contact.a);
    return scene_.ClumpOf(particles_.shape[a]).smallest_member * particles_.radius[a];
  }

  /// Checks a contact that neither opens nor slides. If it rolls at the limit of its rolling
  /// moment, it fails by bending, which is reported as tension. If it spins at the limit of its
  /// spinning moment, it fails by twist, which is reported as shear.
  template <class Body>
  void UpdateRotation(const std::vector<Body>& bodies, const BondContact& bond_contact,
                      const Contact& contact, double pull, FailingContact& failing) {
    const RollingContact moments = MomentsOf(solve_.batches, bond_contact.contact);
    if (moments.rolling == 0.0) return;
    const Vec3& n = contact.normal;
    const Body& a = bodies[static_cast<std::size_t>(contact.a)];
    const Body& b = bodies[static_cast<std::size_t>(contact.b)];
    const Vec3 rotation = RollingLaw::Velocity(moments, a, b);
    const Vec3 moment =
        solve_.batches.ArraysOf<RollingLaw>().Impulse(solve_.batches.SlotOf(bond_contact.contact));
    const double normal = (1.0 - kUnloaded) * solve_.batches.Impulse(bond_contact.contact).dot(n);
    const double bend_limit = moments.rolling * normal, twist_limit = moments.spinning * normal;
    const double scale = moments.rolling * pull * RollingMobility(moments, a, b);
    const double bend = TangentialSpeed(rotation, n), twist = std::abs(rotation.dot(n));
    const bool is_bending = TangentialSpeed(moment, n) >= bend_limit && bend > kSmall * scale;
    const bool is_twisting = std::abs(moment.dot(n)) >= twist_limit && twist > kSmall * scale;
    failing.held_velocity = std::max(failing.held_velocity, rotation.norm());
    if (!is_bending && !is_twisting) return;
    const MotionBefore before = motion_.Before(bodies, bond_contact, moments);
    failing.state = is_bending ? BondState::kBrokenByTension : BondState::kBrokenByShear;
    failing.held_velocity = 0.0;
    failing.scale = scale;
    failing.displacement = 0.0;  // rotations since birth are not kept
    failing.before = is_bending ? TangentialSpeed(before.rolling, before.normal)
                                : std::abs(before.rolling.dot(before.normal));
    failing.SetVelocity(is_bending ? bend : twist);
  }

  template <class Body>
  void Update(const std::vector<Body>& bodies, const BondContact& bond_contact,
              FailingContact& failing) {
    const Contact contact = solve_.batches.At(bond_contact.contact);
    const Vec3& n = contact.normal;
    const Body& a = bodies[static_cast<std::size_t>(contact.a)];
    const Body& b = bodies[static_cast<std::size_t>(contact.b)];
    const Vec3 velocity = VelocityAfter(bodies, bond_contact, contact) + failing.closing * n;
    const Vec3 impulse = solve_.batches.Impulse(bond_contact.contact);
    const CohesionData<double> shift =
        solve_.batches.ArraysOf<CohesionLaw>().At(solve_.batches.SlotOf(bond_contact.contact));
    failing.scale = shift.pull * MobilityOfBond(solve_.batches, bond_contact.contact, n, a, b);
    const double small = kSmall * failing.scale;
    const double normal = impulse.dot(n), opening = velocity.dot(n),
                 slip = TangentialSpeed(velocity, n);
    failing.state = BondState::kIntact;
    if (normal <= kUnloaded * shift.pull) {
      if (opening > small) failing.state = BondState::kBrokenByTension;
    } else if (TangentialSpeed(impulse, n) >= (1.0 - kUnloaded) * contact.friction * normal) {
      if (slip > small) failing.state = BondState::kBrokenByShear;
    }
    const bool is_intact = failing.state == BondState::kIntact;
    failing.held_velocity = is_intact ? velocity.norm() : 0.0;
    if (is_intact) UpdateRotation(bodies, bond_contact, contact, shift.pull, failing);
    if (is_intact && failing.state != BondState::kIntact) return;
    if (is_intact) return failing.SetVelocity(0.0);
    const bool is_shear = failing.state == BondState::kBrokenByShear;
    const MotionBefore before = motion_.Before(bodies, bond_contact, {});
    failing.before = is_shear ? TangentialSpeed(before.velocity, before.normal)
                              : before.velocity.dot(before.normal);
    failing.displacement =
        bond_contact.displacement.dot(is_shear ? TangentialDirection(velocity, n) : n);
    failing.rounding = bonds_.At(bond_contact.bond).point_count > 0 ? RoundingOf(contact) : 0.0;
    failing.SetVelocity(is_shear ? slip : opening);
  }

  const Scene& scene_;
  const Particles& particles_;
  const StepContacts& contacts_;
  const BondTable& bonds_;
  const StepSolve& solve_;
  const BondMotion motion_;
  std::vector<FailingContact> failing_;  // of contacts.bonded
};

/// Removes the pull of a broken bond from the stored impulse of its contact.
void StoreWithoutPull(const StepContacts& contacts, std::size_t j, const Vec3& impulse, double pull,
                      const ContactBodies& numbers, WarmStart& warm_start) {
  const DetectedContact& contact = contacts.At(j);
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

FailureSearch FindBondFailures(const StepSetup& setup, const Particles& particles,
                               const StepContacts& contacts, Halo& halo, PhaseTimer& timer,
                               StepSolve& solve, const BondTable& bonds, bool is_alert,
                               std::vector<BondFailure>& failures) {
  failures.clear();
  if (setup.scene.bonds.empty()) return {};
  FailingContacts failing(setup.scene, particles, contacts, bonds, solve, setup.parameters.dt);
  failing.Update();
  const auto on_any_rank = [&](bool condition) {
    return setup.communicator.Max(std::int64_t{condition ? 1 : 0}) != 0;
  };
  const bool has_failing = failing.HasCandidates(false);
  const bool needs_sweeps = failing.HasCandidates(is_alert);
  const std::int64_t level = setup.communicator.Max(std::int64_t{has_failing    ? 2
                                                                 : needs_sweeps ? 1
                                                                                : 0});
  if (level == 0) return {};
  failing.ReleaseGaps(solve.batches);
  constexpr int kMinRounds = 2;
  FailureLimits limits;
  limits.is_undecided = true;
  limits.dt = setup.parameters.dt;
  for (int round = 1; round <= kMinRounds || 2 * solve.report.sweeps <= kMaxSweeps; ++round) {
    AddSweeps(setup, particles, halo, solve.report.sweeps, timer, solve);
    failing.Update();
    std::array<double, 2> max_velocities = failing.RemainingVelocities();
    setup.communicator.Max(max_velocities);
    limits.unrest = std::ranges::max(max_velocities);
    limits.held = max_velocities[0];
    const bool is_undecided = (round < kMinRounds && failing.HasCandidates(false)) ||
                              !failing.AreDecided(max_velocities[0]);
    limits.is_undecided = on_any_rank(is_undecided);
    if (!limits.is_undecided) break;
  }
  failing.Report(limits, failures);
  return {level > 1 || on_any_rank(!failures.empty()), limits.is_undecided};
}

void BreakBonds(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                const StepSolve& solve, const CandidateLists& lists,
                std::span<const BondFailure> failures, WarmStart* warm_start, BondTable& bonds) {
  if (setup.scene.bonds.empty()) return;
  const double end = setup.TimeOf(contacts.step + setup.stride);
  std::int64_t waiting = 0, breaking = 0;
  for (const BondFailure& failure : failures) {
    if (failure.is_breaking) {
      bonds.Break(failure.contact.bond, failure.state, end);
      ++breaking;
    } else {
      waiting += failure.contact.contact < contacts.owned.size() ? 1 : 0;
    }
  }
  bonds.SetWaiting(waiting);
  if (warm_start != nullptr && breaking > 0) {
    const ContactBodies numbers(particles, contacts.wall_bodies);
    const ContactBatches& batches = solve.batches;
    for (const BondContact& bond_contact : contacts.bonded) {
      const Bond& bond = bonds.At(bond_contact.bond);
      if (bond.IsIntact() || bond.point_count > 0) continue;
      const double pull =
          batches.ArraysOf<CohesionLaw>().At(batches.SlotOf(bond_contact.contact)).pull;
      StoreWithoutPull(contacts, bond_contact.contact, batches.Impulse(bond_contact.contact), pull,
                       numbers, *warm_start);
    }
  }
  if (setup.communicator.Max(breaking) > 0) bonds.ReportBreaks(setup.communicator, lists.halo);
}

}  // namespace scree
