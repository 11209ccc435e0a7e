#include "apps/single/models/compliant_run.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "apps/single/models/linear_damping.hpp"
#include "solvers/base/check.hpp"

namespace scree::impact {
namespace {

// Smallest speed for which a damping is chosen, because the formulas divide by the speed [m/s].
constexpr double kMinSpeed = 1e-9;

// Samples of the force per time scale of the contact. A contact lasts about three time scales, so
// the largest sample is about 1e-6 below the largest force.
constexpr double kForceSamples = 500.0;
// A contact that lasts longer than this many time scales counts as held closed by a load, and is
// sampled like the trajectory. Impacts with e = 0.01 last about ten time scales.
constexpr double kLongestImpact = 50.0;
// The first contacts store all samples of their force, later ones every kSparse-th sample.
constexpr std::size_t kFullySampledContacts = 100;
constexpr int kSparse = 25;
// Sliding velocities below this are rounding errors [m/s].
constexpr double kMinSliding = 1e-12;

void Check(const CompliantContact& contact) {
  if (!(contact.stiffness > 0.0 && std::isfinite(contact.stiffness))) {
    throw InputError(Text("k = ", contact.stiffness, " must be above 0 and finite"));
  }
  if (!(contact.exponent >= 1.0 && contact.exponent <= 2.0)) {
    throw InputError(Text("n = ", contact.exponent, " must lie in [1, 2]"));
  }
  if (!(contact.restitution > 0.0 && contact.restitution <= 1.0)) {
    throw InputError(
        Text("e = ", contact.restitution,
             " must be above 0 and at most 1: towards 0 the damping grows without limit"));
  }
  if (!(contact.mu >= 0.0 && std::isfinite(contact.mu))) {
    throw InputError(Text("mu = ", contact.mu, " must be at least 0 and finite"));
  }
}

/// The damping that gives the restitution, [N s/m] or [N s/mⁿ⁺¹].
double DampingOf(const CompliantContact& contact, double mass, double speed) {
  const double k = contact.stiffness;
  if (contact.model == CompliantModel::kLinearDamping) {
    const LinearDampingImpact impact{contact.exponent, mass, k, speed};
    return contact.linear_source == LinearDampingSource::kExact
               ? OptimalDamping(impact, contact.restitution)
               : FittedDamping(impact, contact.restitution);
  }
  return HysteresisFactor(contact.hysteresis_formula, contact.restitution) * k / speed;
}

class CompliantRunner {
 public:
  CompliantRunner(const ContactMechanism& mechanism, const CompliantContact& contact, const Vec2& q,
                  const Vec2& w, const ImpactRunControl& control)
      : mechanism_(mechanism), contact_(contact), control_(control) {
    state_ = {q[0], q[1], w[0], w[1], 0.0, 0.0, 0.0, 0.0, 0.0};
  }

  CompliantRun Run() {
    const ContactGeometry contact = mechanism_.Contact(Q(state_), W(state_));
    Record(t_, state_);
    if (contact.gap <= 0.0 && contact.opening.dot(W(state_)) < 0.0) Touch();
    int events = 0;
    while (t_ < control_.end && run_.stop_reason.empty()) {
      IntegrateFlight();
      if (++events > control_.max_events && run_.stop_reason.empty()) {
        run_.stop_reason = Text("more than ", control_.max_events, " contacts");
      }
    }
    return std::move(run_);
  }

 private:
  static Vec2 Q(const MotionState& y) { return {y[0], y[1]}; }
  static Vec2 W(const MotionState& y) { return {y[2], y[3]}; }

  double Penetration(const MotionState& y) const { return -mechanism_.Contact(Q(y), W(y)).gap; }
  /// δ' [m/s]
  double ClosingSpeed(const MotionState& y) const {
    return -mechanism_.Contact(Q(y), W(y)).opening.dot(W(y));
  }

  double Force(const MotionState& y) const {
    return phase_ == MotionPhase::kFlight ? 0.0 : ForceOfContact(y);
  }

  /// The contact force. It is negative when the bodies separate and the damper would pull.
  double ForceOfContact(const MotionState& y) const {
    const double power = std::pow(std::max(Penetration(y), 0.0), contact_.exponent);
    const double damper = contact_.model == CompliantModel::kHuntCrossley ? power : 1.0;
    return contact_.stiffness * power + damping_ * damper * ClosingSpeed(y);
  }

