#include "solvers/delassus/delassus_problem.hpp"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "solvers/base/check.hpp"
#include "solvers/delassus/block_residual.hpp"
#include "solvers/one_contact/contact_law.hpp"
#include "solvers/sweeps/momentum_schedule.hpp"

namespace scree {
namespace {

using SparseMatrix = Eigen::SparseMatrix<double>;

// Progress comes in bursts, between which the worst problems creep for ten thousands of sweeps.
// A stall is nine tenths of all sweeps, and no fewer than this many, without a gain of 1 %.
constexpr int kLeastPatience = 5000;
constexpr double kProgress = 0.99;
// The full residual costs as much as a sweep, so it is looked at now and then, or when the sweep's
// own changes say that it might do.
constexpr int kResidualInterval = 100;

void DemandSizes(const SparseMatrix& w, const Eigen::VectorXd& q, const Eigen::VectorXd& mu) {
  const Eigen::Index size = 3 * mu.size();
  if (w.rows() != size || w.cols() != size || q.size() != size) {
    throw InputError(Text("The contact problem has ", mu.size(),
                          " friction coefficients, so W must be ", size, " x ", size,
                          " and q have ", size, " entries, but W is ", w.rows(), " x ", w.cols(),
                          " and q has ", q.size(), "."));
  }
}

/// Replaces impulses x_k by x_k + β (x_k − x_{k−1}).
/// @param[in,out] before  x_{k−1}, which becomes x_k
void Extrapolate(double momentum, std::vector<Vec3>& impulses, std::vector<Vec3>& before) {
  for (std::size_t j = 0; j < impulses.size(); ++j) {
    const Vec3 now = impulses[j];
    impulses[j] += momentum * (now - before[j]);
    before[j] = now;
  }
}

/// One sweep; returns max ‖A_jj Δλ_j‖.
double Sweep(const DelassusProblem& problem, ContactLaw law, std::vector<Vec3>& impulses) {
  double largest = 0.0;
  for (Index j = 0; j < problem.ContactCount(); ++j) {
    Vec3& impulse = impulses[static_cast<std::size_t>(j)];
    const Vec3 solved = SolveOneContact(problem.Local(j, impulses), law).x;
    largest = std::max(largest, (problem.Diagonal(j) * (solved - impulse)).norm());
    impulse = solved;
  }
  return largest;
}

}  // namespace

DelassusProblem::DelassusProblem(const SparseMatrix& w, const Eigen::VectorXd& q,
                                 const Eigen::VectorXd& mu) {
  DemandSizes(w, q, mu);
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

OneContact DelassusProblem::Local(Index j, std::span<const Vec3> impulses) const {
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
  const auto& [m, h, f, w, mu] = global;
  if (m.rows() != m.cols() || h.rows() != m.rows() || f.size() != m.rows() ||
      w.size() != h.cols()) {
    throw InputError(Text("The global contact problem does not fit together: M is ", m.rows(),
                          " x ", m.cols(), ", H is ", h.rows(), " x ", h.cols(), ", f has ",
                          f.size(), " and w ", w.size(),
                          " entries; M must be square with the rows of H and f, "
                          "w have the columns of H."));
  }
  const Eigen::SimplicialLDLT<SparseMatrix> factors(m);
  if (factors.info() != Eigen::Success || !(factors.vectorD().minCoeff() > 0.0)) {
    throw InputError("The mass matrix M of the contact problem is not positive definite.");
  }
  const SparseMatrix response = factors.solve(h);
  const Eigen::VectorXd free_velocity = factors.solve(f);
  const SparseMatrix delassus = h.transpose() * response;
  return DelassusProblem(delassus, h.transpose() * free_velocity + w, mu);
}

DelassusSolution Solve(const DelassusProblem& problem, const DelassusParameters& parameters) {
  DelassusSolution solution;
  std::vector<Vec3>& impulses = solution.impulses;
  impulses.assign(static_cast<std::size_t>(problem.ContactCount()), Vec3::Zero());
  std::vector<Vec3> before = impulses;
  MomentumSchedule momentum(parameters.momentum);
  SolveReport& report = solution.report;
  report.converged = false;
  const double goal = parameters.tolerance * problem.VelocityScale();
  double best = std::numeric_limits<double>::infinity();
  int best_sweep = 0;
  for (int sweep = 1; sweep <= parameters.max_sweeps; ++sweep) {
    Extrapolate(momentum.Before(sweep - 1), impulses, before);
    const double change = Sweep(problem, parameters.law, impulses);
    momentum.Record(change);
    report.sweeps = sweep;
    if (change < kProgress * best) {
      best = change;
      best_sweep = sweep;
    }
    solution.stalled = sweep - best_sweep >= std::max(kLeastPatience, sweep / 10 * 9);
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
