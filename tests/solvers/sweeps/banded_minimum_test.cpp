#include "solvers/sweeps/banded_minimum.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "tests/support/draw.hpp"

namespace scree::banded_minimum_test {
namespace {

/// A random positive definite matrix with two side diagonals, in banded and in dense form.
struct Banded {
  std::vector<BandedRow> rows;
  Eigen::MatrixXd dense;
  std::vector<double> rhs;

  Banded(int count, std::uint64_t seed) {
    test::Draw draw(seed);
    Eigen::MatrixXd factor = Eigen::MatrixXd::Zero(count, count);
    for (int k = 0; k < count; ++k) {
      for (int l = k; l < std::min(k + 3, count); ++l) factor(k, l) = draw.Uniform(-1.0, 1.0);
      rhs.push_back(draw.Uniform(-1.0, 1.0));
    }
    dense = factor.transpose() * factor + 0.1 * Eigen::MatrixXd::Identity(count, count);
    for (int k = 0; k < count; ++k) {
      rows.push_back({});
      for (int d = 0; d < 3 && k + d < count; ++d)
        rows.back()[static_cast<std::size_t>(d)] = dense(k, k + d);
    }
  }
  Eigen::VectorXd DenseRhs() const {
    return Eigen::Map<const Eigen::VectorXd>(rhs.data(), static_cast<Eigen::Index>(rhs.size()));
  }
  double Value(const std::vector<double>& alpha) const {
    const Eigen::VectorXd x =
        Eigen::Map<const Eigen::VectorXd>(alpha.data(), static_cast<Eigen::Index>(alpha.size()));
    return 0.5 * x.dot(dense * x) - x.dot(DenseRhs());
  }
  std::vector<double> Minimize(double lower, double upper) const {
    BandedScratch scratch;
    std::vector<double> alpha;
    MinimizeBanded(rows, rhs, lower, upper, scratch, alpha);
    return alpha;
  }
};

TEST(BandedMinimum, MinimumWithinFarBoundsSolvesTheLinearSystem) {
  for (const int count : {1, 2, 3, 4, 50}) {
    const Banded problem(count, 3 + static_cast<std::uint64_t>(count));
    const Eigen::VectorXd expected = problem.dense.ldlt().solve(problem.DenseRhs());
    const std::vector<double> alpha = problem.Minimize(-1e9, 1e9);
    for (int k = 0; k < count; ++k) {
      EXPECT_NEAR(alpha[static_cast<std::size_t>(k)], expected[k], 1e-6 * expected.norm()) << k;
    }
  }
}

TEST(BandedMinimum, SolutionIsWithinBoundsAndBetterThanZero) {
  int bound_count = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Banded problem(30, seed);
    const std::vector<double> alpha = problem.Minimize(-0.5, 1.0);
    for (const double coefficient : alpha) {
      EXPECT_GE(coefficient, -0.5);
      EXPECT_LE(coefficient, 1.0);
      bound_count += coefficient == -0.5 || coefficient == 1.0;
    }
    EXPECT_LT(problem.Value(alpha), 0.0) << "seed " << seed;
  }
  EXPECT_GT(bound_count, 100);
}

TEST(BandedMinimum, VariableNextToABoundIsAtItsConditionalMinimum) {
  // Two unknowns: without bounds the first would be about 4, but its bound is 1. The minimum of the
  // second depends on the first.
  const std::vector<BandedRow> rows = {{1.0, 0.2, 0.0}, {1.0, 0.0, 0.0}};
  const std::vector<double> rhs = {4.0, 0.7};
  BandedScratch scratch;
  std::vector<double> alpha;
  MinimizeBanded(rows, rhs, -0.5, 1.0, scratch, alpha);
  EXPECT_DOUBLE_EQ(alpha[0], 1.0);
  EXPECT_NEAR(alpha[1], 0.5, 1e-8);
}

/// Each block c cᵀ of three unknowns has rank one, and rounding makes it indefinite. The diagonal
/// spans fourteen orders of magnitude.
TEST(BandedMinimum, NearlySingularMatrixGivesValuesWithinTheBounds) {
  test::Draw draw(2);
  for (int trial = 0; trial < 1000; ++trial) {
    std::vector<BandedRow> rows;
    std::vector<double> rhs, scale;
    for (int k = 0; k < 100; ++k) scale.push_back(std::pow(10.0, draw.Uniform(-7.0, 0.0)));
    for (std::size_t k = 0; k < 100; ++k) {
      const double first_off_diagonal = k % 3 < 2 && k + 1 < 100 ? scale[k] * scale[k + 1] : 0.0;
      const double second_off_diagonal = k % 3 < 1 && k + 2 < 100 ? scale[k] * scale[k + 2] : 0.0;
      rows.push_back({scale[k] * scale[k], first_off_diagonal * (1.0 + draw.Uniform(-1e-12, 1e-12)),
                      second_off_diagonal});
      rhs.push_back(draw.Uniform(-1.0, 1.0) * scale[k]);
    }
    BandedScratch scratch;
    std::vector<double> alpha;
    MinimizeBanded(rows, rhs, -0.5, 1.0, scratch, alpha);
    for (const double coefficient : alpha)
      ASSERT_LE(std::abs(coefficient - 0.25), 0.75) << "trial " << trial;
  }
}

TEST(BandedMinimum, CoefficientsOfZeroRowsAreZero) {
  Banded problem(5, 9);
  problem.rows[2] = {0.0, 0.0, 0.0};  // a basis function that is zero at all loaded contacts
  problem.rows[1][1] = problem.rows[0][2] = 0.0;
  EXPECT_EQ(problem.Minimize(-0.5, 1.0)[2], 0.0);
  problem.rhs.assign(5, 0.0);
  for (const double coefficient : problem.Minimize(-0.5, 1.0)) EXPECT_EQ(coefficient, 0.0);
  EXPECT_TRUE(Banded(0, 1).Minimize(-0.5, 1.0).empty());
}

}  // namespace
}  // namespace scree::banded_minimum_test
