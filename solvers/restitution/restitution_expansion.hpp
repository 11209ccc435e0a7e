/// \file  Closed forms for the restitution of a viscoelastic contact at small damping.
///
/// Equations of Chatterjee, James & Brogliato (2022), see viscoelastic.hpp. γ and g̃ are those of
/// ScaledImpact in impact_integration.hpp, where the exact restitution is computed.
#pragma once

#include "solvers/restitution/load_integrals.hpp"
#include "solvers/restitution/viscoelastic.hpp"

namespace scree::impact {

/// Coefficients of e = 1 − γ C₀ − γ g̃ C₁ − γ² C₂, (20) and (45).
struct ExpansionCoefficients {
  double c0 = 0.0, c1 = 0.0, c2 = 0.0;
};
ExpansionCoefficients Expand(const ContactModel& model);

/// The coefficients that T. Schwager and T. Pöschel (Physical Review E 78 (2008) 051304) printed
/// for the Kuwabara-Kono model without load, (25)-(29); C₁ is that of (20).
ExpansionCoefficients SchwagerPoschel();

/// (18): e = 1 − γ C₀ − γ g̃ C₁, at least 0.
double FirstOrderRestitution(const ExpansionCoefficients& c, double gamma, double load);

/// (46): e = 1 − γ C₀ − γ g̃ C₁ − γ² C₂, at least 0.
double SecondOrderRestitution(const ExpansionCoefficients& c, double gamma, double load);

/// C of (21), e² ≈ 1 − 2 γ C g̃^p with p = β/α + 1/(2α) + 1/2 for g̃ ≫ 1.
double LargeLoadCoefficient(const ContactModel& model);

/// e by (21), at least 0.
double LargeLoadRestitution(const ContactModel& model, double gamma, double load);

/// (22): the load, or the dissipation, above which e of (21) is zero.
double AsymptoticCriticalLoad(const ContactModel& model, double gamma);
double AsymptoticCriticalDissipation(const ContactModel& model, double load);

/// Proposition 1, (36): the smaller of e₊ (37) and e_s (38), from I₀ and Q₀, however they were
/// computed.
double PropositionRestitution(double beta, double gamma, const LoadIntegrals& integrals);

/// 1/(2βQ₀): (37) decreases up to this γ. Beyond it, (37) increases again and is meaningless.
double PropositionLimit(double beta, const LoadIntegrals& integrals);

}  // namespace scree::impact
