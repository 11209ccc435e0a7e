/// \file  The restitution rule, which sets the rebound velocity of a contact.
///
/// Moreau's rule, adapted to speculative contacts. Let v be the normal velocity of a contact at the
/// beginning of a step, before the forces; vᶠ the normal velocity after the forces; ξ the gap; s
/// the touching gap; e the coefficient of restitution, and E its maximum over all pairs; and c₀ the
/// minimum final velocity of an inelastic contact. A contact that touches without overlap,
/// 0 < ξ ≤ s, uses max(c₀, −v_thr) instead of c₀. The final velocity is at least c (g: see below):
///
///     impact:      v < −v_thr and (ξ ≤ s or ξ + dt min(v, vᶠ) < s):   c = −e v (if g = 0)
///     separating:  v > v_thr:                                         c = min(c₀, −E v)
///     otherwise:                                                      c = c₀
///     v_thr = max(the scene's threshold, 5 g dt for the largest possible g)
///
/// A contact with the stored impulse λ and the inverse masses w is under load if it touches, ξ ≤ s,
/// and |v| is below 5 λₙ (w_a + w_b), which is 5 g dt for a body on a floor. It gets c₀ and keeps
/// λ. Its v is only the residual of the last step's sweeps, which rebounds would sustain: without
/// this rule, a cell compressed along one axis with e = 0.5 dissipated four times too much.
///
/// Weight and other forces may accelerate a body towards a wall or another body, with the
/// acceleration g > 0. The body then arrives at a higher speed V, and rises from the wall, not from
/// its present position. Velocities are those of the middle of a step (leapfrog). Each bounce of a
/// ball therefore reaches e² of the previous height, for any dt, with
///
///     V² = (|v| + g dt/2)² + 2 g ξ,    (c + g dt/2)² = e² V² − 2 g ξ,    ξ > 0,    c ≤ −e v.
///
/// For e = 1, or if g dt is small compared with |v|, this is c = −e v. A body that would not reach
/// ξ again gets c = −g dt/2, or min(c₀, 0) if that is larger. An impact of a pair with e = 0 is
/// inelastic and gets c₀. Gaps up to s count as zero, so that touching particles are active in the
/// impacts of their neighbours even if rounding opens their gaps.
///
/// Cohesion (attraction.hpp) attracts the bodies with the acceleration a up to the gap d, and their
/// velocity at ξ is v − H. V² is then (H − v)² + 2 a min(ξ, d), and on the way back from contact
/// the bodies lose 2 a per length, up to the gap at the end of the step or d. For ξ > d this is
///
///     c² = e² (v² + 2 a d) − 2 a d,    and c = c₀ (the bodies stick) if c² would not be positive.
///
/// Source: J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics (1988), for
/// c = −e v. With vᶠ instead of v a rebound would gain energy. With the gap's contribution −ξ/dt
/// added to c, a contact would hardly rebound. As c ≤ −E v in all contacts, the frictionless
/// solution gains no energy: λ⋅(v + A λ) = λ⋅c ≤ −E λ⋅v, so that the gain λ⋅v + λ⋅Aλ/2 is at most
/// (1/2 − 1/(1 + E)) λ⋅Aλ ≤ 0. (Exceptions: contacts slower than v_thr, and the weight and the
/// attraction in a step.)
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "engine/contacts/attraction.hpp"
#include "engine/scene/scene.hpp"
#include "engine/scene/step_parameters.hpp"
#include "solvers/restitution/restitution_law.hpp"

namespace scree {

/// Whether some pair of materials rebounds.
bool HasReboundingPair(const MaterialTable& materials);

/// s of scenes in which some pair rebounds: equal to the overlap that the projection leaves [m].
inline double TouchingGap(double smallest_radius) { return kSlopRadii * smallest_radius; }

/// A contact does not rebound if its weight or its load would stop it in this number of steps.
inline constexpr double kStepsToStop = 5.0;

/// v_thr [m/s].
inline double ReboundThreshold(const Scene& scene, double dt) {
  return std::max(scene.restitution_threshold, kStepsToStop * MaxBodyAcceleration(scene) * dt);
}

/// The normal motion of a contact, the input of the rule.
struct NormalMotion {
  double gap = 0.0;             // ξ [m]
  double start_velocity = 0.0;  // v, before the forces [m/s]
  double free_velocity = 0.0;   // vᶠ, after the forces [m/s]
};

/// The two bodies of a contact, the input of the restitution laws.
struct ImpactingBodies {
  MaterialId a = 0, b = 0;
  double inverse_mass = 1.0;              // w_a + w_b [1/kg], > 0
  double radius_a = 1.0, radius_b = 1.0;  // infinite for a wall [m], > 0
  double load = 0.0;  // acceleration of the bodies towards each other by forces [m/s²], ≥ 0
  Attraction attraction = {};  // by cohesion
};

/// b = −c of a contact, and whether the contact is an impact.
struct Rebound {
  double bias = 0.0;  // [m/s]
  bool is_impact = false;
};

class Restitution {
 public:
  Restitution() = default;
  /// Computes the tables of all laws in the scene that the process has not used before. A table
  /// takes 0.1 s, or a second if it depends on the load.
  /// @param touching_gap  s [m]
  /// @throws InputError with the materials, the value and the expected range
  Restitution(const Scene& scene, double dt, double touching_gap = 0.0);

  /// Sets the length of the following steps.
  void SetStep(const Scene& scene, double dt) {
    dt_ = dt;
    threshold_ = ReboundThreshold(scene, dt);
  }

