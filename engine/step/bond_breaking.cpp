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

namespace scree {
namespace {

/// Fraction of a bond's pull below which a contact carries nothing.
constexpr double kUnloaded = 1e-9;
/// A velocity that opens or slides is one if it is larger than this fraction of the change of
/// velocity by the bond's pull. Smaller ones are rounding errors of sweeps, or grow.
constexpr double kSmall = 1e-7;
/// If the rounds do not suffice, a velocity that is larger than this fraction breaks the bond.
constexpr double kClear = 0.1;
/// Error of f relative to its estimate, and to the largest velocity at bonds that hold.
constexpr double kMargin = 4.0, kOfUnrest = 100.0;
/// Changes of f relative to its growth in the step that are none: f is not slow, but solved.
constexpr double kSettled = 1e-6;
/// A bond that holds is at rest below this fraction of the change of velocity by its pull.
constexpr double kQuiet = 1e-4;
/// Fraction of an opening velocity that a step takes at least from a bond that will hold.
constexpr double kStopping = 1e-4;
/// A bond that stays undecided breaks when it has opened or slipped by this fraction of the path on
/// which its pull would move it in a step. With 0.1 a beam at 0.8 of its load broke after 1100
/// steps.
constexpr double kMoved = 0.5;
/// The same, as a fraction of the rounding of its bodies. While bodies that are bonded at a few
/// points rotate against each other, their corners overlap, up to about the path of these points.
constexpr double kMovedOfRounding = 0.25;
/// Sweeps of a step at most, with those of the rounds. At least two rounds are done.
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

/// Limits of the moments of a bond's contact; zero: it resists none.
RollingContact MomentsOf(const ContactBatches& batches, std::size_t j) {
  const auto& law = batches.ArraysOf<RollingLaw>();
  return law.IsActive() ? law.At(batches.SlotOf(j)) : RollingContact{};
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

double SlipOf(const Vec3& velocity, const Vec3& n) {
  return (velocity - velocity.dot(n) * n).norm();
}
Vec3 TangentialDirection(const Vec3& velocity, const Vec3& n) {
  return (velocity - velocity.dot(n) * n).normalized();
}

/// What the decision on a bond depends on besides the bond.
struct FailureLimits {
  double unrest = 0.0;   // largest velocity at bonds that hold, after the step or before it [m/s]
  double held = 0.0;     // the same, after the step [m/s]
  bool gave_up = false;  // the rounds ended before all was decided
  double dt = 0.0;       // [s]
};

/// f of one contact, over the rounds.
struct FailingContact {
  BondState state = BondState::kIntact;  // the way in which it fails; kIntact: it holds
  double velocity = 0.0;                 // f [m/s]
  double before = 0.0;                   // f before the step
  double changes[2] = {};                // d₁ and d₂
  double scale = 0.0;                    // change of velocity by the pull [m/s]
  double held_velocity = 0.0;            // of a bond that holds [m/s]
  double moved = 0.0;                    // since birth, in the direction of f, before the step [m]
  double rounding = 0.0;                 // of the bodies at an anchored bond; 0: no limit [m]

  void SetVelocity(double f) {
    changes[0] = std::exchange(changes[1], std::abs(f - velocity));
    velocity = f;
  }
  /// Of f [m/s]; infinite: unknown.
  double Error() const {
    const double settled = std::max(kSmall * scale, kSettled * std::abs(Growth()));
    if (std::max(changes[0], changes[1]) <= settled) return settled;
    const double q = changes[1] / changes[0];
    if (!(q < 1.0)) return std::numeric_limits<double>::infinity();
    const double x = 0.5 * (std::sqrt(1.0 + 4.0 * q) - 1.0);
    return kMargin * changes[1] * std::max(1.0, x * x / (1.0 - x * x));
  }
  /// By which f has grown, with the allowance for what does not stop.
  double Growth() const { return velocity - (1.0 - kStopping) * std::max(before, 0.0); }
  bool Breaks(const FailureLimits& limits) const {
    if (Growth() > std::max(Error(), kOfUnrest * limits.unrest)) return true;
    if (!limits.gave_up) return false;
    if (Growth() > std::max(kClear * scale, kMargin * changes[1])) return true;
    if (IsDecided(limits.unrest)) return false;
    if (rounding > 0.0 && moved > kMovedOfRounding * rounding) return true;
    return velocity > limits.held && moved > kMoved * scale * limits.dt;
  }
  bool IsDecided(double unrest) const {
    if (state == BondState::kIntact) return held_velocity <= kQuiet * scale;
    return std::max(Error(), kOfUnrest * unrest) < std::abs(Growth());
  }
};

class FailingContacts {
 public:
  FailingContacts(const Scene& scene, const Particles& particles, const StepContacts& contacts,
                  const Halo& halo, const BondTable& bonds, const StepSolve& solve)
      : scene_(scene),
        particles_(particles),
        contacts_(contacts),
        halo_(halo),
        bonds_(bonds),
        solve_(solve),
        all_(contacts.bonded.size()) {}

  /// Takes the velocities after a round.
  void Update() {
    VisitBodies(solve_.bodies, [&](const auto& of) {
      for (std::size_t k = 0; k < all_.size(); ++k) Update(of.all, contacts_.bonded[k], all_[k]);
    });
  }
  /// Whether bonds seem to fail, or are not at rest after a step in which they did.
  bool Any(bool is_alert) const {
    return std::ranges::any_of(all_, [&](const FailingContact& one) {
      return one.state != BondState::kIntact || (is_alert && !one.IsDecided(0.0));
    });
  }
  /// @param unrest  largest velocity at bonds that hold, over all ranks [m/s]
  bool AreDecided(double unrest) const {
    return std::ranges::all_of(all_,
                               [&](const FailingContact& one) { return one.IsDecided(unrest); });
  }
  /// Largest velocities after the step at bonds that hold, and before the step at bonds that hold
  /// or slow down [m/s].
  std::array<double, 2> RemainingVelocities() const {
    double after = 0.0, before = 0.0;
    VisitBodies(solve_.bodies, [&](const auto& of) {
      for (std::size_t k = 0; k < all_.size(); ++k) {
        const BondContact& one = contacts_.bonded[k];
        const Contact contact = solve_.batches.At(one.contact);
        const bool holds = all_[k].state == BondState::kIntact;
        after = std::max(after, all_[k].held_velocity);
        if (holds || all_[k].Growth() < 0.0) {
          before = std::max(before, Before(of.all, one, contact).norm());
          const RollingContact moments = MomentsOf(solve_.batches, one.contact);
          if (moments.rolling == 0.0) continue;
          before = std::max(before, RotationBefore(of.all, moments, contact).norm());
        }
      }
    });
    return {after, before};
  }
  /// The fastest contact of each bond, tension first: a bond that opens and slides breaks by
  /// tension.
  void Report(const FailureLimits& limits, std::vector<BondFailure>& failures) const {
    for (std::size_t k = 0; k < all_.size(); ++k) {
      const FailingContact& one = all_[k];
      if (one.state == BondState::kIntact) continue;
      failures.push_back({contacts_.bonded[k], one.state, one.velocity, one.Breaks(limits)});
    }
    std::ranges::stable_sort(failures, [](const BondFailure& one, const BondFailure& other) {
      return std::tuple(one.contact.bond, !one.breaks, one.state, -one.velocity) <
             std::tuple(other.contact.bond, !other.breaks, other.state, -other.velocity);
    });
    const auto same = [](const BondFailure& one, const BondFailure& other) {
      return one.contact.bond == other.contact.bond;
    };
    failures.erase(std::unique(failures.begin(), failures.end(), same), failures.end());
  }

 private:
  template <class Body>
  Vec3 After(const std::vector<Body>& bodies, const BondContact& one,
             const Contact& contact) const {
    return VelocityOfBond(solve_.batches, one.contact, contact.normal,
                          bodies[static_cast<std::size_t>(contact.a)],
                          bodies[static_cast<std::size_t>(contact.b)]);
  }
  template <class Body>
  Vec3 Before(const std::vector<Body>& bodies, const BondContact& one,
              const Contact& contact) const {
    const Body& a = bodies[static_cast<std::size_t>(contact.a)];
    const Body& b = bodies[static_cast<std::size_t>(contact.b)];
    return VelocityOfBond(solve_.batches, one.contact, contact.normal,
                          BeforeStep(a, particles_, contact.a),
                          BeforeStep(b, particles_, contact.b));
  }

  /// Of the body a of an anchored bond, a solid [m].
  double RoundingOf(const Contact& contact) const {
    const auto a = static_cast<std::size_t>(contact.a);
    return scene_.ClumpOf(particles_.shape[a]).smallest_member * particles_.radius[a];
  }

  /// δw before the step.
  template <class Body>
  Vec3 RotationBefore(const std::vector<Body>& bodies, const RollingContact& moments,
                      const Contact& contact) const {
    const Body& a = bodies[static_cast<std::size_t>(contact.a)];
    const Body& b = bodies[static_cast<std::size_t>(contact.b)];
    return RollingLaw::Velocity(moments, BeforeStep(a, particles_, contact.a),
                                BeforeStep(b, particles_, contact.b));
  }

  /// A bond whose contact holds fails by bending, as by tension, if it rolls at the limit of its
  /// moment, and by twist, as by shear, if it spins there.
  template <class Body>
  void UpdateRotation(const std::vector<Body>& bodies, const BondContact& one,
                      const Contact& contact, double pull, FailingContact& failing) {
    const RollingContact moments = MomentsOf(solve_.batches, one.contact);
    if (moments.rolling == 0.0) return;
    const Vec3& n = contact.normal;
    const Body& a = bodies[static_cast<std::size_t>(contact.a)];
    const Body& b = bodies[static_cast<std::size_t>(contact.b)];
    const Vec3 rotation = RollingLaw::Velocity(moments, a, b);
    const Vec3 moment =
        solve_.batches.ArraysOf<RollingLaw>().Impulse(solve_.batches.SlotOf(one.contact));
    const double normal = (1.0 - kUnloaded) * solve_.batches.Impulse(one.contact).dot(n);
    const double bend_limit = moments.rolling * normal, twist_limit = moments.spinning * normal;
    const double scale = moments.rolling * pull * RollingMobility(moments, a, b);
    const double bend = SlipOf(rotation, n), twist = std::abs(rotation.dot(n));
    const bool bends = SlipOf(moment, n) >= bend_limit && bend > kSmall * scale;
    const bool twists = std::abs(moment.dot(n)) >= twist_limit && twist > kSmall * scale;
    failing.held_velocity = std::max(failing.held_velocity, rotation.norm());
    if (!bends && !twists) return;
    const Vec3 before = RotationBefore(bodies, moments, contact);
    failing.state = bends ? BondState::kBrokenByTension : BondState::kBrokenByShear;
    failing.held_velocity = 0.0;
    failing.scale = scale;
    failing.moved = 0.0;  // rotations since birth are not kept
    failing.before = bends ? SlipOf(before, n) : std::abs(before.dot(n));
    failing.SetVelocity(bends ? bend : twist);
  }

  template <class Body>
  void Update(const std::vector<Body>& bodies, const BondContact& one, FailingContact& failing) {
    const Contact contact = solve_.batches.At(one.contact);
    const Vec3& n = contact.normal;
    const Body& a = bodies[static_cast<std::size_t>(contact.a)];
    const Body& b = bodies[static_cast<std::size_t>(contact.b)];
    const Vec3 velocity = After(bodies, one, contact);
    const Vec3 impulse = solve_.batches.Impulse(one.contact);
    const CohesionData<double> shift =
        solve_.batches.ArraysOf<CohesionLaw>().At(solve_.batches.SlotOf(one.contact));
    failing.scale = shift.pull * MobilityOfBond(solve_.batches, one.contact, n, a, b);
    const double small = kSmall * failing.scale;
    const double normal = impulse.dot(n), opening = velocity.dot(n), slip = SlipOf(velocity, n);
    failing.state = BondState::kIntact;
    if (normal <= kUnloaded * shift.pull) {
      if (opening > small) failing.state = BondState::kBrokenByTension;
    } else if (SlipOf(impulse, n) >= (1.0 - kUnloaded) * contact.friction * normal) {
      if (slip > small) failing.state = BondState::kBrokenByShear;
    }
    const bool holds = failing.state == BondState::kIntact;
    failing.held_velocity = holds ? velocity.norm() : 0.0;
    if (holds) UpdateRotation(bodies, one, contact, shift.pull, failing);
    if (holds && failing.state != BondState::kIntact) return;
    if (holds) return failing.SetVelocity(0.0);
    const bool is_shear = failing.state == BondState::kBrokenByShear;
    const Vec3 before = Before(bodies, one, contact);
    failing.before = is_shear ? SlipOf(before, n) : before.dot(n);
    const Vec3 moved = DisplacementOfBond(particles_, contacts_, halo_, bonds_.At(one.bond), one,
                                          contact, solve_.batches);
    failing.moved = moved.dot(is_shear ? TangentialDirection(velocity, n) : n);
    failing.rounding = bonds_.At(one.bond).points > 0 ? RoundingOf(contact) : 0.0;
    failing.SetVelocity(is_shear ? slip : opening);
  }

  const Scene& scene_;
  const Particles& particles_;
  const StepContacts& contacts_;
  const Halo& halo_;
  const BondTable& bonds_;
  const StepSolve& solve_;
  std::vector<FailingContact> all_;  // of contacts.bonded
};

/// The stored impulse of a contact whose bond has broken is that without the bond's shift.
void StoreWithoutBond(const StepContacts& contacts, std::size_t j, const Vec3& impulse, double pull,
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

/// Bonds no longer close gaps, in the rest of the step.
void ReleaseGaps(const StepContacts& contacts, ContactBatches& batches) {
  for (const BondContact& one : contacts.bonded) {
    const ContactSlot slot = batches.SlotOf(one.contact);
    batches.All()[slot.batch].bias[slot.lane] = 0.0;
  }
}

}  // namespace

FailureSearch FindBondFailures(const StepSetup& setup, const Particles& particles,
                               const StepContacts& contacts, Halo& halo, PhaseTimer& timer,
                               StepSolve& solve, const BondTable& bonds, bool is_alert,
                               std::vector<BondFailure>& failures) {
  failures.clear();
  if (setup.scene.bonds.empty()) return {};
  FailingContacts failing(setup.scene, particles, contacts, halo, bonds, solve);
  failing.Update();
  const auto on_any_rank = [&](bool is_so) {
    return setup.communicator.Max(std::int64_t{is_so ? 1 : 0}) != 0;
  };
  const bool any = failing.Any(false), any_or_unrest = failing.Any(is_alert);
  const std::int64_t what = setup.communicator.Max(std::int64_t{any ? 2 : any_or_unrest ? 1 : 0});
  if (what == 0) return {};
  ReleaseGaps(contacts, solve.batches);
  constexpr int kMinRounds = 2;
  FailureLimits limits;
  limits.gave_up = true;
  limits.dt = setup.parameters.dt;
  for (int round = 1; round <= kMinRounds || 2 * solve.report.sweeps <= kMaxSweeps; ++round) {
    SweepOn(setup, particles, halo, solve.report.sweeps, timer, solve);
    failing.Update();
    std::array<double, 2> after_before = failing.RemainingVelocities();
    setup.communicator.Max(after_before);
    limits.unrest = std::ranges::max(after_before);
    limits.held = after_before[0];
    const bool is_open =
        (round < kMinRounds && failing.Any(false)) || !failing.AreDecided(after_before[0]);
    limits.gave_up = on_any_rank(is_open);
    if (!limits.gave_up) break;
  }
  failing.Report(limits, failures);
  return {what > 1 || on_any_rank(!failures.empty()), limits.gave_up};
}

void BreakBonds(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                const StepSolve& solve, const CandidateLists& lists,
                std::span<const BondFailure> failures, WarmStart* warm_start, BondTable& bonds) {
  if (setup.scene.bonds.empty()) return;
  const double end = setup.TimeOf(contacts.step + setup.stride);
  std::int64_t waiting = 0, breaking = 0;
  for (const BondFailure& failure : failures) {
    if (failure.breaks) {
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
    for (const BondContact& one : contacts.bonded) {
      const Bond& bond = bonds.At(one.bond);
      if (bond.IsIntact() || bond.points > 0) continue;
      const double pull = batches.ArraysOf<CohesionLaw>().At(batches.SlotOf(one.contact)).pull;
      StoreWithoutBond(contacts, one.contact, batches.Impulse(one.contact), pull, numbers,
                       *warm_start);
    }
  }
  if (setup.communicator.Max(breaking) > 0) bonds.ReportBreaks(setup.communicator, lists.halo);
}

}  // namespace scree
