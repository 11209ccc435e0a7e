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

/// Maximum number of passes over the rows. A single row takes one pass, a chain of joints hundreds.
constexpr int kMaxPasses = 1000;
constexpr double kSpeedRounding = 1e-15;   // of changes in a pass, relative to the speeds
constexpr double kSolveTolerance = 1e-12;  // of a direct solve, relative to the speeds
constexpr int kMaxPivots = 20;
constexpr int kRefinements = 3;  // of a direct solve, the first solution included

/// Rows of J are dependent if a pivot is below this fraction of the first pivot, with all rows
/// scaled to length one.
constexpr double kDependent = 1e-6;
/// Active rows are dependent if a pivot of their block is below this fraction of its diagonal.
constexpr double kDependentMobility = 1e-11;
/// Constraints lock an axis if the squared length of its row of Z is at most this.
constexpr double kLocked = 1e-14;

/// Solves block x = b for symmetric positive semidefinite blocks. If rows are dependent, as those
/// of the joints of a closed loop, x is the shortest solution by least squares of the block that is
/// scaled to a unit diagonal.
class BlockSolver {
 public:
  explicit BlockSolver(const Eigen::MatrixXd& block) : factors_(block) {
    const Eigen::VectorXd diagonal = factors_.transpositionsP() * block.diagonal();
    is_regular_ = (factors_.vectorD().array() > kDependentMobility * diagonal.array()).all();
    if (is_regular_) return;
    scale_ = block.diagonal().cwiseSqrt().cwiseInverse();
    decomposition_.setThreshold(kDependentMobility);
    decomposition_.compute(scale_.asDiagonal() * block * scale_.asDiagonal());
  }
  Eigen::VectorXd Solve(const Eigen::VectorXd& b) const {
    if (is_regular_) return factors_.solve(b);
    return scale_.cwiseProduct(decomposition_.solve(scale_.cwiseProduct(b)));
  }

 private:
  Eigen::LDLT<Eigen::MatrixXd> factors_;
  bool is_regular_ = true;
  Eigen::VectorXd scale_;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition_;
};

/// Keeps one active row per axis, because an axis can meet only one target: a limit rather than a
/// motor, a motor rather than friction. Rows of an axis are neighbours, in the opposite order. The
/// others get the bound that belongs to this target.
/// @param set_impulse  set_impulse(r, impulse) changes the impulse of a row
template <class SetImpulse>
void KeepOneRowPerAxis(std::span<const JointRow> joint_rows, std::vector<std::size_t>& active_rows,
                       SetImpulse&& set_impulse) {
  std::vector<std::size_t> kept;
  for (const std::size_t r : active_rows | std::views::reverse) {
    const JointRow& row = joint_rows[r];
    if (kept.empty() || joint_rows[kept.back()].axis != row.axis) {
      kept.push_back(r);
      continue;
    }
    const double target = joint_rows[kept.back()].target;
    if (row.target != target) set_impulse(r, row.target > target ? row.max : row.min);
  }
  active_rows.assign(kept.rbegin(), kept.rend());
}

}  // namespace

ConstraintSpace SpaceOf(const Eigen::MatrixXd& constraints) {
  // Scaling makes rows of lengths and of angles comparable, so that one threshold fits all pivots.
  Eigen::VectorXd scale = constraints.rowwise().norm();
  for (double& factor : scale) factor = factor > 0.0 ? 1.0 / factor : 0.0;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
  decomposition.setThreshold(kDependent);
  decomposition.compute(scale.asDiagonal() * constraints);
  // J Π = Q [T 0; 0 0] Y with orthogonal Y: the last columns of Π Yᵀ span the null space of J.
  const Eigen::MatrixXd y = decomposition.colsPermutation() * decomposition.matrixZ().transpose();
  return {y.rightCols(constraints.cols() - decomposition.rank()),
          decomposition.pseudoInverse() * scale.asDiagonal()};
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

void FreeTree::SolveRows(std::span<const JointRow> joint_rows,
                         std::span<const std::size_t> active_rows, Eigen::VectorXd& speeds,
                         std::vector<double>& impulses) const {
  const auto count = static_cast<Eigen::Index>(active_rows.size());
  const auto axis = [&](Eigen::Index i) {
    return static_cast<Eigen::Index>(joint_rows[active_rows[static_cast<std::size_t>(i)]].axis);
  };
  Eigen::MatrixXd block(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index k = 0; k < count; ++k) block(i, k) = inverse(axis(i), axis(k));
  }
  const BlockSolver solver(block);
  Eigen::VectorXd residuals(count);
  for (int refinement = 0; refinement < kRefinements; ++refinement) {
    for (Eigen::Index i = 0; i < count; ++i) {
      residuals[i] = joint_rows[active_rows[static_cast<std::size_t>(i)]].target - speeds[axis(i)];
    }
    const Eigen::VectorXd added = solver.Solve(residuals);
    for (Eigen::Index i = 0; i < count; ++i) {
      impulses[active_rows[static_cast<std::size_t>(i)]] += added[i];
      speeds += added[i] * inverse.col(axis(i));
    }
  }
}

