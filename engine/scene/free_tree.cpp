#include "engine/scene/free_tree.hpp"

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

namespace scree {
namespace {

/// Maximum passes over the rows. One row takes one pass, a chain of joints takes tens of passes.
constexpr int kMaxPasses = 1000;
constexpr double kSpeedRounding = 1e-15;  // relative to the speeds

/// Rows of J are dependent if their singular values, with rows of length one, are below this.
constexpr double kDependent = 1e-6;
/// Squared length of the row of Z of an axis that constraints lock.
constexpr double kLocked = 1e-14;

}  // namespace

ConstraintSpace SpaceOf(const Eigen::MatrixXd& constraints) {
  // Rows have different units and masses behind them.
  Eigen::VectorXd scale = constraints.rowwise().norm();
  for (double& one : scale) one = one > 0.0 ? 1.0 / one : 0.0;
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(scale.asDiagonal() * constraints,
                                              Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::VectorXd& values = svd.singularValues();
  Eigen::Index rank = 0;
  while (rank < values.size() && values[rank] > kDependent * values[0]) ++rank;
  return {svd.matrixV().rightCols(constraints.cols() - rank),
          svd.matrixV().leftCols(rank) * values.head(rank).cwiseInverse().asDiagonal() *
              svd.matrixU().leftCols(rank).transpose() * scale.asDiagonal()};
}

Eigen::MatrixXd MobilityOf(const Eigen::MatrixXd& mass, const Eigen::MatrixXd& free) {
  return free * (free.transpose() * mass * free).llt().solve(free.transpose());
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

void FreeTree::SetMomenta(std::vector<double> momenta) {
  if (constraints.rows() > 0 && axes.size() > 1) {
    const Eigen::MatrixXd free = SpaceOf(constraints).free;
    inverse = MobilityOf(mass, free);
    std::erase_if(rows, [&](const JointRow& row) {
      return !(free.row(static_cast<Eigen::Index>(row.axis)).squaredNorm() > kLocked);
    });
  } else if (axes.size() > 1) {
    inverse = mass.llt().solve(Eigen::MatrixXd::Identity(mass.rows(), mass.cols()));
  }
  Solve(momenta);
  for (std::size_t k = 0; k < axes.size(); ++k) axes[k].free = momenta[k];
  std::vector<double> of_rows;
  Relax(rows, momenta, of_rows);
  for (std::size_t k = 0; k < axes.size(); ++k) axes[k].idle = momenta[k];
}

}  // namespace scree