  double SlidingSpeed(const MotionState& y) const {
    return mechanism_.Contact(Q(y), W(y)).sliding.dot(W(y));
  }

  /// The friction that keeps the point from sliding: s' = J_s M⁻¹ (Q + J_cᵀ f + J_sᵀ T) + J_s' w =
  /// 0.
  double StickingFriction(double t, const MotionState& y, double force) const {
    const ContactGeometry contact = mechanism_.Contact(Q(y), W(y));
    const Mat2 inverse_mass = mechanism_.Mass(Q(y)).inverse();
    const Vec2 loads = mechanism_.Force(t, Q(y), W(y)) + force * contact.opening;
    const double free = contact.sliding.dot(inverse_mass * loads) + contact.sliding_bias;
    return -free / contact.sliding.dot(inverse_mass * contact.sliding);
  }

  /// T of Coulomb's law [N].
  double Friction(double t, const MotionState& y, double force) const {
    if (contact_.mu == 0.0 || phase_ == MotionPhase::kFlight) return 0.0;
    return slip_ == 0 ? StickingFriction(t, y, force) : -contact_.mu * slip_ * force;
  }

  Vec2 Acceleration(double t, const MotionState& y) const {
    const ContactGeometry contact = mechanism_.Contact(Q(y), W(y));
    const double force = Force(y);
    return mechanism_.Mass(Q(y)).inverse() *
           (mechanism_.Force(t, Q(y), W(y)) + force * contact.opening +
            Friction(t, y, force) * contact.sliding);
  }

  /// y' with y = (q, w, supplied, damped, impulse, friction impulse, rubbed), energies in [J].
  void Derivative(const MotionState& y, MotionState& derivative, double t) const {
    const Vec2 acceleration = Acceleration(t, y);
    const double force = Force(y), friction = Friction(t, y, force);
    derivative = {y[2],
                  y[3],
                  acceleration[0],
                  acceleration[1],
                  mechanism_.DrivePower(t, Q(y), W(y)),
                  mechanism_.DampingPower(Q(y), W(y)),
                  force,
                  friction,
                  -friction * SlidingSpeed(y)};
  }

  void Record(double t, const MotionState& y) {
    const double force = Force(y);
    run_.trajectory.push_back({t,
                               Q(y),
                               W(y),
                               Acceleration(t, y),
                               force,
                               Friction(t, y, force),
                               phase_,
                               {y[4], y[5], y[8], struck_}});
  }

  /// Integrates the present phase until `end`. @returns index of the watch that ended it, −1 if
  /// none
  int IntegratePhase(std::vector<MotionWatch> watches, MotionControl motion, double end,
                     const MotionObserver& observer) {
    watches.push_back(
        {[this](double, const MotionState& y) { return mechanism_.ValidityMargin(Q(y)); }, {}});
    motion.longest_step = std::min(motion.longest_step, mechanism_.LongestStep());
    const MotionEnd motion_end = FollowMotion([this](const MotionState& y, MotionState& derivative,
                                                     double t) { Derivative(y, derivative, t); },
                                              t_, state_, end, watches, motion, observer);
    t_ = motion_end.t;
    state_ = motion_end.y;
    if (motion_end.watch == static_cast<int>(watches.size()) - 1) {
      run_.stop_reason = mechanism_.StopReason();
      return -1;
    }
    return motion_end.watch;
  }

  /// Moves until the gap closes. If deformation remained at separation, the gap is negative at
  /// first.
  void IntegrateFlight() {
    phase_ = MotionPhase::kFlight;
    const auto observe = [this](double t, const MotionState& y) { Record(t, y); };
    MotionControl motion;
    motion.sample_step = control_.sample_step;
    if (Penetration(state_) > 0.0 && !run_.impacts.empty()) {
      IntegrateWithinPenetration(motion, observe);
      return;
    }
    // After a separation the gap is zero up to rounding, which must not count as contact.
    const double start = std::min(0.0, -Penetration(state_));
    const auto gap = [this, start](double, const MotionState& y) {
      return -Penetration(y) - start;
    };
    const auto rate = [this](double, const MotionState& y) { return -ClosingSpeed(y); };
    const int ended_by = IntegratePhase({{gap, rate}}, motion, control_.end, observe);
    Record(t_, state_);
    if (ended_by == 0) Touch();
  }

