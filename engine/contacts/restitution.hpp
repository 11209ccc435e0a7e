/// \file  How fast a contact has to rebound, in a form that a step of many contacts can afford.
///
/// Moreau's rule made to work with speculative contacts. With m the normal velocity of a contact
/// at the beginning of a step, before the forces, δvₙᶠ that after them, ξ the gap, c₀ the least
/// final velocity that an inelastic contact demands, and E the greatest e of all pairs, c₀ of what
/// touches without overlap, 0 < ξ ≤ s, is first cut to max(c₀, −v_thr) whatever its motion, and
///
///     impact:      m < −v_thr and (ξ ≤ s or ξ + dt min(m, δvₙᶠ) < s):   c = −e m, or below
///     separating:  m > v_thr:                                           c = min(c₀, −E m)
///     otherwise:                                                        c = c₀
///     v_thr = max(what the scene asks for, 5 g dt)
///
/// A body that weight and other forces accelerate towards a wall with g > 0, or towards another
/// body, is faster when it arrives, with V, and rises from the wall, not from where this step finds
/// it. As velocities are of the middle of a step (leapfrog), a ball has after each bounce e² of the
/// height that it had, whatever dt, with
///
///     V² = (|m| + g dt/2)² + 2 g ξ,    (c + g dt/2)² = e² V² − 2 g ξ,    ξ > 0,    c ≤ −e m,
///
/// which is c = −e m for e = 1 and where g dt is nothing to m; what would not reach ξ again gets
/// c = −g dt/2, or c₀. An impact of a pair with e = 0 is inelastic, c₀. s is a gap that counts as
/// none, so that what touches takes part in the impacts of its neighbours whatever rounding makes
/// of its gap.
///
/// Source: J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics (1988), for
/// c = −e m. Taken from δvₙᶠ instead of m it would gain energy; with the gap's allowance left in
/// place at an impact it would hardly rebound. As c ≤ −E m in all contacts, the frictionless
/// solution gains no energy: λ⋅(m + A λ) = λ⋅c ≤ −E λ⋅m, so that ΔE = λ⋅m + λ⋅Aλ/2 is at most
/// (1/2 − 1/(1 + E)) λ⋅Aλ ≤ 0. (But for contacts slower than v_thr, and the weight of a step.)
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "engine/scene/scene.hpp"
#include "engine/scene/step_parameters.hpp"
#include "solvers/restitution/restitution_law.hpp"

namespace scree {

bool AnyRebounds(const MaterialTable& materials);

/// s of scenes in which some pair rebounds: as large as the overlap that the projection leaves [m].
inline double TouchingGap(double smallest_radius) { return kSlopRadii * smallest_radius; }

/// v_thr [m/s].
inline double ReboundThreshold(const Scene& scene, double dt) {
  return std::max(scene.restitution_threshold, 5.0 * MaxBodyAcceleration(scene) * dt);
}

/// What the rule asks about a contact.
struct NormalMotion {
  double gap = 0.0;     // ξ [m]
  double before = 0.0;  // m: δvₙ before the forces [m/s]
  double free = 0.0;    // δvₙᶠ: after them [m/s]
};

/// What the laws ask about its two bodies.
struct ImpactingBodies {
  MaterialId a = 0, b = 0;
  double inverse_mass = 1.0;              // w_a + w_b [1/kg], > 0
  double radius_a = 1.0, radius_b = 1.0;  // of a wall infinite [m], > 0
  double load = 0.0;  // by how much forces accelerate them towards each other [m/s²], ≥ 0
};

/// b = −c of a contact, and whether c is that of an impact.
struct Rebound {
  double bias = 0.0;  // [m/s]
  bool is_impact = false;
};

/// The restitution of all pairs of materials.
class Restitution {
 public:
  Restitution() = default;
  /// Makes the tables of the laws that occur: 0.1 s each, a second with loads.
  /// @param closed  s [m]
  /// @throws InputError naming materials, value and what would be right
  Restitution(const Scene& scene, double dt, double closed = 0.0);

  /// Goes on with steps of another length.
  void SetStep(const Scene& scene, double dt) {
    dt_ = dt;
    threshold_ = ReboundThreshold(scene, dt);
  }

  /// Whether some pair rebounds; if none does, the rule changes nothing.
  bool Any() const { return !pairs_.empty(); }

