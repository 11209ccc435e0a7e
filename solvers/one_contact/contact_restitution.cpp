#include "solvers/one_contact/contact_restitution.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "solvers/one_contact/contact_law.hpp"

namespace scree {
namespace {

constexpr int kBisections = 200;

/// An additional normal impulse together with the friction impulse that it causes.
Vec3 ImpulseWithFriction(const OneContact& contact, const Vec3& velocity, double normal_impulse) {
  const Eigen::Matrix2d a = contact.a.bottomRightCorner<2, 2>();
  const Eigen::Vector2d free_velocity =
      velocity.tail<2>() + normal_impulse * contact.a.col(0).tail<2>();
  const Eigen::Vector2d friction =
      FrictionOfNormalImpulse(a, free_velocity, contact.mu * normal_impulse);
  return {normal_impulse, friction[0], friction[1]};
}

/// Finds the normal impulse of restitution with a given work, by bisection. From a state with
/// v_n = 0 the work along a straight path, ½ Δx_n Δv_n, increases with the impulse.
double FindNormalImpulse(const OneContact& contact, const Vec3& velocity, double work,
                         double guess) {
  const auto work_of = [&](double normal_impulse) {
    const Vec3 x = ImpulseWithFriction(contact, velocity, normal_impulse);
    return 0.5 * normal_impulse * contact.a.row(0).dot(x);
  };
  double low = 0.0, high = guess;
  for (int i = 0; i < kBisections && work_of(high) < work; ++i) high *= 2.0;
  for (int i = 0; i < kBisections && low < high; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (work_of(middle) < work ? low : high) = middle;
  }
  return high;
}

/// Solves with b + A r n, r = e b_n/A_nn: friction acts on the final slip minus the slip that a
/// frictionless rebound adds.
Vec3 NewtonImpulse(OneContact contact, ContactLaw law, double e) {
  const double rebound = e * contact.b[0];
  contact.b[0] += rebound;
  contact.b.tail<2>() += rebound / contact.a(0, 0) * contact.a.col(0).tail<2>();
  return SolveOneContact(contact, law).x;
}

}  // namespace

const char* Name(RestitutionHypothesis hypothesis) {
  switch (hypothesis) {
    case RestitutionHypothesis::kNewton:
      return "newton";
    case RestitutionHypothesis::kPoisson:
      return "poisson";
    case RestitutionHypothesis::kEnergetic:
      return "energetic";
  }
  return "unknown";
}

Eigen::Vector2d FrictionOfNormalImpulse(const Eigen::Matrix2d& a, const Eigen::Vector2d& v,
                                        double radius) {
  const Eigen::Vector2d stick = -a.inverse() * v;
  if (stick.norm() <= radius) return stick;
  // Solves (A + s) y = −v and ‖y‖ = radius for s ≥ 0. ‖y‖ decreases as s grows.
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> solver(a);
  const Eigen::Vector2d rotated = solver.eigenvectors().transpose() * v;
  const auto solution_of = [&](double s) -> Eigen::Vector2d {
    return -(rotated.array() / (solver.eigenvalues().array() + s)).matrix();
  };
  if (radius <= 0.0) return Eigen::Vector2d::Zero();
  double low = 0.0, high = v.norm() / radius;
  for (int i = 0; i < kBisections; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (solution_of(middle).norm() > radius ? low : high) = middle;
  }
  return radius * (solver.eigenvectors() * solution_of(high)).normalized();
}

ReboundingSolution SolveRebound(const OneContact& contact, ContactLaw law,
                                RestitutionHypothesis hypothesis, double restitution) {
  ReboundingSolution solution;
  OneContact full = contact;
  full.a = contact.a.selfadjointView<Eigen::Upper>();
  if (full.b[0] > 0.0 && hypothesis == RestitutionHypothesis::kNewton) {
    solution.x = NewtonImpulse(full, law, restitution);
  } else {
    solution.x = solution.compression = SolveOneContact(full, law).x;
    const double compression_impulse = solution.compression[0];
    const Vec3 velocity = VelocityAfter(full, solution.compression);
    double normal_impulse = restitution * compression_impulse;
    if (hypothesis == RestitutionHypothesis::kEnergetic && normal_impulse > 0.0) {
      const double work = 0.5 * restitution * restitution * full.b[0] * compression_impulse;
      normal_impulse =
          std::min(compression_impulse, FindNormalImpulse(full, velocity, work, normal_impulse));
    }
    if (full.b[0] > 0.0 && normal_impulse > 0.0)
      solution.x += ImpulseWithFriction(full, velocity, normal_impulse);
  }
  solution.velocity = VelocityAfter(full, solution.x);
  solution.energy = Energy(full, solution.x);
  return solution;
}

}  // namespace scree
