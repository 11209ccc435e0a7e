#include "apps/single/models/impact_run.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "solvers/base/check.hpp"

namespace scree::impact {
namespace {

// Gaps below this are rounding errors of angles and lengths of order one [m].
constexpr double kGapRounding = 1e-14;
// Angular velocities below this are rounding errors at the end of slip [rad/s].
constexpr double kMinRate = 1e-9;
// Largest |ε|/√(αγ) that is passed to Routh's method, which requires a value below 1. Rounding may
// violate this if J_s and J_c are nearly parallel.
constexpr double kMaxCoupling = 1.0 - 1e-13;
// Sliding is jammed if friction reduces dc'/dF (Response) below this fraction of its value without
// friction. The forces are then so large that slip ends at once.
constexpr double kJam = 1e-8;

/// The contact's motion: s' = s'₀ + α T + ε F, c' = c'₀ + ε T + γ F.
struct ContactDynamics {
  Mat2 inverse_mass;
  ContactGeometry contact;
  Vec2 free_acceleration;  // (s'₀, c'₀), without contact forces [m/s²]
  double alpha, epsilon, gamma;
};

class PhaseRunner {
 public:
  PhaseRunner(const ContactMechanism& mechanism, const ImpactRunStart& start,
              const ImpactRunControl& control)
      : mechanism_(mechanism), control_(control), mu_(start.mu), restitution_(start.restitution) {
    state_ = {start.q[0], start.q[1], start.w[0], start.w[1], 0.0, 0.0, 0.0};
  }

  ImpactRun Run() {
    const ContactGeometry contact = mechanism_.Contact(Q(state_), W(state_));
    const double c = contact.opening.dot(W(state_));
    Record();
    if (contact.gap <= kGapRounding && c <= 0.0) {
      if (c < 0.0) {
        Hit();
      } else {
        Settle(contact.sliding.dot(W(state_)));
      }
    }
    while (t_ < control_.end && run_.stop_reason.empty()) {
      if (phase_ == MotionPhase::kFlight) {
        Fly();
      } else if (phase_ == MotionPhase::kSliding) {
        Slide();
      } else {
        Stick();
      }
      if (++events_ > control_.max_events && run_.stop_reason.empty()) {
        run_.stop_reason = Text("more than ", control_.max_events, " impacts and changes of phase");
      }
    }
    return std::move(run_);
  }

 private:
  static Vec2 Q(const MotionState& y) { return {y[0], y[1]}; }
  static Vec2 W(const MotionState& y) { return {y[2], y[3]}; }

  ContactDynamics Dynamics(double t, const MotionState& y) const {
    ContactDynamics d;
    d.inverse_mass = mechanism_.Mass(Q(y)).inverse();
    d.contact = mechanism_.Contact(Q(y), W(y));
    const Vec2 acceleration = d.inverse_mass * mechanism_.Force(t, Q(y), W(y));
    d.free_acceleration = {d.contact.sliding.dot(acceleration) + d.contact.sliding_bias,
                           d.contact.opening.dot(acceleration) + d.contact.opening_bias};
    d.alpha = d.contact.sliding.dot(d.inverse_mass * d.contact.sliding);
    d.epsilon = d.contact.sliding.dot(d.inverse_mass * d.contact.opening);
    d.gamma = d.contact.opening.dot(d.inverse_mass * d.contact.opening);
    return d;
  }

  /// dc'/dF during slip towards `slip`. If it is not positive, no force holds the contact
  /// (Painlevé).
  double Response(const ContactDynamics& d, int slip) const {
    return d.gamma - mu_ * slip * d.epsilon;
  }

  /// Forces (T, F) that keep the contact closed in the present phase.
  Vec2 Forces(double t, const MotionState& y) const {
    if (phase_ == MotionPhase::kFlight) return Vec2::Zero();
    const ContactDynamics d = Dynamics(t, y);
    if (phase_ == MotionPhase::kSticking) return StickingForces(d);
    const double normal = -d.free_acceleration[1] / Response(d, slip_);
    return {-mu_ * slip_ * normal, normal};
  }

  static Vec2 StickingForces(const ContactDynamics& d) {
    const double determinant = d.alpha * d.gamma - d.epsilon * d.epsilon;
    return Vec2(-d.gamma * d.free_acceleration[0] + d.epsilon * d.free_acceleration[1],
                d.epsilon * d.free_acceleration[0] - d.alpha * d.free_acceleration[1]) /
           determinant;
  }

  Vec2 Acceleration(double t, const MotionState& y, const Vec2& forces) const {
    if (phase_ == MotionPhase::kSticking) return Vec2::Zero();
    const ContactGeometry contact = mechanism_.Contact(Q(y), W(y));
    return mechanism_.Mass(Q(y)).inverse() *
           (mechanism_.Force(t, Q(y), W(y)) + forces[0] * contact.sliding +
            forces[1] * contact.opening);
  }