  /// Moves until the bodies are apart or the contact would press again. In the second case the
  /// contact continues, and its force grows from zero. A new contact would start with the full
  /// spring force and so create energy.
  void IntegrateWithinPenetration(MotionControl motion, const MotionObserver& observe) {
    const CompliantImpact& impact = run_.impacts.back();
    const auto penetration = [this](double, const MotionState& y) { return Penetration(y); };
    const auto pull = [this](double, const MotionState& y) { return -ForceOfContact(y); };
    motion.longest_step = motion.first_step = 1e-1 * TimeScale(impact);
    const int ended_by =
        IntegratePhase({{penetration, {}}, {pull, {}}}, motion, control_.end, observe);
    Record(t_, state_);
    if (ended_by != 1) return;
    phase_ = MotionPhase::kCompliant;
    StartFriction(SlidingSpeed(state_));
    CompliantImpact continued = std::move(run_.impacts.back());
    run_.impacts.pop_back();
    Press(continued);
    Finish(std::move(continued));
  }

  void Touch() {
    const ContactGeometry contact = mechanism_.Contact(Q(state_), W(state_));
    CompliantImpact impact;
    impact.t = t_;
    impact.q = Q(state_);
    impact.velocity_before = W(state_);
    impact.energy_before = mechanism_.Energy(impact.q, impact.velocity_before);
    impact.effective_mass =
        1.0 / contact.opening.dot(mechanism_.Mass(impact.q).inverse() * contact.opening);
    impact.speed_in = ClosingSpeed(state_);
    const double speed = std::max(impact.speed_in, kMinSpeed);
    damping_ = DampingOf(contact_, impact.effective_mass, speed);
    impact.damping = damping_;
    state_[6] = state_[7] = 0.0;
    struck_before_ = struck_;
    rubbed_before_ = state_[8];
    phase_ = MotionPhase::kCompliant;
    StartFriction(SlidingSpeed(state_));
    Sample(impact, t_, state_);
    Press(impact);
    Finish(std::move(impact));
  }

  void Finish(CompliantImpact impact) {
    impact.duration = t_ - impact.t;
    impact.is_held_closed = impact.duration > kLongestImpact * TimeScale(impact);
    impact.velocity_after = W(state_);
    impact.energy_after = mechanism_.Energy(Q(state_), impact.velocity_after);
    impact.speed_out = -ClosingSpeed(state_);
    impact.impulse = state_[6];
    impact.friction_impulse = state_[7];
    impact.friction_loss = state_[8] - rubbed_before_;
    impact.separation_penetration = Penetration(state_);
    struck_ = struck_before_ + impact.energy_before - impact.energy_after - impact.friction_loss;
    run_.impacts.push_back(std::move(impact));
    phase_ = MotionPhase::kFlight;
    Record(t_, state_);
  }

  void Sample(CompliantImpact& impact, double t, const MotionState& y) {
    impact.max_penetration = std::max(impact.max_penetration, Penetration(y));
    impact.max_force = std::max(impact.max_force, Force(y));
    if (run_.impacts.size() >= kFullySampledContacts && ++late_samples_ % kSparse != 0) return;
    impact.force.push_back({t, Penetration(y), ClosingSpeed(y), Force(y)});
    Record(t, y);
  }

  /// Starts to slip in the direction of s. From rest, the contact sticks if friction is sufficient.
  void StartFriction(double s) {
    if (contact_.mu == 0.0) return;
    const double force = Force(state_), needed = StickingFriction(t_, state_, force);
    if (std::abs(s) > kMinSliding) {
      slip_ = s > 0.0 ? 1 : -1;
    } else if (std::abs(needed) <= contact_.mu * force) {
      slip_ = 0;
    } else {
      slip_ = needed < 0.0 ? 1 : -1;  // against the friction that would be required to hold it
    }
  }

  /// Ends a stretch of a contact when slip ends, or when sticking needs more than Coulomb friction.
  MotionWatch FrictionWatch() const {
    if (contact_.mu == 0.0) return {[](double, const MotionState&) { return 1.0; }, {}};
    if (slip_ != 0) {
      return {[this](double, const MotionState& y) { return slip_ * SlidingSpeed(y); }, {}};
    }
    return {[this](double t, const MotionState& y) {
              const double force = Force(y);
              return contact_.mu * force - std::abs(StickingFriction(t, y, force));
            },
            {}};
  }

  /// What ended a stretch of a contact; kUnfinished: the end of the simulated time.
  enum class StretchEnd { kUnfinished, kSeparated, kReversed };

