/// \file  One impact on a viscoelastic contact under constant load, integrated to rounding.
///
/// The dimensionless equations are those of A. Chatterjee, G. James, B. Brogliato, Approximate
/// coefficient of restitution for nonlinear viscoelastic contact with external load, Granular
/// Matter 24 (2022) 124, equation (6):
///
///     du/dτ = w − γ u^β,   dw/dτ = −u^α + g̃,   u(0) = 0, w(0) = 1,
///
/// where u is the deformation, τ the time, and the constants are those of ScaledImpact. Non-integer
/// powers of u have no Taylor series at u = 0, where every impact begins and most impacts end, so
/// that a method of high order loses its order there. We therefore integrate
///
///     u = y^q,  dτ = y^(q−1) dσ:    dy/dσ = (w − γ y^(qβ))/q,   dw/dσ = (g̃ − y^(qα)) y^(q−1)
///
/// with q = 2, 4 or 6 so that the powers are whole or at least smooth; for α = 3/2 and β = 1, 3/2,
/// 5/2 the right-hand sides are polynomials. y crosses zero with the slope w/q. Grazing
/// (u = du/dτ = 0) is a saddle, which an orbit passes at most once: either y crosses zero, and the
/// bodies detach, or w − γ y^(qβ) crosses zero, and they do not. No second crossing within a step
/// can hide the first.
#pragma once

#include <vector>

namespace scree::impact {

/// The condition that ends an impact.
enum class ImpactEnd {
  kDeformationZero,  // u = 0; the contact may pull shortly before
  kForceZero,  // u^α + γ d(u^β)/dτ = 0: the contact never pulls, some deformation may remain
};

/// An impact in units in which mass, stiffness and approach speed are 1.
struct ScaledImpact {
  double alpha = 1.5;  // exponent of the spring α, ≥ 1 [-]
  double beta = 1.5;   // exponent of the dissipation β, ≥ 1 [-]
  double gamma = 0.0;  // dissipation γ, ≥ 0 [-]
  double load = 0.0;   // load g̃ that presses the bodies together, ≥ 0 [-]
  ImpactEnd end = ImpactEnd::kDeformationZero;
};

struct ImpactResult {
  bool detached = false;
  double restitution = 0.0;  // e = −du/dτ at the end; 0 if not detached [-]
  double loss = 1.0;         // 1 − e², without the cancellation near e = 1 [-]
  // (du/dτ)² + 2 u^(α+1)/(α+1) − 2 g̃ u at the end, or at rest if the body can no longer detach. As
  // γ or g̃ grows, it passes smoothly from e² through zero (grazing) to negative values [-]
  double energy = 0.0;
  double duration = 0.0;  // τ at the end; infinite if the body comes to rest or creeps for ever [-]
  double max_deformation = 0.0;  // largest u up to the end or to rest [-]
  double end_deformation = 0.0;  // u at the end [-]
};

struct ImpactSample {
  double time = 0.0;         // τ [-]
  double deformation = 0.0;  // u [-]
  double velocity = 0.0;     // du/dτ [-]
  double force = 0.0;        // u^α + γ d(u^β)/dτ, pushing if positive [-]
};

/// Tolerated error per step, relative to the size of the variables. Restitutions are accurate to
/// 1e-13. Tables use a larger tolerance (restitution_law.cpp).
inline constexpr double kImpactTolerance = 1e-15;

/// When to end the integration if the body does not detach. kStop: as soon as its energy is
/// negative, so that it can no longer detach. kFollow: when its velocity changes sign again, or
/// when it has come to rest.
enum class OnCapture { kStop, kFollow };

/// Integrates to the end. Without load a body may also creep towards u = 0 for ever. The
/// integration detects this and returns detached = false.
/// @throws InputError unless alpha, beta ≥ 1, gamma, load ≥ 0, all finite
/// @throws SimulationError if the impact creeps for more than kMaxImpactSteps steps
ImpactResult IntegrateImpact(const ScaledImpact& impact, double tolerance = kImpactTolerance,
                             OnCapture on_capture = OnCapture::kStop);

/// The path of an impact, with `parts` samples for each step of the integrator. If the body does
/// not detach, the path ends when the velocity changes sign once more, when the deformation is
/// within a thousandth of the equilibrium or, with very strong damping, after 20 000 steps. If the
/// body creeps back without load, the path ends when the contact would pull.
std::vector<ImpactSample> SampleImpactPath(const ScaledImpact& impact, int parts);

inline constexpr int kMaxImpactSteps = 300000;

}  // namespace scree::impact
