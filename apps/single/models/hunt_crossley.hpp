/// \file  Impact of a mass on a wall through a Hunt-Crossley spring and damper: force and closed
///        forms.
///
/// Source: S. Papetti, F. Avanzini, D. Rocchesso, Numerical methods for a nonlinear impact model:
/// a comparative study with closed-form corrections, IEEE Transactions on Audio, Speech, and
/// Language Processing 19 (2011); numbers in brackets are its equations.
///
/// Signs: the compression x is positive in contact, and its velocity v is positive towards the
/// wall. v therefore falls from v_in > 0 at the first touch to v_out < 0 at release.
#pragma once

#include <cmath>

namespace scree::impact {

/// The law (1) and the mass.
struct HuntCrossley {
  double mass = 0.01;      // m, > 0 [kg]
  double stiffness = 1e7;  // k, > 0 [N/m^α]
  double mu = 0.5;         // μ = λ/k, ≥ 0; zero is elastic [s/m]
  double alpha = 1.5;      // exponent α, ≥ 1; 3/2 is Hertz' sphere [-]
};

/// k x^α (1 + μ v) for x > 0, else zero; on the wall [N]. Equation (1).
inline double ContactForce(const HuntCrossley& model, double x, double v) {
  if (x <= 0.0) return 0.0;
  return model.stiffness * std::pow(x, model.alpha) * (1.0 + model.mu * v);
}

/// @throws InputError naming the first parameter out of range, and the range
void CheckModel(const HuntCrossley& model);

/// The compression (f_e/k)^(1/α) [m] at which the contact force balances a constant external force
/// that presses the mass against the wall, m a = −f + f_e. The paper prints −f_e^(1/α)/k, which has
/// the wrong sign and k outside the power.
/// @param external_force  f_e [N]
/// @throws InputError if f_e < 0, because a pulled mass has no equilibrium
double EquilibriumCompression(const HuntCrossley& model, double external_force);

/// K(v) = (μv − log(1 + μv))/μ², K → v²/2 for μ → 0 [m²/s²]; infinite at and beyond the limit
/// velocity −1/μ.
double EnergyFunction(double mu, double v);

/// The v ≥ 0 with K(v) = k [m/s]. @param k  ≥ 0 [m²/s²]
double VelocityOfEnergy(double mu, double k);

/// One impact without external force, in closed form. (3), (4), (6) and (20) are differences of the
/// energy function K above. K is evaluated without cancellation, so these differences are accurate
/// to rounding for any μ ≥ 0.
class HuntCrossleyImpact {
 public:
  /// @param v_in  velocity at the first touch, > 0 [m/s]
  /// @throws InputError
  HuntCrossleyImpact(const HuntCrossley& model, double v_in);

  /// The velocity at release, exact: K(v_out) = K(v_in), equation (6) [m/s].
  double OutboundVelocity() const { return v_out_; }

  /// x(v), equation (3) [m]; zero if v is outside [v_out, v_in], where there is no contact.
  double CompressionAt(double v) const;

  /// x(0), equation (4) [m].
  double MaxCompression() const { return CompressionAt(0.0); }

  /// H(v) = m/2 v² + m (K(v_in) − K(v)), equation (20): kinetic and elastic energy [J].
  double HamiltonianAt(double v) const;

  double InitialEnergy() const { return 0.5 * model_.mass * v_in_ * v_in_; }  // (14) [J]
  double FinalEnergy() const { return 0.5 * model_.mass * v_out_ * v_out_; }  // (17) [J]

  /// Time from the first touch until the velocity is v [s]; part of the integral (9), in which the
  /// paper omits dv. Relative error below 1e-14.
  /// @pre v_out ≤ v ≤ v_in
  double TimeAt(double v) const;

  /// Equation (9) [s].
  double ContactTime() const { return TimeAt(v_out_); }

  const HuntCrossley& model() const { return model_; }
  double v_in() const { return v_in_; }

 private:
  /// ∫ S^(−α/(α+1)) dP over P from 0 to `end`. P is the distance of log(1 + μv)/μ from its value at
  /// the touch, if `is_compression`, or else at the release; S(P) = K(v_in) − K(v).
  double TimeIntegral(double end, bool is_compression) const;

  HuntCrossley model_;
  double v_in_, v_out_;
  double k_in_;  // K(v_in) [m²/s²]
};

}  // namespace scree::impact
