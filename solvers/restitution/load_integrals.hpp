/// \file  The two integrals over the undamped impact that give the restitution at small damping.
///
/// Equations (13), (39)-(40), (47)-(57) of Chatterjee, James & Brogliato (2022), see
/// viscoelastic.hpp. α and β are the exponents of the elastic and the damping force, g̃ is the
/// dimensionless constant load. The largest deformation u_M of the undamped impact solves
/// u_M^(α+1)/(α+1) − g̃ u_M = 1/2. With R(u) = 1 + 2 (g̃ u − u^(α+1)/(α+1)) the integrals are
///
///     I₀ = 2 ∫₀^u_M √R u^(β−1) du,    Q₀ = ∫₀^u_M u^(β−1)/√R du.
#pragma once

namespace scree::impact {

struct LoadIntegrals {
  double i0 = 0.0;  // I₀ [-]
  double q0 = 0.0;  // Q₀ [-]
};

/// u_M of (13).
/// @pre alpha ≥ 1, load ≥ 0
double MaxDeformation(double alpha, double load);

/// I₀ and Q₀ by Gauss-Legendre quadrature, with a relative error of 1e-12 for loads up to 1e4.
/// @pre alpha, beta ≥ 1, load ≥ 0
LoadIntegrals IntegrateLoad(double alpha, double beta, double load);

/// I₀ and Q₀ at g̃ = 0 in closed form, (43) and (44).
LoadIntegrals IntegralsWithoutLoad(double alpha, double beta);

/// I₀ and Q₀ by proposition 3: sums of Beta functions from an interpolation at n Chebyshev nodes, n
/// odd. For n = 21, the paper's choice, the relative error is 1e-4 to 7e-4 (I₀) and up to 6e-3
/// (Q₀). Larger n do not help, because the paper's recurrence for the coefficients a_jk amplifies
/// rounding like (2+√3)ⁿ.
LoadIntegrals ApproximateLoadIntegrals(double alpha, double beta, double load, int n = 21);

}  // namespace scree::impact