/// Block principal pivoting: J. J. Judice, F. M. Pires, "A block principal pivoting algorithm for
/// large-scale strictly monotone linear complementarity problems", Comput. Oper. Res. 21, 1994.
bool FreeTree::SolveByPivoting(std::span<const JointRow> joint_rows, std::span<double> speeds,
                               std::vector<double>& impulses) const {
  std::vector<double> new_impulses = impulses;
  Eigen::VectorXd after =
      Eigen::Map<Eigen::VectorXd>(speeds.data(), static_cast<Eigen::Index>(speeds.size()));
  const auto set_impulse = [&](std::size_t r, double impulse) {
    const double change = impulse - new_impulses[r];
    after += change * inverse.col(static_cast<Eigen::Index>(joint_rows[r].axis));
    new_impulses[r] = impulse;
  };
  std::vector<std::size_t> active_rows;
  for (int pivot = 0; pivot < kMaxPivots; ++pivot) {
    active_rows.clear();
    for (std::size_t r = 0; r < joint_rows.size(); ++r) {
      const double residual =
          joint_rows[r].target - after[static_cast<Eigen::Index>(joint_rows[r].axis)];
      const bool is_active = residual > 0.0 ? new_impulses[r] < joint_rows[r].max
                                            : new_impulses[r] > joint_rows[r].min;
      if (is_active) active_rows.push_back(r);
    }
    if (active_rows.empty()) break;
    KeepOneRowPerAxis(joint_rows, active_rows, set_impulse);
    SolveRows(joint_rows, active_rows, after, new_impulses);
    for (const std::size_t r : active_rows) {
      const double bounded = std::clamp(new_impulses[r], joint_rows[r].min, joint_rows[r].max);
      if (bounded != new_impulses[r]) set_impulse(r, bounded);
    }
    if (!after.allFinite()) return false;
    double scale = after.cwiseAbs().maxCoeff();  // speeds may be zero where large changes cancel
    for (std::size_t r = 0; r < joint_rows.size(); ++r)
      scale = std::max(scale, std::abs(new_impulses[r]) * Mobility(joint_rows[r].axis));
    const double rounding = kSolveTolerance * scale;
    const bool are_targets_met =
        std::ranges::all_of(std::views::iota(std::size_t{0}, joint_rows.size()), [&](auto r) {
          const double residual =
              joint_rows[r].target - after[static_cast<Eigen::Index>(joint_rows[r].axis)];
          return !(residual > rounding && new_impulses[r] < joint_rows[r].max) &&
                 !(residual < -rounding && new_impulses[r] > joint_rows[r].min);
        });
    if (!are_targets_met) continue;
    impulses = std::move(new_impulses);
    std::ranges::copy(after, speeds.begin());
    return true;
  }
  return false;
}

namespace {

/// Rows of an axis with the same target act as one row with the sum of their bounds, because the
/// target determines only the sum of their impulses.
struct MergedRows {
  std::vector<JointRow> rows;
  std::vector<std::size_t> merged_of;  // index in `rows` of each original row

