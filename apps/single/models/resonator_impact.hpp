/// \file  An impact on a body that rings, step by step. The energy corrections of Papetti, Avanzini
///        & Rocchesso are extended to it, as the outlook of their section V suggests.
///
/// A mass m strikes a body of modes q'' + 2 d q' + (ω² + d²) q = g f (resonator.hpp) through the
/// Hunt-Crossley contact (hunt_crossley.hpp). Its compression is now x = y − Σ q, where y is the
/// position of the mass. With v = x' and 1/M = 1/m + Σ g,
///
///     v' = −f/M + s,     s = f_e/m + Σ (2 d q' + (ω² + d²) q),
///
/// so the body responds at once like a free mass 1/Σ g, and its springs and the external force f_e
/// add s later. With dV = f v dt/(1 + μ v) for the elastic energy V = k x^(α+1)/(α+1),
///
///     V(x) = M (K(v_in) − K(v) + W),     W = ∫ v s/(1 + μ v) dt,
///
/// which is (3) for a wall, where M = m and s = 0. W is the trapezoid sum of a smooth integrand
/// that is small in short contacts. The hybrid correction computes x from V(x). At release V = 0,
/// so K(v_out) = K(v_in) + W = K(v_eq): the outbound constraint is (7) for the equivalent inbound
/// velocity v_eq. The constraint changes v by an impulse between both bodies, so momentum is
/// conserved. Unlike for a wall, corrections allow an external force.
#pragma once

#include <vector>

#include "apps/single/models/ringing_bodies.hpp"
#include "apps/single/models/stepped_impact.hpp"

namespace scree::impact {

struct ResonatorImpactSetup {
  SteppedImpactSetup impact;         // the mass, the contact, the method and its corrections
  std::vector<ResonatorMode> modes;  // gains > 0 [1/kg]; empty: a wall
};

struct ResonatorImpactSample {
  double t = 0.0;              // [s]
  double x = 0.0;              // compression [m]
  double v = 0.0;              // x' [m/s]
  double mass_velocity = 0.0;  // y' [m/s]
  double force = 0.0;          // on the struck body [N]
  ImpactEnergies energies;     // losses by the trapezoid rule
};

struct ResonatorImpact {
  std::vector<ResonatorImpactSample> samples;  // the last one is the first with x ≤ 0, if released
  double step = 0.0;                           // [s]
  bool released = false;
  bool is_outbound_constrained = false;  // whether the outbound velocity comes from (7)

  int Steps() const { return static_cast<int>(samples.size()) - 1; }
};

/// Simulates the impact by a method of impact_stepper.hpp. For a wall, the results are those of
/// ImpactRunner. Modes are propagated exactly under a constant force: their positions under the
/// mean force by which the method moves the mass, their velocities under the mean force by which it
/// accelerates the mass. Therefore modes may oscillate faster than the sampling rate, and the
/// integration itself adds or removes no energy of a mode.
/// @throws InputError for values out of range, and like ImpactRunner for contacts of few samples
/// @throws SimulationError if the state does not stay finite
ResonatorImpact SimulateResonatorImpact(const ResonatorImpactSetup& setup);

/// The same impact by Dormand and Prince's 5(4) with an error of 1e-13 per step, up to the instant
/// of release, for comparison. It has samples at the sampling rate, and one at release.
ResonatorImpact ExactResonatorImpact(const ResonatorImpactSetup& setup);

/// The modes with all gains scaled so that the body responds to a blow like a free body of
/// `mass` = 1/Σ g [kg].
std::vector<ResonatorMode> ScaleToMass(std::span<const ResonatorMode> modes, double mass);

}  // namespace scree::impact
