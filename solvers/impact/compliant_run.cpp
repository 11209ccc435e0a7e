#include "solvers/impact/compliant_run.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "solvers/check.hpp"
#include "solvers/impact/hysteresis_damping.hpp"
#include "solvers/impact/linear_damping.hpp"

namespace scree::impact {
namespace {

// A touch slower than this is taken as this fast where the damping is chosen: the formulas divide
// by the speed [m/s].
constexpr double kLeastSpeed = 1e-9;

// Of the force in the time scale of a contact, which lasts some three of them: the greatest sample
// then misses the greatest force by some 1e-6 of it.
constexpr double kForceSamples = 500.0;

void Check(const CompliantContact& contact) {
  if (!(contact.stiffness > 0.0 && std::isfinite(contact.stiffness))) {
    throw InputError(Text("k = ", contact.stiffness, " must be above 0 and finite"));
  }
  if (!(contact.exponent >= 1.0 && contact.exponent <= 2.0)) {
    throw InputError(Text("n = ", contact.exponent, " must lie in [1, 2]"));
  }
  if (!(contact.restitution > 0.0 && contact.restitution <= 1.0)) {
    throw InputError(Text("e = ", contact.restitution,
                          " must be above 0 and at most 1: the damping grows without limit"));
  }
}

/// Made for the restitution: by (49) [N s/m], or by (16) [N s/mⁿ⁺¹].
double DampingOf(const CompliantContact& contact, double mass, double speed) {
  const double k = contact.stiffness;
  if (contact.model == CompliantModel::kLinearDamping) {
    return FittedDamping({contact.exponent, mass, k, speed}, contact.restitution);
  }
  return HysteresisFactor(HysteresisFormula::kFlores, contact.restitution) * k / speed;
}

class Runner {
 public:
  Runner(const ContactMechanism& mechanism, const CompliantContact& contact, const Vec2& q,
         const Vec2& w, const ImpactRunControl& control)
      : mechanism_(mechanism), contact_(contact), control_(control) {
    state_ = {q[0], q[1], w[0], w[1], 0.0, 0.0, 0.0};
  }

  CompliantRun Run() {
    const ContactGeometry contact = mechanism_.Contact(Q(state_), W(state_));
    Record(t_, state_);
    if (contact.gap <= 0.0 && contact.closing.dot(W(state_)) < 0.0) Touch();
    int events = 0;
    while (t_ < control_.end && run_.stopped.empty()) {
      Fly();
      if (++events > control_.most_events && run_.stopped.empty()) {
        run_.stopped = Text("more than ", control_.most_events, " contacts");
      }
    }
    return std::move(run_);
  }

 private:
  static Vec2 Q(const MotionState& y) { return {y[0], y[1]}; }
  static Vec2 W(const MotionState& y) { return {y[2], y[3]}; }

  double Penetration(const MotionState& y) const { return -mechanism_.Contact(Q(y), W(y)).gap; }
  /// δ' [m/s]
  double Speed(const MotionState& y) const {
    return -mechanism_.Contact(Q(y), W(y)).closing.dot(W(y));
  }

  double Force(const MotionState& y) const {
    if (phase_ == MotionPhase::kFlight) return 0.0;
    const double power = std::pow(std::max(Penetration(y), 0.0), contact_.exponent);
    const double damper = contact_.model == CompliantModel::kHuntCrossley ? power : 1.0;
    return contact_.stiffness * power + damping_ * damper * Speed(y);
  }

  Vec2 Acceleration(double t, const MotionState& y) const {
    return mechanism_.Mass(Q(y)).inverse() *
           (mechanism_.Force(t, Q(y), W(y)) + Force(y) * mechanism_.Contact(Q(y), W(y)).closing);
  }

  /// y' with y = (q, w, supplied, damped, impulse).
  void Law(const MotionState& y, MotionState& derivative, double t) const {
    const Vec2 acceleration = Acceleration(t, y);
    derivative = {y[2],
                  y[3],
                  acceleration[0],
                  acceleration[1],
                  mechanism_.DrivePower(t, Q(y), W(y)),
                  mechanism_.DampingPower(Q(y), W(y)),
                  Force(y)};
  }

  void Record(double t, const MotionState& y) {
    run_.trajectory.push_back(
        {t, Q(y), W(y), Acceleration(t, y), Force(y), 0.0, phase_, {y[4], y[5], 0.0, struck_}});
  }