  /// Whether some pair rebounds. If none does, the rule changes nothing.
  bool CanRebound() const { return !pairs_.empty(); }

  /// v_thr [m/s].
  double Threshold() const { return threshold_; }

  /// Whether the rule needs e for this contact: it is an impact or separates. There are no
  /// branches, because the processor cannot predict the case.
  /// @param inelastic_bias  −c₀ [m/s]
  bool NeedsCoefficient(const NormalMotion& motion, double inelastic_bias) const {
    const double v = motion.start_velocity;
    const bool closes = (motion.gap <= touching_gap_) |
                        (motion.gap + dt_ * std::min(v, motion.free_velocity) < touching_gap_);
    // If a separating contact has −c₀ ≥ v, then c = c₀ for any E ≤ 1.
    return ((v < -threshold_) & closes) | ((v > threshold_) & (v > inelastic_bias));
  }

  /// Whether a contact that needs its coefficient is under load: it touches, and kStepsToStop
  /// impulses like that of the last step would stop it.
  /// @param change  λₙ (w_a + w_b): change of the normal velocity by that impulse [m/s], ≥ 0
  bool IsUnderLoad(const NormalMotion& motion, double change) const {
    return motion.gap <= touching_gap_ && std::abs(motion.start_velocity) < kStepsToStop * change;
  }

  /// −c₀ of a contact, or −max(c₀, −v_thr) if it touches without overlap.
  double InelasticBias(double gap, double bias) const {
    const bool touches = (gap > 0.0) & (gap <= touching_gap_);
    return touches ? std::min(bias, threshold_) : bias;
  }

  /// Applies the rule to a contact for which NeedsCoefficient is true. Neither allocates nor
  /// throws. Exchanging the two bodies changes no bit.
  Rebound Apply(const NormalMotion& motion, double inelastic_bias,
                const ImpactingBodies& bodies) const {
    const double v = motion.start_velocity;
    if (v > 0.0) return {std::max(inelastic_bias, max_e_ * v), false};
    if (bodies.load == 0.0 && !bodies.attraction.IsActive()) {
      const double e = Coefficient(bodies, -v);
      return e == 0.0 ? Rebound{inelastic_bias, false} : Rebound{e * v, true};
    }
    const double kick = 0.5 * dt_ * bodies.load;                        // g dt/2
    const double fall = 2.0 * bodies.load * std::max(motion.gap, 0.0);  // 2 g ξ
    const double pull = bodies.attraction.WorkFrom(motion.gap);         // 2 a min(ξ, d)
    const double speed_at_gap = kick + bodies.attraction.LagAt(motion.gap) - v;
    const double square = speed_at_gap * speed_at_gap + fall + pull;  // V²
    const double e = Coefficient(bodies, std::sqrt(square));
    if (e == 0.0) return {inelastic_bias, false};
    const double returning = e * e * square - fall - pull;  // square of the speed back at ξ
    if (bodies.attraction.IsActive()) {
      if (returning <= 0.0) return {inelastic_bias, false};
      const double speed = bodies.attraction.SpeedAfterSeparation(returning, motion.gap, dt_);
      return {std::min(kick - speed, std::max(inelastic_bias, 0.0)), true};
    }
    const double bias = kick - std::sqrt(std::max(returning, 0.0));
    return {std::min(bias, std::max(inelastic_bias, 0.0)), true};
  }

  /// e of two bodies that approach each other with this speed > 0 [m/s].
  /// @pre CanRebound()
  double Coefficient(const ImpactingBodies& bodies, double speed) const {
    const Pair& pair = pairs_[static_cast<std::size_t>(bodies.a) * materials_ +
                              static_cast<std::size_t>(bodies.b)];
    return pair.table == nullptr ? pair.constant : EvaluateLaw(pair, bodies, speed);
  }

 private:
  /// ln γ and ln g̃ (restitution_law.hpp) of a contact at 1 m/s are linear in ln(k/m), with the
  /// stiffness k and the reduced mass m.
  struct Pair {
    double constant = 0.0;
    std::shared_ptr<const impact::RestitutionTable> table;  // null: constant
    double stiffness = 1.0;           // k; if is_hertzian, k at 1/r_a + 1/r_b = 1 m⁻¹
    bool is_hertzian = false;         // k is proportional to (1/r_a + 1/r_b)^(−1/2)
    bool needs_load = false;          // e depends on the load
    impact::PairScales at_unit_rate;  // at k/m = 1, and at a load of 1 m/s²
    impact::PairScales per_log_rate;  // per unit of ln(k/m)
    // Cache: ln(k/m) of the last contact, because most scenes have few sizes.
    mutable double last_inverse_mass = 0.0, last_radius_a = 0.0, last_radius_b = 0.0;
    mutable double last_log_rate = 0.0;
  };

  static Pair MakePair(const MaterialTable& materials, MaterialId a, MaterialId b);
  static double LogRate(const Pair& pair, const ImpactingBodies& bodies);
  static double EvaluateLaw(const Pair& pair, const ImpactingBodies& bodies, double speed);

  double dt_ = 0.0;
  double threshold_ = 0.0;
  double touching_gap_ = 0.0;  // s [m]
  double max_e_ = 0.0;         // E; 1 for a law, which has e = 1 for slow impacts
  std::size_t materials_ = 0;
  std::vector<Pair> pairs_;  // materials_ x materials_; empty: nothing rebounds
};

}  // namespace scree
