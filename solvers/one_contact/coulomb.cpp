#include "solvers/one_contact/coulomb.hpp"

#include <algorithm>

#include "solvers/one_contact/conic_section.hpp"
#include "solvers/one_contact/grazing.hpp"

namespace scree {
namespace {

void Add(CoulombSolutions& solutions, const OneContactSolution& solution) {
  solutions.values[static_cast<std::size_t>(solutions.count++)] = solution;
}

}  // namespace

CoulombSolutions FindCoulombSolutions(const OneContact& contact) {
  CoulombSolutions solutions;
  if (contact.b[0] < 0.0) {
    Add(solutions, {});
    return solutions;
  }
  const NormalizedContact normalized(contact);
  const OneContact& problem = normalized.contact;
  const auto add = [&](const Vec3& x, ContactState state) {
    Add(solutions, SolutionOf(normalized, x, state));
  };
  if (problem.mu == 0.0) {
    const Vec3 x(problem.b[0] / problem.a(0, 0), 0.0, 0.0);
    Add(solutions, Restore(normalized, x, ContactState::kFrictionless));
    return solutions;
  }
  const bool is_grazing = contact.b[0] == 0.0;
  const StickCandidate stick = FindStick(problem);
  if (stick.in_cone) add(stick.x, ContactState::kStick);
  if (is_grazing && !(stick.in_cone && stick.x[0] == 0.0)) add(Vec3::Zero(), ContactState::kZero);
  const SlipList slips =
      is_grazing ? CoulombSlipsOnRays(problem) : ConicSection(problem).CoulombSlips();
  const auto slip_at = [&](int i) { return slips.values[static_cast<std::size_t>(i)]; };
  // Index of a slip without velocity: the sticking impulse, on the surface of the cone.
  int resting_slip = -1;
  for (int i = 0; i < slips.count; ++i) {
    if (IsSticking(problem, slip_at(i))) {
      resting_slip = i;
    } else {
      add(slip_at(i), ContactState::kSlip);
    }
  }
  if (resting_slip >= 0 && !stick.in_cone) add(slip_at(resting_slip), ContactState::kSlip);
  // Stick and slip coincide where the sticking impulse leaves the cone. If rounding hides one of
  // the two there, the number of solutions is even, and the missing solution is added.
  if (!is_grazing && solutions.count % 2 == 0) {
    if (stick.in_cone) {
      add(resting_slip >= 0 ? slip_at(resting_slip) : stick.x, ContactState::kSlip);
    } else if (resting_slip >= 0) {
      add(slip_at(resting_slip), ContactState::kStick);
    }
  }
  // Rounding may also hide both. Then the solution of maximum dissipation is added, which coincides
  // with stick and slip there.
  if (solutions.count == 0) add(ConicSection(problem).MinEnergyPoint(), ContactState::kSlip);
  std::sort(solutions.values.begin(), solutions.values.begin() + solutions.count,
            [](const auto& x, const auto& y) { return x.energy < y.energy; });
  for (int i = 0; i < solutions.count; ++i) {
    OneContactSolution& solution = solutions.values[static_cast<std::size_t>(i)];
    solution = Restore(normalized, solution);
  }
  return solutions;
}

OneContactSolution SolveCoulomb(const OneContact& contact) {
  if (contact.b[0] < 0.0) return {};
  if (contact.mu > 0.0) {
    // A⁻¹⋅b has the lowest energy of all impulses, so slips need not be computed.
    const NormalizedContact normalized(contact);
    const StickCandidate stick = FindStick(normalized.contact);
    if (stick.in_cone) return Restore(normalized, stick.x, ContactState::kStick);
  }
  return FindCoulombSolutions(contact).values[0];
}

}  // namespace scree