  /// y' with y = (q, w, supplied, damped, rubbed).
  void Derivative(const MotionState& y, MotionState& derivative, double t) const {
    const Vec2 q = Q(y), w = W(y), forces = Forces(t, y);
    const Vec2 acceleration = Acceleration(t, y, forces);
    derivative = {w[0],
                  w[1],
                  acceleration[0],
                  acceleration[1],
                  mechanism_.DrivePower(t, q, w),
                  mechanism_.DampingPower(q, w),
                  -forces[0] * mechanism_.Contact(q, w).sliding.dot(w)};
  }

  void Record() { Record(t_, state_); }
  void Record(double t, const MotionState& y) {
    const Vec2 forces = Forces(t, y);
    run_.trajectory.push_back({t,
                               Q(y),
                               W(y),
                               Acceleration(t, y, forces),
                               forces[1],
                               forces[0],
                               phase_,
                               {y[4], y[5], y[6], struck_}});
  }

  /// Integrates the present phase. @returns index of the watch that ended it; −1: none
  int IntegratePhase(std::vector<MotionWatch> watches) {
    watches.push_back(
        {[this](double, const MotionState& y) { return mechanism_.ValidityMargin(Q(y)); }, {}});
    MotionControl motion;
    motion.longest_step = mechanism_.LongestStep();
    motion.fixed_step = control_.fixed_step;
    motion.sample_step = control_.sample_step;
    const MotionEnd motion_end =
        FollowMotion([this](const MotionState& y, MotionState& derivative,
                            double t) { Derivative(y, derivative, t); },
                     t_, state_, control_.end, watches, motion,
                     [this](double t, const MotionState& y) { Record(t, y); });
    t_ = motion_end.t;
    state_ = motion_end.y;
    Record();
    if (motion_end.watch == static_cast<int>(watches.size()) - 1) {
      run_.stop_reason = mechanism_.StopReason();
      return -1;
    }
    return motion_end.watch;
  }

  void Fly() {
    // After an impact or a rest the gap is zero up to rounding, which must not count as contact.
    const double start = std::min(0.0, mechanism_.Contact(Q(state_), W(state_)).gap);
    const auto gap = [this, start](double, const MotionState& y) {
      return mechanism_.Contact(Q(y), W(y)).gap - start;
    };
    const auto rate = [this](double, const MotionState& y) {
      return mechanism_.Contact(Q(y), W(y)).opening.dot(W(y));
    };
    if (IntegratePhase({{gap, rate, kGapRounding}}) == 0) Hit();
  }

  RouthProblem Problem(const ContactDynamics& d) const {
    const Vec2 w = W(state_);
    RouthProblem problem{
        d.alpha, d.epsilon,   d.gamma, d.contact.sliding.dot(w), d.contact.opening.dot(w),
        mu_,     restitution_};
    if (phase_ == MotionPhase::kSliding) {  // jammed
      problem.c = 0.0;
      if (Response(d, slip_) > 0.0) problem.epsilon = slip_ * d.gamma / mu_;
    }
    const double max = kMaxCoupling * std::sqrt(d.alpha * d.gamma);
    problem.epsilon = std::clamp(problem.epsilon, -max, max);
    return problem;
  }

  void Hit() {
    const ContactDynamics d = Dynamics(t_, state_);
    const RouthProblem problem = Problem(d);
    Impact impact{t_,  Q(state_), W(state_),           W(state_), problem, SolveRouth(problem),
                  0.0, 0.0,       MotionPhase::kFlight};
    const bool is_last = MakeLastImpact(d, impact);
    impact.energy_before = mechanism_.Energy(impact.q, impact.velocity_before);
    impact.velocity_after = VelocityAfter(d, impact);
    impact.energy_after = mechanism_.Energy(impact.q, impact.velocity_after);
    state_[2] = impact.velocity_after[0];
    state_[3] = impact.velocity_after[1];
    struck_ += impact.energy_before - impact.energy_after;
    phase_ = MotionPhase::kFlight;
    const double s = impact.solution.s;
    const std::size_t number = run_.impacts.size();
    run_.impacts.push_back(std::move(impact));
    if (is_last) {
      Settle(s);
    } else {
      Record();
    }
    run_.impacts[number].next_phase = phase_;
  }

  static Vec2 VelocityAfter(const ContactDynamics& d, const Impact& impact) {
    return impact.velocity_before +
           d.inverse_mass * (impact.solution.tangential * d.contact.sliding +
                             impact.solution.normal * d.contact.opening);
  }

  /// If the rebound is too slow to be resolved and the contact would close again, replaces the
  /// impact by one without restitution, after which the contact stays closed.
  /// @returns whether the impact was replaced
  bool MakeLastImpact(const ContactDynamics& d, Impact& impact) const {
    Impact last = impact;
    last.problem.restitution = 0.0;
    last.solution = SolveRouth(last.problem);
    const Vec2 after = VelocityAfter(d, last);
    MotionState state = state_;
    state[2] = after[0];
    state[3] = after[1];
    const double fall = -Dynamics(t_, state).free_acceleration[1];
    // Fixed steps cannot resolve a hop (duration 2 c/fall) that lasts at most two steps.
    const double min_speed = std::max(control_.rest_speed, fall * control_.fixed_step);
    if (fall <= 0.0 || impact.solution.c >= min_speed) return false;
    impact = std::move(last);
    return true;
  }