  /// Moves on in the present phase; returns which watch ended it, −1 at the end of time.
  int Follow(std::vector<MotionWatch> watches, MotionControl motion,
             const MotionObserver& observer) {
    watches.push_back(
        {[this](double, const MotionState& y) { return mechanism_.Limit(Q(y)); }, {}});
    motion.longest_step = mechanism_.LongestStep();
    const MotionEnd reached = FollowMotion(
        [this](const MotionState& y, MotionState& derivative, double t) { Law(y, derivative, t); },
        t_, state_, control_.end, watches, motion, observer);
    t_ = reached.t;
    state_ = reached.y;
    if (reached.watch == static_cast<int>(watches.size()) - 1) {
      run_.stopped = mechanism_.LimitName();
      return -1;
    }
    return reached.watch;
  }

  /// Until the gap closes. After a separation with deformation left the gap is still negative: it
  /// opens first, or closes again where it was deepest open.
  void Fly() {
    phase_ = MotionPhase::kFlight;
    const auto gap = [this](double, const MotionState& y) { return -Penetration(y); };
    const auto rate = [this](double, const MotionState& y) { return -Speed(y); };
    MotionControl motion;
    motion.sample_step = control_.sample_step;
    const int ended =
        Follow({{gap, rate}}, motion, [this](double t, const MotionState& y) { Record(t, y); });
    Record(t_, state_);
    if (ended == 0) Touch();
  }

  void Touch() {
    const ContactGeometry contact = mechanism_.Contact(Q(state_), W(state_));
    CompliantImpact impact;
    impact.t = t_;
    impact.q = Q(state_);
    impact.before = W(state_);
    impact.energy_before = mechanism_.Energy(impact.q, impact.before);
    impact.effective_mass =
        1.0 / contact.closing.dot(mechanism_.Mass(impact.q).inverse() * contact.closing);
    impact.speed_in = Speed(state_);
    const double speed = std::max(impact.speed_in, kLeastSpeed);
    damping_ = DampingOf(contact_, impact.effective_mass, speed);
    impact.damping = damping_;
    state_[6] = 0.0;
    phase_ = MotionPhase::kCompliant;
    Press(impact);
    impact.duration = t_ - impact.t;
    impact.after = W(state_);
    impact.energy_after = mechanism_.Energy(Q(state_), impact.after);
    impact.speed_out = -Speed(state_);
    impact.impulse = state_[6];
    impact.separation_penetration = Penetration(state_);
    struck_ += impact.energy_before - impact.energy_after;
    run_.impacts.push_back(std::move(impact));
    phase_ = MotionPhase::kFlight;
    Record(t_, state_);
  }

  /// From touch to separation: through the greatest penetration, as often as there is one, until
  /// the force or the penetration vanishes.
  void Press(CompliantImpact& impact) {
    const auto observe = [this, &impact](double t, const MotionState& y) {
      impact.force.push_back({t, Penetration(y), Speed(y), Force(y)});
      impact.greatest_force = std::max(impact.greatest_force, Force(y));
      Record(t, y);
    };
    const auto speed = [this](double, const MotionState& y) { return Speed(y); };
    const auto approach = [this](double, const MotionState& y) { return -Speed(y); };
    const auto penetration = [this](double, const MotionState& y) { return Penetration(y); };
    const auto force = [this](double, const MotionState& y) { return Force(y); };
    MotionControl motion;
    motion.first_step = 1e-3 * TimeScale(impact);
    motion.sample_step = TimeScale(impact) / kForceSamples;
    observe(t_, state_);
    for (int ended = -2; t_ < control_.end && run_.stopped.empty();) {
      ended = Follow({{speed, {}}}, motion, observe);
      observe(t_, state_);
      impact.greatest_penetration = std::max(impact.greatest_penetration, Penetration(state_));
      if (ended != 0) break;
      ended = Follow({{force, {}}, {penetration, {}}, {approach, {}}}, motion, observe);
      observe(t_, state_);
      if (ended == 0 || ended == 1) return;
    }
    impact.finished = false;
  }

  /// (m/(k vⁿ⁻¹))^(1/(n+1)) [s]
  double TimeScale(const CompliantImpact& impact) const {
    const double n = contact_.exponent;
    const double speed = std::max(impact.speed_in, kLeastSpeed);
    return std::pow(impact.effective_mass / (contact_.stiffness * std::pow(speed, n - 1.0)),
                    1.0 / (n + 1.0));
  }

  const ContactMechanism& mechanism_;
  const CompliantContact& contact_;
  const ImpactRunControl& control_;
  double t_ = 0.0;
  MotionState state_;  // q, w, supplied, damped, impulse of the present contact
  MotionPhase phase_ = MotionPhase::kFlight;
  double damping_ = 0.0;  // of the present contact
  double struck_ = 0.0;
  CompliantRun run_;
};

}  // namespace

CompliantRun RunCompliant(const ContactMechanism& mechanism, const CompliantContact& contact,
                          const Vec2& q, const Vec2& w, const ImpactRunControl& control) {
  Check(contact);
  return Runner(mechanism, contact, q, w, control).Run();
}

}  // namespace scree::impact
