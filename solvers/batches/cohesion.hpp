/// \file  Attraction of two surfaces in contact by a constant force: an additional law
///        (solvers/batches/additional_law.hpp).
///
/// Up to a gap of d the bodies attract each other with a force f along the normal. Before the first
/// sweep a receives L = −f dt n, and b receives −L. The sweeps solve for the remaining impulse λ,
/// which balances f and the external load. Friction, rolling resistance and opening follow the cone
///
///     ‖λ_t‖ ≤ μ λₙ,   λₙ ≥ 0,   λₙ = Nₙ + f dt
///
/// where N = λ + L is the impulse that a scale would measure: Coulomb's cone with its apex at
/// Nₙ = −f dt. A contact opens if it is pulled by more than f. In a step in which the bodies enter
/// or leave the range, L has the work on their path instead (engine/contacts/attraction.hpp).
/// Contact dynamics uses the same law: A. Taboada, N. Estrada, F. Radjaï, Phys. Rev. Lett. 97
/// (2006) 098302.
///
/// The force of a pair is the sum of a constant and 3/2 π w R, with the work of adhesion w and
/// 1/R = 1/r_a + 1/r_b: the pull-off force of K. L. Johnson, K. Kendall, A. D. Roberts, Proc. R.
/// Soc. Lond. A 324 (1971) 301.
#pragma once

#include <algorithm>
#include <numbers>

#include "solvers/batches/additional_law.hpp"
#include "solvers/one_contact/rigid_body.hpp"

namespace scree {

/// Default of d in radii of the smaller body: so short that the work against the attraction is
/// negligible, but so long that velocity errors of the sweeps do not separate two bodies.
inline constexpr double kAttractionRadii = 1e-3;

struct PairCohesion {
  double force = 0.0;     // constant part of f, ≥ 0 [N]
  double adhesion = 0.0;  // w ≥ 0 [J/m²]
  double range = -1.0;    // d; < 0: kAttractionRadii times the smaller radius [m]

  bool IsActive() const { return force != 0.0 || adhesion != 0.0; }
  friend bool operator==(const PairCohesion&, const PairCohesion&) = default;
};

/// The pull of one contact or of a packet of eight.
template <class Real>
struct CohesionData {
  Real pull{};  // f dt, 0 beyond the range [N s]
};

struct CohesionLaw {
  static constexpr const char* kName = "cohesion";
  using Pair = PairCohesion;
  template <class Real>
  using Data = CohesionData<Real>;

  static constexpr bool kIsGiven = true;
  static constexpr bool kActsAsLambda = false;
  static constexpr bool kIsOfBonds = false;
  static constexpr bool kGrowsWithLoad = false;

  /// f of a contact that is within the range [N].
  static double Force(const PairCohesion& pair, double radius_a, double radius_b) {
    return pair.force +
           1.5 * std::numbers::pi * pair.adhesion * EffectiveRadius(radius_a, radius_b);
  }

  /// d of two bodies, of which the smaller has this radius [m]. If the pair gives no d, MakeData
  /// may use a larger one.
  static double Range(const PairCohesion& pair, double smaller_radius) {
    return pair.range >= 0.0 ? pair.range : kAttractionRadii * smaller_radius;
  }

  static CohesionData<double> MakeData(const PairCohesion& pair, const LawContact& contact) {
    const double smaller = std::min(contact.radius_a, contact.radius_b);
    double range = Range(pair, smaller);
    // A block that rocks on its face, or two spheres that turn about each other, open contacts that
    // still carry load. They keep L.
    if (pair.range < 0.0) range = std::max(range, contact.held_gap);
    if (contact.gap > range) return {};
    return {contact.dt * Force(pair, contact.radius_a, contact.radius_b)};
  }

  template <class Bodies>
  SCREE_INLINE static void Apply(const CohesionData<Double8>&, const Vector3<Double8>& impulse,
                                 Bodies& bodies) {
    bodies.ApplyAlongNormal(impulse);
  }

  static Vec3 TermOnBody(const CohesionData<Double8>&, std::size_t, double sign,
                         const Vec3& impulse) {
    return sign * impulse;
  }
  static void ApplySum(const Vec3& sum, SphereBody& body) { body.v += body.inverse_mass * sum; }

  static Wrench WrenchOnA(const CohesionData<double>&, const Vec3& impulse, double) {
    return {impulse, Vec3::Zero()};
  }
};

}  // namespace scree