  /// v_thr [m/s].
  double Threshold() const { return threshold_; }

  /// Which case of the rule a contact is, as far as that can be told without e: true if e matters.
  /// Written without branches, as which case it is cannot be predicted.
  /// @param inelastic_bias  −c₀ [m/s]
  bool NeedsCoefficient(const NormalMotion& motion, double inelastic_bias) const {
    const double m = motion.before;
    const bool closes =
        (motion.gap <= closed_) | (motion.gap + dt_ * std::min(m, motion.free) < closed_);
    // Of a separating contact with −c₀ ≥ m that is the greater one whatever e is.
    return ((m < -threshold_) & closes) | ((m > threshold_) & (m > inelastic_bias));
  }

  /// −c₀ of a contact whatever its motion, with which the rest of the rule goes on.
  double InelasticBias(double gap, double bias) const {
    const bool closed = (gap > 0.0) & (gap <= closed_);
    return closed ? std::min(bias, threshold_) : bias;
  }

  /// The rule above for a contact that NeedsCoefficient. Neither allocates nor throws; exchanging
  /// the two bodies changes no bit.
  Rebound Apply(const NormalMotion& motion, double inelastic_bias,
                const ImpactingBodies& bodies) const {
    const double m = motion.before;
    if (m > 0.0) return {std::max(inelastic_bias, greatest_ * m), false};
    if (bodies.load == 0.0) {
      const double e = Coefficient(bodies, -m);
      return e == 0.0 ? Rebound{inelastic_bias, false} : Rebound{e * m, true};
    }
    const double kick = 0.5 * dt_ * bodies.load;                        // g dt/2
    const double fall = 2.0 * bodies.load * std::max(motion.gap, 0.0);  // 2 g ξ
    const double square = (kick - m) * (kick - m) + fall;               // V²
    const double e = Coefficient(bodies, std::sqrt(square));
    if (e == 0.0) return {inelastic_bias, false};
    const double bias = kick - std::sqrt(std::max(e * e * square - fall, 0.0));
    return {std::min(bias, std::max(inelastic_bias, 0.0)), true};
  }

  /// e of two bodies that approach each other with this speed > 0 [m/s].
  /// @pre Any()
  double Coefficient(const ImpactingBodies& bodies, double speed) const {
    const Pair& pair = pairs_[static_cast<std::size_t>(bodies.a) * materials_ +
                              static_cast<std::size_t>(bodies.b)];
    return pair.table == nullptr ? pair.constant : ByLaw(pair, bodies, speed);
  }

 private:
  /// ln γ and ln g̃ of a contact at 1 m/s are linear in ln(k/m).
  struct Pair {
    double constant = 0.0;
    const impact::RestitutionTable* table = nullptr;  // null: constant
    double stiffness = 1.0;      // k; or, if by_hertz, k where 1/r_a + 1/r_b = 1/m
    bool by_hertz = false;       // k is as (1/r_a + 1/r_b)^(−1/2)
    bool load = false;           // loads count
    impact::PairScales at_one;   // at k/m = 1, and at a load of 1 m/s²
    impact::PairScales per_log;  // per unit of ln(k/m)
    // ln(k/m) of the last two bodies: most scenes have few sizes.
    mutable double last_inverse_mass = 0.0, last_radius_a = 0.0, last_radius_b = 0.0;
    mutable double last_log_rate = 0.0;
  };

  Pair MakePair(const MaterialTable& materials, MaterialId a, MaterialId b);
  const impact::RestitutionTable* TableOf(const PairRestitution& restitution);
  static double LogRate(const Pair& pair, const ImpactingBodies& bodies);
  static double ByLaw(const Pair& pair, const ImpactingBodies& bodies, double speed);

  struct NamedTable {
    std::string law;
    bool load;
    std::shared_ptr<const impact::RestitutionTable> table;  // copies share it
  };

  double dt_ = 0.0;
  double threshold_ = 0.0;
  double closed_ = 0.0;    // s [m]
  double greatest_ = 0.0;  // E; of a law 1, which it has of slow impacts
  std::size_t materials_ = 0;
  std::vector<Pair> pairs_;  // materials_ x materials_; empty: nothing rebounds
  std::vector<NamedTable> tables_;
};

}  // namespace scree