  /// Chooses the phase that follows when the contact is closed and c = 0.
  /// @param s  sliding velocity, exactly zero if slip has ended
  void Settle(double s) {
    const ContactDynamics d = Dynamics(t_, state_);
    if (d.free_acceleration[1] >= 0.0) {
      phase_ = MotionPhase::kFlight;
    } else if (s == 0.0 && CanStick(d)) {
      phase_ = MotionPhase::kSticking;
      state_[2] = state_[3] = 0.0;
    } else {
      StartSliding(d, s > 0.0 ? 1 : s < 0.0 ? -1 : SlipFromRest(d), s);
    }
    Record();
  }

  /// Whether friction can hold the mechanism at s = c = 0. Then both angles rest, unless J_s
  /// and J_c are parallel (O, A and the contact in line) and the mechanism swings through.
  bool CanStick(const ContactDynamics& d) const {
    const Vec2 forces = StickingForces(d);
    return W(state_).norm() < kMinRate && forces[1] >= 0.0 &&
           std::abs(forces[0]) <= mu_ * forces[1];
  }

  /// The direction of slip from s = 0 in which s' has the sign of the slip; 0 if there is none.
  int SlipFromRest(const ContactDynamics& d) const {
    for (const int slip : {1, -1}) {
      const double normal = -d.free_acceleration[1] / Response(d, slip);
      const double rate = d.free_acceleration[0] + (d.epsilon - mu_ * slip * d.alpha) * normal;
      if (normal >= 0.0 && slip * rate >= 0.0) return slip;
    }
    return 0;
  }

  void StartSliding(const ContactDynamics& d, int slip, double s) {
    slip_ = slip;
    phase_ = MotionPhase::kSliding;
    if (slip != 0 && Response(d, slip) > kJam * d.gamma) return;
    if (s != 0.0) {
      Hit();  // no force can hold the contact; an impulse ends the slip
    } else {
      phase_ = MotionPhase::kFlight;
      run_.stop_reason = "the contact jams: no force is consistent with the friction (Painleve)";
    }
  }

  void Slide() {
    const auto normal = [this](double t, const MotionState& y) { return Forces(t, y)[1]; };
    const auto slip = [this](double, const MotionState& y) {
      return slip_ * mechanism_.Contact(Q(y), W(y)).sliding.dot(W(y));
    };
    const auto response = [this](double t, const MotionState& y) {
      const ContactDynamics d = Dynamics(t, y);
      return Response(d, slip_) - kJam * d.gamma;
    };
    std::vector<MotionWatch> watches = {{normal, {}}};
    if (mu_ > 0.0) watches.insert(watches.end(), {{slip, {}}, {response, {}}});
    const int ended_by = IntegratePhase(std::move(watches));
    if (ended_by == 0) {
      phase_ = MotionPhase::kFlight;
      Record();
    } else if (ended_by == 1) {
      Settle(0.0);
    } else if (ended_by == 2) {
      Hit();
    }
  }

  /// The whole mechanism rests until a drive moves it.
  void Stick() {
    const auto reserve = [this](double t, const MotionState& y) {
      const Vec2 forces = Forces(t, y);
      return mu_ * forces[1] - std::abs(forces[0]);
    };
    if (IntegratePhase({{reserve, {}}}) != 0) return;
    const ContactDynamics d = Dynamics(t_, state_);
    if (d.free_acceleration[1] >= 0.0) {
      phase_ = MotionPhase::kFlight;
    } else {
      StartSliding(d, StickingForces(d)[0] > 0.0 ? -1 : 1, 0.0);
    }
    Record();
  }

  const ContactMechanism& mechanism_;
  const ImpactRunControl& control_;
  double mu_, restitution_;
  double t_ = 0.0;
  MotionState state_;  // q, w, supplied, damped, rubbed
  double struck_ = 0.0;
  MotionPhase phase_ = MotionPhase::kFlight;
  int slip_ = 0;
  int events_ = 0;
  ImpactRun run_;
};

}  // namespace

const char* Name(MotionPhase phase) {
  switch (phase) {
    case MotionPhase::kFlight:
      return "flight";
    case MotionPhase::kSliding:
      return "sliding";
    case MotionPhase::kSticking:
      return "sticking";
    case MotionPhase::kCompliant:
      return "contact";
  }
  return "unknown";
}

ImpactRun RunWithImpacts(const ContactMechanism& mechanism, const ImpactRunStart& start,
                         const ImpactRunControl& control) {
  return PhaseRunner(mechanism, start, control).Run();
}

}  // namespace scree::impact
