#include "solvers/delassus/delassus_problem.hpp"

#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "solvers/base/check.hpp"
#include "solvers/delassus/block_residual.hpp"
#include "solvers/one_contact/contact_law.hpp"
#include "solvers/sweeps/momentum_schedule.hpp"

namespace scree {
namespace {

using SparseMatrix = Eigen::SparseMatrix<double>;

// The hardest problems converge in bursts, with tens of thousands of slow sweeps in between. The
// solver has stalled if the last nine tenths of all sweeps, at least kMinPatience, gained less than
// 1 %.
constexpr int kMinPatience = 5000;
constexpr double kProgress = 0.99;
// Sweeps between two computations of the full residual, which costs as much as a sweep. The
// residual is also computed when the changes of a sweep are below the tolerance.
constexpr int kResidualInterval = 100;

void RequireSizes(const SparseMatrix& w, const Eigen::VectorXd& q, const Eigen::VectorXd& mu) {
  const Eigen::Index size = 3 * mu.size();
  if (w.rows() != size || w.cols() != size || q.size() != size) {
    throw InputError(Text("The contact problem has ", mu.size(),
                          " friction coefficients, so W must be ", size, " x ", size,
                          " and q must have ", size, " entries, but W is ", w.rows(), " x ",
                          w.cols(), " and q has ", q.size(), "."));
  }
}

void RequireSizes(const GlobalProblem& global) {
  const auto& [m, h, f, w, mu] = global;
  if (m.rows() == m.cols() && h.rows() == m.rows() && f.size() == m.rows() &&
      w.size() == h.cols()) {
    return;
  }
  throw InputError(Text("The sizes of the global contact problem do not match: M is ", m.rows(),
                        " x ", m.cols(), ", H is ", h.rows(), " x ", h.cols(), ", f has ", f.size(),
                        " and w ", w.size(),
                        " entries; M must be square and have as many rows as H "
                        "and f, and w as many entries as H has columns."));
}

/// Groups of rows that M couples, directly or through other rows. Rows of a group are in ascending
/// order.
std::vector<std::vector<Eigen::Index>> CoupledRows(const SparseMatrix& m) {
  std::vector<Eigen::Index> parent(static_cast<std::size_t>(m.rows()));  // a row of the same group
  std::iota(parent.begin(), parent.end(), Eigen::Index{0});
  const auto root = [&parent](Eigen::Index row) {
    for (auto i = static_cast<std::size_t>(row);; i = static_cast<std::size_t>(parent[i])) {
      const auto next = static_cast<std::size_t>(parent[i]);
      if (next == i) return parent[i];
      parent[i] = parent[next];
    }
  };
  for (Eigen::Index column = 0; column < m.cols(); ++column) {
    for (SparseMatrix::InnerIterator entry(m, column); entry; ++entry) {
      const auto [low, high] = std::minmax({root(entry.row()), root(column)});
      parent[static_cast<std::size_t>(high)] = low;
    }
  }
  std::vector<std::vector<Eigen::Index>> groups(parent.size());
  for (Eigen::Index row = 0; row < m.rows(); ++row) {
    groups[static_cast<std::size_t>(root(row))].push_back(row);
  }
  std::erase_if(groups, [](const auto& group) { return group.empty(); });
  return groups;
}

/// M⁻¹. M does not couple one rigid body to another, so M⁻¹ is as sparse as M and is computed block
/// by block. Only an M with larger blocks is factorised, because a factorisation needs a solve for
/// every column of H.
class MassInverse {
 public:
  explicit MassInverse(const SparseMatrix& m) {
    constexpr std::size_t kLargestBlock = 24;  // rigid bodies have six rows
    const std::vector<std::vector<Eigen::Index>> groups = CoupledRows(m);
    inverts_blocks_ = std::ranges::all_of(
        groups, [](const auto& group) { return group.size() <= kLargestBlock; });
    if (!inverts_blocks_) {
      factors_.compute(m);
      Require(factors_.info() == Eigen::Success && factors_.vectorD().minCoeff() > 0.0);
      return;
    }
    std::vector<Eigen::Triplet<double>> entries;
    for (const std::vector<Eigen::Index>& rows : groups) AddBlock(m, rows, entries);
    inverse_.resize(m.rows(), m.cols());
    inverse_.setFromTriplets(entries.begin(), entries.end());
  }

