/// \file  The least value of a quadratic form of few neighbours, between bounds.
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
  std::vector<bool> held;          // at a bound, or without a diagonal
  std::vector<double> right;
};

/// Lowers ½ α⋅C α − R⋅α from α = 0: a direct solve; entries beyond a bound are held there, and the
/// others solved for again (an active set, in at most ten rounds); in the end α is scaled by what
/// is best along it, at most 1. Plain arithmetic, the same on every instruction set.
/// @param matrix    C, positive semidefinite; where Cₖₖ is nothing beside the greatest, αₖ stays 0
/// @param right     R
/// @param lower, upper  bounds, < 0 < upper
/// @param[out] solution  α; zeros if nothing is lower than zero
void MinimizeBanded(std::span<const BandedRow> matrix, std::span<const double> right, double lower,
                    double upper, BandedScratch& scratch, std::vector<double>& solution);

}  // namespace scree
