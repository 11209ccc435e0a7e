/// \file  Minimises a quadratic form with a pentadiagonal matrix, subject to bounds.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace scree {

/// Row k of a symmetric matrix C with two side diagonals: Cₖₖ, Cₖ,ₖ₊₁, Cₖ,ₖ₊₂.
using BandedRow = std::array<double, 3>;

/// Memory of the solution, kept between calls.
struct BandedScratch {
  std::vector<BandedRow> factors;  // L D Lᵀ: Dₖ, Lₖ₊₁,ₖ, Lₖ₊₂,ₖ
  std::vector<bool> fixed;         // at a bound, or with a negligible diagonal entry
  std::vector<double> right;
};

/// Reduces ½ α⋅C α − R⋅α from α = 0 by a direct solve with an active set: entries beyond a bound
/// are fixed at the bound, and the others are solved again, in at most ten rounds. Finally α is
/// scaled by the factor, at most 1, that minimises the form along α. Scalar arithmetic gives the
/// same result on every instruction set.
/// @param matrix    C, positive semidefinite; αₖ stays 0 if Cₖₖ is negligible compared with the
///                  largest diagonal entry
/// @param right     R
/// @param lower, upper  bounds, < 0 < upper
/// @param[out] solution  α; zeros if none is found that makes the form negative
void MinimizeBanded(std::span<const BandedRow> matrix, std::span<const double> right, double lower,
                    double upper, BandedScratch& scratch, std::vector<double>& solution);

}  // namespace scree