  template <class Right>
  Right Times(const Right& right) const {
    if (inverts_blocks_) return inverse_ * right;
    return factors_.solve(right);
  }

 private:
  static void Require(bool is_positive) {
    if (is_positive) return;
    throw InputError("The mass matrix M of the contact problem is not positive definite.");
  }
  static void AddBlock(const SparseMatrix& m, const std::vector<Eigen::Index>& rows,
                       std::vector<Eigen::Triplet<double>>& entries) {
    const auto size = static_cast<Eigen::Index>(rows.size());
    const auto row = [&rows](Eigen::Index k) { return rows[static_cast<std::size_t>(k)]; };
    Eigen::MatrixXd block(size, size);
    for (Eigen::Index i = 0; i < size; ++i) {
      for (Eigen::Index k = 0; k < size; ++k) block(i, k) = m.coeff(row(i), row(k));
    }
    const Eigen::LLT<Eigen::MatrixXd> factor(block);
    Require(factor.info() == Eigen::Success);
    const Eigen::MatrixXd inverse = factor.solve(Eigen::MatrixXd::Identity(size, size));
    for (Eigen::Index i = 0; i < size; ++i) {
      for (Eigen::Index k = 0; k < size; ++k) entries.emplace_back(row(i), row(k), inverse(i, k));
    }
  }

