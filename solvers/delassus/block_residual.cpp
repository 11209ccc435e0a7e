#include "solvers/delassus/block_residual.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/one_contact/contact_law.hpp"

namespace scree {

Residual ContactResidual(const DelassusProblem& problem, std::span<const Vec3> impulses,
                         ContactLaw law) {
  Residual residual;
  residual.contacts = problem.ContactCount();
  for (Index j = 0; j < problem.ContactCount(); ++j) {
    const Vec3 relaxed = SolveOneContact(problem.OneContactProblem(j, impulses), law).x;
    const Vec3 change = relaxed - impulses[static_cast<std::size_t>(j)];
    const double r = (problem.Diagonal(j) * change).norm();
    residual.max = std::max(residual.max, r);
    residual.square_sum += r * r;
  }
  return residual;
}

Vec3 ProjectOnFrictionCone(const Vec3& x, double mu) {
  const double tangential = std::hypot(x[1], x[2]);
  if (tangential <= mu * x[0]) return x;
  if (mu * tangential <= -x[0]) return Vec3::Zero();
  const double normal = (x[0] + mu * tangential) / (1.0 + mu * mu);
  const double shrink = mu * normal / tangential;
  return {normal, shrink * x[1], shrink * x[2]};
}

NaturalMapResidual CoulombNaturalMap(const DelassusProblem& problem,
                                     std::span<const Vec3> impulses) {
  NaturalMapResidual residual;
  double square_sum = 0.0;
  double q_square_sum = 0.0;
  for (Index j = 0; j < problem.ContactCount(); ++j) {
    const Vec3& impulse = impulses[static_cast<std::size_t>(j)];
    const double mu = problem.Friction(j);
    Vec3 velocity = problem.Velocity(j, impulses);
    velocity[0] += mu * std::hypot(velocity[1], velocity[2]);
    const auto error = [&](double rho) {
      return (impulse - ProjectOnFrictionCone(impulse - rho * velocity, mu)).norm();
    };
    const double mean_diagonal = problem.Diagonal(j).trace() / 3.0;
    residual.velocity_max =
        std::max(residual.velocity_max, mean_diagonal * error(1.0 / mean_diagonal));
    const double unscaled = error(1.0);
    square_sum += unscaled * unscaled;
    q_square_sum += problem.FreeVelocity(j).squaredNorm();
  }
  residual.relative = std::sqrt(square_sum) / (q_square_sum > 0.0 ? std::sqrt(q_square_sum) : 1.0);
  return residual;
}

}  // namespace scree