  /// @param tolerance  of the targets [m/s] or [rad/s]
  MergedRows(std::span<const JointRow> joint_rows, double tolerance) {
    // From the last row on, so that a merged row has the place and the target of a limit.
    for (const JointRow& row : joint_rows | std::views::reverse) {
      const auto same = std::ranges::find_if(rows, [&](const JointRow& other) {
        return other.axis == row.axis && std::abs(other.target - row.target) <= tolerance;
      });
      merged_of.push_back(static_cast<std::size_t>(same - rows.begin()));
      if (same == rows.end()) {
        rows.push_back(row);
        continue;
      }
      same->min += row.min;
      same->max += row.max;
    }
    std::ranges::reverse(rows);
    std::ranges::reverse(merged_of);
    for (std::size_t& index : merged_of) index = rows.size() - 1 - index;
  }
  /// Splits the impulses of the merged rows: friction takes a load first, then the motor, then the
  /// limit.
  void Split(std::vector<double> merged_impulses, std::span<const JointRow> joint_rows,
             std::vector<double>& impulses) const {
    impulses.clear();
    for (std::size_t r = 0; r < joint_rows.size(); ++r) {
      double& rest = merged_impulses[merged_of[r]];
      impulses.push_back(std::clamp(rest, joint_rows[r].min, joint_rows[r].max));
      rest -= impulses.back();
    }
  }
};

/// Relaxes rows with different targets on each axis.
void RelaxDistinctRows(const FreeTree& tree, std::span<const JointRow> joint_rows,
                       std::span<double> speeds, std::vector<double>& impulses) {
  impulses.assign(joint_rows.size(), 0.0);
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    double change = 0.0, scale = 0.0;
    for (std::size_t r = 0; r < joint_rows.size(); ++r) {
      const JointRow& row = joint_rows[r];
      const double mobility = tree.Mobility(row.axis);
      double& speed = speeds[row.axis];
      scale = std::max(scale, std::abs(speed));
      const double old_impulse = impulses[r];
      impulses[r] = std::clamp(old_impulse + (row.target - speed) / mobility, row.min, row.max);
      const double added = impulses[r] - old_impulse;
      if (added == 0.0) continue;
      change = std::max(change, std::abs(added) * mobility);
      if (tree.axes.size() == 1) {
        speed += added * mobility;
        continue;
      }
      for (std::size_t i = 0; i < speeds.size(); ++i) {
        speeds[i] += added * tree.inverse(static_cast<Index>(i), static_cast<Index>(row.axis));
      }
    }
    if (joint_rows.size() == 1 || !(change > kSpeedRounding * scale)) return;
    // Tries a direct solve only after passes 1, 2, 4, ... (counted from 0), because a few passes
    // find most of the rows that are at their bounds.
    const bool tries_pivoting = std::has_single_bit(static_cast<unsigned>(pass));
    if (tries_pivoting && tree.axes.size() > 1 &&
        tree.SolveByPivoting(joint_rows, speeds, impulses))
      return;
  }
}

}  // namespace

void FreeTree::Relax(std::span<const JointRow> joint_rows, std::span<double> speeds,
                     std::vector<double>& impulses) const {
  if (axes.size() == 1) {
    RelaxDistinctRows(*this, joint_rows, speeds, impulses);
    return;
  }
  double largest_speed = 0.0;
  for (const double speed : speeds) largest_speed = std::max(largest_speed, std::abs(speed));
  const MergedRows merged(joint_rows, kSolveTolerance * largest_speed);
  std::vector<double> merged_impulses;
  RelaxDistinctRows(*this, merged.rows, speeds, merged_impulses);
  merged.Split(std::move(merged_impulses), joint_rows, impulses);
}

void FreeTree::ComputeSpeeds(std::span<const double> impulses, std::vector<double>& speeds,
                             std::vector<double>& row_impulses) const {
  speeds.assign(impulses.begin(), impulses.end());
  Solve(speeds);
  for (std::size_t k = 0; k < axes.size(); ++k) speeds[k] = axes[k].free_speed + speeds[k];
  Relax(rows, speeds, row_impulses);
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
  // J s° = J J⁺ drift + J P (...) = drift, because J P = 0
  Eigen::VectorXd drift_speeds;
  if (inverse_constraints.cols() > 0) {
    Eigen::Map<Eigen::VectorXd> b(momenta.data(), static_cast<Eigen::Index>(momenta.size()));
    drift_speeds = inverse_constraints * drift;
    b -= mass * drift_speeds;
  }
  Solve(momenta);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (drift_speeds.size() > 0) momenta[k] += drift_speeds[static_cast<Eigen::Index>(k)];
    axes[k].free_speed = momenta[k];
  }
  std::vector<double> row_impulses;
  Relax(rows, momenta, row_impulses);
  for (std::size_t k = 0; k < axes.size(); ++k) axes[k].no_load_speed = momenta[k];
}

}  // namespace scree