  bool inverts_blocks_ = false;
  SparseMatrix inverse_;
  Eigen::SimplicialLDLT<SparseMatrix> factors_;
};

/// Replaces impulses x_k by x_k + β (x_k − x_{k−1}).
/// @param[in,out] previous  x_{k−1}, which becomes x_k
void Extrapolate(double momentum, std::vector<Vec3>& impulses, std::vector<Vec3>& previous) {
  for (std::size_t j = 0; j < impulses.size(); ++j) {
    const Vec3 impulse = impulses[j];
    impulses[j] += momentum * (impulse - previous[j]);
    previous[j] = impulse;
  }
}

/// One sweep; returns max ‖A_jj Δλ_j‖.
double Sweep(const DelassusProblem& problem, ContactLaw law, std::vector<Vec3>& impulses) {
  double largest = 0.0;
  for (Index j = 0; j < problem.ContactCount(); ++j) {
    Vec3& impulse = impulses[static_cast<std::size_t>(j)];
    const Vec3 solved = SolveOneContact(problem.OneContactProblem(j, impulses), law).x;
    largest = std::max(largest, (problem.Diagonal(j) * (solved - impulse)).norm());
    impulse = solved;
  }
  return largest;
}

}  // namespace

DelassusProblem::DelassusProblem(const SparseMatrix& w, const Eigen::VectorXd& q,
                                 const Eigen::VectorXd& mu) {
  RequireSizes(w, q, mu);
  const auto count = static_cast<std::size_t>(mu.size());
  const Eigen::SparseMatrix<double, Eigen::RowMajor> rows = w;
  row_begin_.assign(1, 0);
  diagonal_.assign(count, Mat3::Zero());
  for (std::size_t j = 0; j < count; ++j) {
    std::map<Index, Mat3> blocks;
    for (int r = 0; r < 3; ++r) {
      const auto row = static_cast<Eigen::Index>(3 * j) + r;
      for (decltype(rows)::InnerIterator entry(rows, row); entry; ++entry) {
        auto [block, added] = blocks.try_emplace(static_cast<Index>(entry.col() / 3));
        if (added) block->second.setZero();
        block->second(r, entry.col() % 3) += entry.value();
      }
    }
    for (const auto& [k, block] : blocks) {
      if (k == static_cast<Index>(j))
        diagonal_[j] = 0.5 * (block + block.transpose());
      else
        couplings_.push_back({k, block});
    }
    row_begin_.push_back(couplings_.size());
    const auto first = static_cast<Eigen::Index>(3 * j);
    q_.push_back(q.segment<3>(first));
    mu_.push_back(mu[static_cast<Eigen::Index>(j)]);
    const std::string defect = Defect({diagonal_[j], q_[j], mu_[j]});
    if (!defect.empty()) {
      throw InputError(Text("Contact ", j, " of ", count, " cannot be solved: ", defect,
                            " (A is its diagonal block of W, b its part of q)."));
    }
  }
}

Vec3 DelassusProblem::Velocity(Index j, std::span<const Vec3> impulses) const {
  const auto row = static_cast<std::size_t>(j);
  Vec3 velocity = q_[row] + diagonal_[row] * impulses[row];
  for (std::size_t i = row_begin_[row]; i < row_begin_[row + 1]; ++i) {
    velocity += couplings_[i].block * impulses[static_cast<std::size_t>(couplings_[i].contact)];
  }
  return velocity;
}

OneContact DelassusProblem::OneContactProblem(Index j, std::span<const Vec3> impulses) const {
  const auto row = static_cast<std::size_t>(j);
  Vec3 velocity = q_[row];
  for (std::size_t i = row_begin_[row]; i < row_begin_[row + 1]; ++i) {
    velocity += couplings_[i].block * impulses[static_cast<std::size_t>(couplings_[i].contact)];
  }
  return {diagonal_[row], -velocity, mu_[row]};
}

double DelassusProblem::VelocityScale() const {
  double scale = 0.0;
  for (const Vec3& q : q_) scale = std::max(scale, q.norm());
  return scale > 0.0 ? scale : 1.0;
}

DelassusProblem ReduceToContacts(const GlobalProblem& global) {
  RequireSizes(global);
  const MassInverse inverse(global.m);
  const SparseMatrix response = inverse.Times(global.h);
  const Eigen::VectorXd free_velocity = inverse.Times(global.f);
  const SparseMatrix delassus = global.h.transpose() * response;
  return DelassusProblem(delassus, global.h.transpose() * free_velocity + global.w, global.mu);
}

Eigen::VectorXd VelocitiesAfter(const GlobalProblem& global, const Eigen::VectorXd& impulses) {
  RequireSizes(global);
  return MassInverse(global.m).Times(Eigen::VectorXd(global.h * impulses + global.f));
}

DelassusSolution Solve(const DelassusProblem& problem, const DelassusParameters& parameters,
                       std::vector<Vec3> start, const SweepWatcher& watcher) {
  const auto count = static_cast<std::size_t>(problem.ContactCount());
  SCREE_DEMAND(start.empty() || start.size() == count);
  DelassusSolution solution;
  std::vector<Vec3>& impulses = solution.impulses;
  impulses = std::move(start);
  impulses.resize(count, Vec3::Zero());
  if (watcher) watcher(0, impulses);
  std::vector<Vec3> before = impulses;
  MomentumSchedule momentum(parameters.momentum);
  SolveReport& report = solution.report;
  report.converged = false;
  const double goal = parameters.tolerance * problem.VelocityScale();
  double best = std::numeric_limits<double>::infinity();
  int best_sweep = 0;
  for (int sweep = 1; sweep <= parameters.max_sweeps; ++sweep) {
    Extrapolate(momentum.MomentumOf(sweep - 1), impulses, before);
    const double change = Sweep(problem, parameters.law, impulses);
    momentum.Record(change);
    report.sweeps = sweep;
    if (watcher) watcher(sweep, impulses);
    if (change < kProgress * best) {
      best = change;
      best_sweep = sweep;
    }
    solution.stalled = sweep - best_sweep >= std::max(kMinPatience, sweep / 10 * 9);
    if (change > goal && sweep % kResidualInterval != 0 && !solution.stalled) continue;
    report.converged = ContactResidual(problem, solution.impulses, parameters.law).max <= goal;
    if (*report.converged || solution.stalled) break;
  }
  const Residual residual = ContactResidual(problem, solution.impulses, parameters.law);
  report.residual_max = residual.max;
  report.residual_rms =
      residual.contacts > 0
          ? std::sqrt(residual.square_sum / static_cast<double>(residual.contacts))
          : 0.0;
  report.converged = residual.max <= goal;
  solution.stalled = solution.stalled && !*report.converged;
  return solution;
}

}  // namespace scree
