#include "engine/scene/free_tree.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <bit>
#include <cmath>
#include <ranges>
#include <utility>

namespace scree {
namespace {

/// Maximum passes over the rows. One row takes one pass, a chain of joints hundreds.
constexpr int kMaxPasses = 1000;
constexpr double kSpeedRounding = 1e-15;  // relative to the speeds
constexpr double kSolved = 1e-12;         // relative to the speeds
constexpr int kMaxPivots = 20;
constexpr int kRefinements = 3;  // of a direct solve, the first solution included

/// Rows of J are dependent if a pivot, with rows of length one, is below this fraction of the
/// first.
constexpr double kDependent = 1e-6;
/// Squared length of the row of Z of an axis that constraints lock.
constexpr double kLocked = 1e-14;

}  // namespace

ConstraintSpace SpaceOf(const Eigen::MatrixXd& constraints) {
  // Rows of lengths and of angles become comparable, and so does the smallest pivot that counts.
  Eigen::VectorXd scale = constraints.rowwise().norm();
  for (double& factor : scale) factor = factor > 0.0 ? 1.0 / factor : 0.0;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposed;
  decomposed.setThreshold(kDependent);
  decomposed.compute(scale.asDiagonal() * constraints);
  // J Π = Q [T 0; 0 0] Y with orthogonal Y: its last rows are not seen by J.
  const Eigen::MatrixXd y = decomposed.colsPermutation() * decomposed.matrixZ().transpose();
  return {y.rightCols(constraints.cols() - decomposed.rank()),
          decomposed.pseudoInverse() * scale.asDiagonal()};
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

void FreeTree::SolveRows(std::span<const JointRow> joint_rows, std::span<const std::size_t> holding,
                         Eigen::VectorXd& speeds, std::vector<double>& impulses) const {
  const auto count = static_cast<Eigen::Index>(holding.size());
  const auto axis = [&](Eigen::Index i) {
    return static_cast<Eigen::Index>(joint_rows[holding[static_cast<std::size_t>(i)]].axis);
  };
  Eigen::MatrixXd block(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index k = 0; k < count; ++k) block(i, k) = inverse(axis(i), axis(k));
  }
  const Eigen::LDLT<Eigen::MatrixXd> factors(block);
  Eigen::VectorXd missing(count);
  for (int refined = 0; refined < kRefinements; ++refined) {
    for (Eigen::Index i = 0; i < count; ++i) {
      missing[i] = joint_rows[holding[static_cast<std::size_t>(i)]].target - speeds[axis(i)];
    }
    const Eigen::VectorXd added = factors.solve(missing);
    for (Eigen::Index i = 0; i < count; ++i) {
      impulses[holding[static_cast<std::size_t>(i)]] += added[i];
      speeds += added[i] * inverse.col(axis(i));
    }
  }
}

/// Block principal pivoting: J. J. Judice, F. M. Pires, "A block principal pivoting algorithm for
/// large-scale strictly monotone linear complementarity problems", Comput. Oper. Res. 21, 1994.
bool FreeTree::SolveByPivoting(std::span<const JointRow> joint_rows, std::span<double> speeds,
                               std::vector<double>& impulses) const {
  std::vector<double> solved = impulses;
  Eigen::VectorXd after =
      Eigen::Map<Eigen::VectorXd>(speeds.data(), static_cast<Eigen::Index>(speeds.size()));
  std::vector<std::size_t> holding;
  for (int pivot = 0; pivot < kMaxPivots; ++pivot) {
    holding.clear();
    for (std::size_t r = 0; r < joint_rows.size(); ++r) {
      const double residual =
          joint_rows[r].target - after[static_cast<Eigen::Index>(joint_rows[r].axis)];
      const bool may_hold =
          residual > 0.0 ? solved[r] < joint_rows[r].max : solved[r] > joint_rows[r].min;
      if (may_hold) holding.push_back(r);
    }
    if (holding.empty()) break;
    SolveRows(joint_rows, holding, after, solved);
    for (const std::size_t r : holding) {
      const double bounded = std::clamp(solved[r], joint_rows[r].min, joint_rows[r].max);
      if (bounded == solved[r]) continue;
      after += (bounded - solved[r]) * inverse.col(static_cast<Eigen::Index>(joint_rows[r].axis));
      solved[r] = bounded;
    }
    if (!after.allFinite()) return false;
    const double rounding = kSolved * after.cwiseAbs().maxCoeff();
    const bool is_met =
        std::ranges::all_of(std::views::iota(std::size_t{0}, joint_rows.size()), [&](auto r) {
          const double residual =
              joint_rows[r].target - after[static_cast<Eigen::Index>(joint_rows[r].axis)];
          return !(residual > rounding && solved[r] < joint_rows[r].max) &&
                 !(residual < -rounding && solved[r] > joint_rows[r].min);
        });
    if (!is_met) continue;
    impulses = std::move(solved);
    std::ranges::copy(after, speeds.begin());
    return true;
  }
  return false;
}

void FreeTree::Relax(std::span<const JointRow> joint_rows, std::span<double> speeds,
                     std::vector<double>& impulses) const {
  impulses.assign(joint_rows.size(), 0.0);
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    double change = 0.0, scale = 0.0;
    for (std::size_t r = 0; r < joint_rows.size(); ++r) {
      const JointRow& row = joint_rows[r];
      const double mobility = Mobility(row.axis);
      double& speed = speeds[row.axis];
      scale = std::max(scale, std::abs(speed));
      const double before = impulses[r];
      impulses[r] = std::clamp(before + (row.target - speed) / mobility, row.min, row.max);
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
    if (joint_rows.size() == 1 || !(change > kSpeedRounding * scale)) return;
    // A few passes find most of the rows that are at their bounds.
    const bool guesses = std::has_single_bit(static_cast<unsigned>(pass));
    if (guesses && axes.size() > 1 && SolveByPivoting(joint_rows, speeds, impulses)) return;
  }
}

void FreeTree::SpeedsUnder(std::span<const double> impulses, std::vector<double>& speeds,
                           std::vector<double>& of_rows) const {
  speeds.assign(impulses.begin(), impulses.end());
  Solve(speeds);
  for (std::size_t k = 0; k < axes.size(); ++k) speeds[k] = axes[k].free + speeds[k];
  Relax(rows, speeds, of_rows);
}

void FreeTree::Eliminate(const Eigen::MatrixXd& constraints) {
  if (axes.size() == 1) return;
  if (constraints.rows() == 0) {
    inverse = mass.llt().solve(Eigen::MatrixXd::Identity(mass.rows(), mass.cols()));
    return;
  }
  ConstraintSpace space = SpaceOf(constraints);
  inverse = MobilityOf(mass, space.free);
  inverse_constraints = std::move(space.inverse);
  std::erase_if(rows, [&](const JointRow& row) {
    return !(space.free.row(static_cast<Eigen::Index>(row.axis)).squaredNorm() > kLocked);
  });
}

void FreeTree::SetMomenta(std::vector<double> momenta, const Eigen::VectorXd& drift) {
  // J s° = J J⁺ drift + J P (...) = drift
  Eigen::VectorXd drifting;
  if (inverse_constraints.cols() > 0) {
    Eigen::Map<Eigen::VectorXd> b(momenta.data(), static_cast<Eigen::Index>(momenta.size()));
    drifting = inverse_constraints * drift;
    b -= mass * drifting;
  }
  Solve(momenta);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (drifting.size() > 0) momenta[k] += drifting[static_cast<Eigen::Index>(k)];
    axes[k].free = momenta[k];
  }
  std::vector<double> of_rows;
  Relax(rows, momenta, of_rows);
  for (std::size_t k = 0; k < axes.size(); ++k) axes[k].idle = momenta[k];
}

}  // namespace scree
