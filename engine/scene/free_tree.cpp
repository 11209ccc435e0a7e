#include "engine/scene/free_tree.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace scree {
namespace {

/// Maximum passes over the rows. One row takes one pass, a chain of joints takes tens of passes.
constexpr int kMaxPasses = 1000;
constexpr double kSpeedRounding = 1e-15;  // relative to the speeds

/// Squares of relative singular values below this are rounding.
constexpr double kRankRounding = 1e-12;

}  // namespace

Eigen::MatrixXd InverseOf(const Eigen::MatrixXd& mass) {
  return mass.llt().solve(Eigen::MatrixXd::Identity(mass.rows(), mass.cols()));
}

Eigen::MatrixXd CorrectionOf(const Eigen::MatrixXd& inverse, const Eigen::MatrixXd& constraints,
                             std::size_t& rank) {
  const Eigen::MatrixXd moved = inverse * constraints.transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(constraints * moved);
  Eigen::VectorXd values = solved.eigenvalues();
  const double least = kRankRounding * values.maxCoeff();
  rank = 0;
  for (double& value : values) {
    const bool counts = value > least;
    rank += counts;
    value = counts ? 1.0 / value : 0.0;
  }
  return moved * solved.eigenvectors() * values.asDiagonal() * solved.eigenvectors().transpose();
}

void FreeTree::Solve(std::span<double> b) const {
  if (axes.size() == 1) {
    b[0] /= mass(0, 0);
    return;
  }
  Eigen::Map<Eigen::VectorXd> x(b.data(), static_cast<Eigen::Index>(b.size()));
  x = (inverse * x).eval();
}

void FreeTree::Relax(std::span<const JointRow> of, std::span<double> speeds,
                     std::vector<double>& impulses) const {
  impulses.assign(of.size(), 0.0);
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    double change = 0.0, scale = 0.0;
    for (std::size_t r = 0; r < of.size(); ++r) {
      const JointRow& row = of[r];
      const double mobility = Mobility(row.axis);
      double& speed = speeds[row.axis];
      scale = std::max(scale, std::abs(speed));
      const double before = impulses[r];
      impulses[r] = std::clamp(before + (row.target - speed) / mobility, row.least, row.most);
      const double added = impulses[r] - before;
      if (added == 0.0) continue;
      change = std::max(change, std::abs(added) * mobility);
      if (axes.size() == 1) {
        speed += added * mobility;
        continue;
      }
      for (std::size_t i = 0; i < speeds.size(); ++i) {
        speeds[i] += added * inverse(static_cast<Index>(i), static_cast<Index>(row.axis));
      }
    }
    if (of.size() == 1 || !(change > kSpeedRounding * scale)) return;
  }
}

void FreeTree::SpeedsUnder(std::span<const double> impulses, std::vector<double>& speeds,
                           std::vector<double>& of_rows) const {
  speeds.assign(impulses.begin(), impulses.end());
  Solve(speeds);
  for (std::size_t k = 0; k < axes.size(); ++k) speeds[k] = axes[k].free + speeds[k];
  Relax(rows, speeds, of_rows);
}

/// Eliminates the constraints. Rows of axes that they lock have no effect.
void FreeTree::Constrain() {
  const Eigen::VectorXd before = inverse.diagonal();
  std::size_t rank = 0;
  inverse -= CorrectionOf(inverse, constraints, rank) * (constraints * inverse);
  std::erase_if(rows, [&](const JointRow& row) {
    const auto k = static_cast<Eigen::Index>(row.axis);
    return !(inverse(k, k) > kRankRounding * before[k]);
  });
}

void FreeTree::SetMomenta(std::vector<double> momenta) {
  if (axes.size() > 1) {
    inverse = InverseOf(mass);
    if (constraints.rows() > 0) Constrain();
  }
  Solve(momenta);
  for (std::size_t k = 0; k < axes.size(); ++k) axes[k].free = momenta[k];
  std::vector<double> of_rows;
  Relax(rows, momenta, of_rows);
  for (std::size_t k = 0; k < axes.size(); ++k) axes[k].idle = momenta[k];
}

}  // namespace scree
