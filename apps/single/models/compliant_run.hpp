/// \file  The motion of a mechanism with one compliant contact: flights, and contacts with a force
///        that depends on penetration and its speed, and with Coulomb friction.
///
/// The continuous models of section 6 of [DAMP] (apps/single/README.md); friction is ours. The
/// integrator starts again at touch, at the largest penetration, at each change of slip and stick,
/// and at separation, so that no step crosses a kink of the force.
#pragma once

#include <string>
#include <vector>

#include "apps/single/models/contact_mechanism.hpp"
#include "apps/single/models/hysteresis_damping.hpp"
#include "apps/single/models/impact_run.hpp"

namespace scree::impact {

/// The force as a function of the penetration δ and its rate δ'.
enum class CompliantModel {
  kLinearDamping,  // f = k δⁿ + c δ', c the optimal damping, eq. (50)
  kHuntCrossley,   // f = k δⁿ + μ δⁿ δ', μ by one of eqs. (13) to (19)
};

/// How the damping of kLinearDamping is computed.
enum class LinearDampingSource {
  kFit,    // (49)
  kExact,  // the solution of (23)
};

struct CompliantContact {
  CompliantModel model = CompliantModel::kLinearDamping;
  double stiffness = 1e8;    // k > 0 [N/mⁿ]
  double exponent = 1.5;     // n, in [1, 2] [-]
  double restitution = 0.3;  // e that the damping should give, in ]0, 1] [-]
  double mu = 0.0;           // friction coefficient μ ≥ 0 [-]
  LinearDampingSource linear_source = LinearDampingSource::kFit;      // for kLinearDamping
  HysteresisFormula hysteresis_formula = HysteresisFormula::kFlores;  // for kHuntCrossley
};

struct ForceSample {
  double t = 0.0;            // [s]
  double penetration = 0.0;  // δ [m]
  double speed = 0.0;        // δ' [m/s]
  double force = 0.0;        // f [N]
};

/// One contact from touch to separation. q are the angles at touch. If the force ends while
/// penetration remains, and begins again before the bodies are apart, the same contact continues.
struct CompliantImpact {
  double t = 0.0, duration = 0.0;  // [s]
  Vec2 q = Vec2::Zero(), velocity_before = Vec2::Zero(), velocity_after = Vec2::Zero();
  double effective_mass = 0.0;                     // 1/(J_c M⁻¹ J_cᵀ) at touch [kg]
  double damping = 0.0;                            // c [N s/m] or μ [N s/mⁿ⁺¹]
  double speed_in = 0.0;                           // δ' at touch, > 0 [m/s]
  double speed_out = 0.0;                          // −δ' at separation [m/s]
  double impulse = 0.0;                            // of the contact force [N s]
  double friction_impulse = 0.0;                   // of the friction force [N s]
  double friction_loss = 0.0;                      // energy lost to friction, ≥ 0 [J]
  double max_penetration = 0.0;                    // [m]
  double separation_penetration = 0.0;             // δ where the force vanished [m]
  double max_force = 0.0;                          // [N]
  double energy_before = 0.0, energy_after = 0.0;  // of the mechanism without the spring [J]
  bool has_separated = true;                       // whether it separated before the end of the run
  // Whether a load held it closed for longer than an impact lasts, so that it has no restitution.
  bool is_held_closed = false;
  // A few thousand samples, and both ends. Contacts after the hundredth, and those held closed,
  // have fewer.
  std::vector<ForceSample> force;
};

struct CompliantRun {
  std::vector<MotionSample> trajectory;  // phase kCompliant while in contact
  std::vector<CompliantImpact> impacts;
  std::string stop_reason;  // why the run ended early; empty if it did not
};

/// Runs from (q, w) at t = 0. `control.fixed_step` and `control.rest_speed` have no effect here.
/// @throws InputError naming the parameter that is out of range
/// @throws SimulationError if the motion cannot be integrated
CompliantRun RunCompliant(const ContactMechanism& mechanism, const CompliantContact& contact,
                          const Vec2& q, const Vec2& w, const ImpactRunControl& control);

}  // namespace scree::impact
