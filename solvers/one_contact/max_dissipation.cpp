#include "solvers/one_contact/max_dissipation.hpp"

#include <cmath>

#include "solvers/one_contact/conic_section.hpp"
#include "solvers/one_contact/grazing.hpp"

namespace scree {

OneContactSolution SolveMaxDissipation(const OneContact& contact) {
  if (contact.b[0] < 0.0) return {};
  const NormalizedContact normalized(contact);
  const OneContact& problem = normalized.contact;
  if (problem.mu == 0.0) {
    const Vec3 x(problem.b[0] / problem.a(0, 0), 0.0, 0.0);
    return Restore(normalized, x, ContactState::kFrictionless);
  }
  if (const StickCandidate stick = FindStick(problem); stick.in_cone) {
    return Restore(normalized, stick.x, ContactState::kStick);
  }
  if (contact.b[0] == 0.0) {
    const Vec3 x = MinEnergyOnRays(problem);
    const bool slips = x[0] > 0.0;
    return Restore(normalized, x, slips ? ContactState::kSlip : ContactState::kZero);
  }
  return Restore(normalized, ConicSection(problem).MinEnergyPoint(), ContactState::kSlip);
}

}  // namespace scree
