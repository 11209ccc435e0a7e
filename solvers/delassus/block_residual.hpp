/// \file  Measures how far impulses are from a contact law, for contacts with general blocks.
#pragma once

#include <span>

#include "solvers/delassus/delassus_problem.hpp"
#include "solvers/sweeps/residual.hpp"

namespace scree {

/// r_j = ‖A_jj (K(λ)_j − λ_j)‖ [m/s], the change of relative velocity by one more relaxation of
/// contact j alone. K(λ)_j is the impulse after this relaxation. All r_j are zero if and only if λ
/// solves the problem under `law`.
Residual ContactResidual(const DelassusProblem& problem, std::span<const Vec3> impulses,
                         ContactLaw law);

/// Residuals of Coulomb's law by its natural map, λ − P_K(λ − ρ ũ), with ũ = u + μ‖u_to‖ n and P_K
/// the projection onto the friction cone. They are not zero at a maximally dissipative solution.
struct NaturalMapResidual {
  // ρ = 1 and ‖⋅‖/‖q‖, as in Acary, Brémond & Huber, On solving contact problems with Coulomb
  // friction: formulations and numerical comparisons (2018). It adds N s to m/s and so depends on
  // the units; it is given for comparison with the literature.
  double relative = 0.0;
  // max_j tr(A_jj)/3 ‖λ_j − P_K(λ_j − ρ_j ũ_j)‖, ρ_j = 3/tr(A_jj): in velocity units [m/s]
  double velocity_max = 0.0;
};
NaturalMapResidual CoulombNaturalMap(const DelassusProblem& problem,
                                     std::span<const Vec3> impulses);

/// The point of the cone ‖x_to‖ ≤ μ xₙ nearest to x.
Vec3 ProjectOnFrictionCone(const Vec3& x, double mu);

}  // namespace scree
