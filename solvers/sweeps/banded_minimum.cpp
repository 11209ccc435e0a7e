#include "solvers/sweeps/banded_minimum.hpp"

#include <algorithm>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

// Diagonal entries below this fraction of the largest one are negligible.
constexpr double kNegligible = 1e-9;
// Relative increase of the diagonal, so that a matrix with twelve correct digits stays definite.
constexpr double kRegularisation = 1e-9;
// Smallest pivot of the elimination relative to the diagonal entry of its row.
constexpr double kMinPivot = 1e-10;

/// Cₖₗ for k and l in any order.
double At(std::span<const BandedRow> matrix, std::size_t k, std::size_t l) {
  const std::size_t first = std::min(k, l), distance = std::max(k, l) - first;
  return distance <= 2 ? matrix[first][distance] : 0.0;
}

std::size_t FirstInBand(std::size_t k) { return k < 2 ? 0 : k - 2; }
std::size_t EndOfBand(std::size_t k, std::size_t count) { return std::min(k + 3, count); }

/// Entry k of C α.
double ProductEntry(std::span<const BandedRow> matrix, std::span<const double> alpha,
                    std::size_t k) {
  double sum = 0.0;
  for (std::size_t l = FirstInBand(k); l < EndOfBand(k, matrix.size()); ++l) {
    sum += At(matrix, k, l) * alpha[l];
  }
  return sum;
}

/// Factorises C = L D Lᵀ. Rows and columns of fixed variables are replaced by those of the
/// identity.
void Factorize(std::span<const BandedRow> matrix, BandedScratch& scratch) {
  std::vector<BandedRow>& factors = scratch.factors;
  const auto entry = [&](std::size_t k, std::size_t l) {
    return scratch.fixed[k] || scratch.fixed[l] ? 0.0 : At(matrix, k, l);
  };
  const std::size_t count = matrix.size();
  for (std::size_t k = 0; k < count; ++k) {
    // Entries of L in row k, and of D, one and two columns before the diagonal.
    const double l_1 = k >= 1 ? factors[k - 1][1] : 0.0, l_2 = k >= 2 ? factors[k - 2][2] : 0.0;
    const double d_1 = k >= 1 ? factors[k - 1][0] : 0.0, d_2 = k >= 2 ? factors[k - 2][0] : 0.0;
    const double diagonal =
        (1.0 + kRegularisation) * matrix[k][0] - l_1 * l_1 * d_1 - l_2 * l_2 * d_2;
    factors[k] = {1.0, 0.0, 0.0};
    if (scratch.fixed[k]) continue;
    factors[k][0] = std::max(diagonal, kMinPivot * matrix[k][0]);
    const double mixed = k >= 1 ? factors[k - 1][2] * l_1 * d_1 : 0.0;  // Lₖ₊₁,ₖ₋₁ Lₖ,ₖ₋₁ Dₖ₋₁
    if (k + 1 < count) factors[k][1] = (entry(k + 1, k) - mixed) / factors[k][0];
    if (k + 2 < count) factors[k][2] = entry(k + 2, k) / factors[k][0];
  }
}

/// Solves L D Lᵀ x = right, in place.
void Substitute(std::span<const BandedRow> factors, std::span<double> x) {
  const std::size_t count = x.size();
  for (std::size_t k = 0; k < count; ++k) {
    if (k + 1 < count) x[k + 1] -= factors[k][1] * x[k];
    if (k + 2 < count) x[k + 2] -= factors[k][2] * x[k];
  }
  for (std::size_t k = count; k-- > 0;) {
    x[k] /= factors[k][0];
    if (k + 1 < count) x[k] -= factors[k][1] * x[k + 1];
    if (k + 2 < count) x[k] -= factors[k][2] * x[k + 2];
  }
}

/// Solves for the free variables; fixed variables keep their α. Variables whose solution is beyond
/// a bound are fixed at this bound.
/// @returns true if there were such variables
bool SolveFree(std::span<const BandedRow> matrix, std::span<const double> right, double lower,
               double upper, BandedScratch& scratch, std::span<double> alpha) {
  const std::size_t count = matrix.size();
  scratch.right.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    double sum = right[k];
    for (std::size_t l = FirstInBand(k); l < EndOfBand(k, count); ++l) {
      if (scratch.fixed[l]) sum -= At(matrix, k, l) * alpha[l];
    }
    scratch.right[k] = scratch.fixed[k] ? alpha[k] : sum;
  }
  Factorize(matrix, scratch);
  Substitute(scratch.factors, scratch.right);
  bool has_fixed = false;
  for (std::size_t k = 0; k < count; ++k) {
    alpha[k] = std::clamp(scratch.right[k], lower, upper);
    if (alpha[k] != scratch.right[k]) has_fixed = scratch.fixed[k] = true;
  }
  return has_fixed;
}

}  // namespace

void MinimizeBanded(std::span<const BandedRow> matrix, std::span<const double> right, double lower,
                    double upper, BandedScratch& scratch, std::vector<double>& solution) {
  const std::size_t count = matrix.size();
  SCREE_DEMAND(right.size() == count && lower < 0.0 && upper > 0.0);
  double largest = 0.0;
  for (const BandedRow& row : matrix) largest = std::max(largest, row[0]);
  solution.assign(count, 0.0);
  scratch.factors.resize(count);
  scratch.fixed.resize(count);
  for (std::size_t k = 0; k < count; ++k)
    scratch.fixed[k] = !(matrix[k][0] > kNegligible * largest);
  constexpr int kMaxRounds = 10;
  for (int round = 0; round < kMaxRounds; ++round) {
    if (!SolveFree(matrix, right, lower, upper, scratch, solution)) break;
  }
  double linear = 0.0, quadratic = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    linear += right[k] * solution[k];
    quadratic += solution[k] * ProductEntry(matrix, solution, k);
  }
  if (linear > 0.0 && quadratic > 0.0) {  // false for NaN
    for (double& alpha : solution) alpha *= std::min(1.0, linear / quadratic);
  } else {
    solution.assign(count, 0.0);
  }
}

}  // namespace scree