  /// Integrates the contact until it separates or until `end`, through changes between slip and
  /// stick. If `stops_at_reversal` is set, also stops where closing (`is_closing`) or opening ends.
  StretchEnd IntegrateContact(bool stops_at_reversal, bool is_closing, const MotionControl& motion,
                              double end, const MotionObserver& observe) {
    const auto speed = [this](double, const MotionState& y) { return ClosingSpeed(y); };
    const auto approach = [this](double, const MotionState& y) { return -ClosingSpeed(y); };
    const auto penetration = [this](double, const MotionState& y) { return Penetration(y); };
    const auto force = [this](double, const MotionState& y) { return Force(y); };
    while (t_ < end && run_.stop_reason.empty()) {
      std::vector<MotionWatch> watches = {FrictionWatch()};
      if (stops_at_reversal && is_closing) {
        watches.push_back({speed, {}});
      } else {
        watches.insert(watches.end(), {{force, {}}, {penetration, {}}});
        if (stops_at_reversal) watches.push_back({approach, {}});
      }
      const int ended_by = IntegratePhase(std::move(watches), motion, end, observe);
      if (ended_by == 0) {
        StartFriction(0.0);
        if (++friction_changes_ > control_.max_events && run_.stop_reason.empty()) {
          run_.stop_reason = Text("more than ", control_.max_events, " changes of slip and stick");
        }
      } else if (ended_by > 0) {
        return (stops_at_reversal && is_closing) || ended_by == 3 ? StretchEnd::kReversed
                                                                  : StretchEnd::kSeparated;
      }
    }
    return StretchEnd::kUnfinished;
  }

  /// Integrates from the first contact force to separation, when force or penetration vanishes.
  void Press(CompliantImpact& impact) {
    const double scale = TimeScale(impact);
    const double end = std::min(impact.t + kLongestImpact * scale, control_.end);
    const auto observe = [this, &impact](double t, const MotionState& y) { Sample(impact, t, y); };
    MotionControl motion;
    motion.first_step = 1e-3 * scale;
    motion.sample_step = scale / kForceSamples;
    bool is_closing = ClosingSpeed(state_) > 0.0;
    impact.has_separated = true;
    while (t_ < end && run_.stop_reason.empty()) {
      // Stops at each largest penetration, so that it is among the samples.
      const StretchEnd end_kind = IntegrateContact(true, is_closing, motion, end, observe);
      Sample(impact, t_, state_);
      if (end_kind == StretchEnd::kSeparated) return;
      is_closing = !is_closing;
    }
    if (t_ < control_.end && run_.stop_reason.empty()) {
      motion.sample_step = std::max(control_.sample_step, motion.sample_step);
      const StretchEnd end_kind = IntegrateContact(false, false, motion, control_.end, observe);
      Sample(impact, t_, state_);
      if (end_kind == StretchEnd::kSeparated) return;
    }
    impact.has_separated = false;
  }

  /// (m/(k vⁿ⁻¹))^(1/(n+1)) [s]
  double TimeScale(const CompliantImpact& impact) const {
    const double n = contact_.exponent;
    const double speed = std::max(impact.speed_in, kMinSpeed);
    return std::pow(impact.effective_mass / (contact_.stiffness * std::pow(speed, n - 1.0)),
                    1.0 / (n + 1.0));
  }

  const ContactMechanism& mechanism_;
  const CompliantContact& contact_;
  const ImpactRunControl& control_;
  double t_ = 0.0;
  // q, w, supplied, damped, impulses of the last contact and of its friction, rubbed
  MotionState state_;
  MotionPhase phase_ = MotionPhase::kFlight;
  double damping_ = 0.0;                       // of the last contact
  double struck_ = 0.0, struck_before_ = 0.0;  // energy lost so far, and at the last touch [J]
  double rubbed_before_ = 0.0;                 // at the last touch [J]
  int slip_ = 0;                               // direction of slip in contact; 0: it sticks
  int friction_changes_ = 0;                   // between slip and stick
  int late_samples_ = 0;                       // counts the samples of late contacts, stored or not
  CompliantRun run_;
};

}  // namespace

CompliantRun RunCompliant(const ContactMechanism& mechanism, const CompliantContact& contact,
                          const Vec2& q, const Vec2& w, const ImpactRunControl& control) {
  Check(contact);
  return CompliantRunner(mechanism, contact, q, w, control).Run();
}

}  // namespace scree::impact
