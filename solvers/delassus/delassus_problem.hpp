/// \file  Problems of many contacts with an explicit Delassus operator, solved by sweeps of the
///        one-contact kernels.
///
/// The engine never assembles this operator. This code solves problems from files that contain it
/// (FCLIB), and checks the engine's sweeps.
#pragma once

#include <Eigen/SparseCore>
#include <functional>
#include <span>
#include <vector>

#include "solvers/one_contact/one_contact.hpp"
#include "solvers/sweeps/solve_report.hpp"

namespace scree {

/// u = W⋅λ + q with three components (n, t, o) for each of c contacts; λ and u satisfy the contact
/// law of each contact.
class DelassusProblem {
 public:
  /// @param w   W, 3c × 3c, symmetric, with positive definite diagonal blocks [1/kg]
  /// @param q   relative velocities without impulses, 3c [m/s]
  /// @param mu  friction coefficients, c [-]
  /// @throws InputError if sizes do not match, or if the block, q or μ of a contact is not valid
  DelassusProblem(const Eigen::SparseMatrix<double>& w, const Eigen::VectorXd& q,
                  const Eigen::VectorXd& mu);

  Index ContactCount() const { return static_cast<Index>(mu_.size()); }
  const Mat3& Diagonal(Index j) const { return diagonal_[static_cast<std::size_t>(j)]; }
  const Vec3& FreeVelocity(Index j) const { return q_[static_cast<std::size_t>(j)]; }
  double Friction(Index j) const { return mu_[static_cast<std::size_t>(j)]; }

  /// u_j = Σ_k W_jk λ_k + q_j [m/s].
  Vec3 Velocity(Index j, std::span<const Vec3> impulses) const;

  /// The problem of contact j with all other impulses fixed.
  OneContact OneContactProblem(Index j, std::span<const Vec3> impulses) const;

  /// The largest ‖q_j‖, the reference of tolerances [m/s]; 1 if all are zero.
  double VelocityScale() const;

 private:
  struct Coupling {
    Index contact;
    Mat3 block;
  };
  std::vector<std::size_t> row_begin_;  // indices into couplings_, one more than contacts
  std::vector<Coupling> couplings_;     // off the diagonal, row by row
  // One entry per contact:
  std::vector<Mat3> diagonal_;
  std::vector<Vec3> q_;
  std::vector<double> mu_;
};

/// A problem of contacts alone, u = W λ + q, from which a DelassusProblem is made.
struct LocalProblem {
  Eigen::SparseMatrix<double> w;  // 3c × 3c [1/kg]
  Eigen::VectorXd q, mu;          // 3c [m/s], c [-]
};

/// A problem of bodies and contacts: M v = H λ + f, u = Hᵀ v + w.
struct GlobalProblem {
  Eigen::SparseMatrix<double> m, h;  // n × n [kg, kg m²], n × 3c
  Eigen::VectorXd f, w, mu;          // n [N s, N m s], 3c [m/s], c [-]
};

/// W = Hᵀ⋅M⁻¹⋅H and q = Hᵀ⋅M⁻¹⋅f + w.
/// @throws InputError if sizes do not match or M is not positive definite
DelassusProblem ReduceToContacts(const GlobalProblem& global);

/// v = M⁻¹ (H λ + f), the velocities of all bodies in one vector [m/s, 1/s].
/// @param impulses  λ, 3c [N s]
/// @throws InputError as ReduceToContacts
Eigen::VectorXd VelocitiesAfter(const GlobalProblem& global, const Eigen::VectorXd& impulses);

struct DelassusParameters {
  ContactLaw law = ContactLaw::kCoulomb;
  double tolerance = 1e-6;  // of the largest residual, relative to VelocityScale()
  int max_sweeps = 200000;
  double momentum = 0.0;  // β of the sweeps, as in solvers/sweeps/momentum.hpp, in [0, 1)
};

/// Called before the first sweep and after each sweep.
/// @param sweeps  number of sweeps done, 0 before the first
using SweepWatcher = std::function<void(int sweeps, std::span<const Vec3> impulses)>;

struct DelassusSolution {
  std::vector<Vec3> impulses;  // λ, one per contact [N s]
  SolveReport report;
  bool stalled = false;  // stopped before max_sweeps, because sweeps made no progress
};

/// Nonlinear block Gauss-Seidel. Lack of convergence is a result, not an error: see the report.
/// @param start  one impulse per contact; empty: λ = 0
DelassusSolution Solve(const DelassusProblem& problem, const DelassusParameters& parameters,
                       std::vector<Vec3> start = {}, const SweepWatcher& watcher = {});

}  // namespace scree
