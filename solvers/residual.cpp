#include "solvers/residual.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/additional_laws.hpp"
#include "solvers/sphere_contact.hpp"

namespace scree {
namespace {

double OneResidual(const Contact& contact, const Vec3& impulse, const SphereBody& a,
                   const SphereBody& b) {
  const double a_n = a.inverse_mass + b.inverse_mass;
  const Vec3& n = contact.normal;
  const Vec3 relaxed = SolveSphereContact(n, 1.0 / a_n, contact.friction, impulse,
                                          RelativeVelocity(a, b, n), contact.bias);
  const Vec3 change = relaxed - impulse;
  const Vec3 normal_part = change.dot(n) * n;
  return a_n * (normal_part + kTangentOverNormal * (change - normal_part)).norm();
}

}  // namespace

Residual ContactResidual(const ContactProblem& problem, const ContactSolution& solution) {
  Residual residual;
  residual.contacts = static_cast<std::int64_t>(problem.contacts.size());
  for (std::size_t j = 0; j < problem.contacts.size(); ++j) {
    const Contact& contact = problem.contacts[j];
    const SphereBody& a = solution.bodies[static_cast<std::size_t>(contact.a)];
    const SphereBody& b = solution.bodies[static_cast<std::size_t>(contact.b)];
    double r = OneResidual(contact, solution.impulses[j], a, b);
    ForEachLaw([&](auto law) {
      using Law = typename decltype(law)::type;
      if (problem.Of<Law>().empty()) return;
      r = std::hypot(r, ResidualOfLaw<Law>(contact.normal, problem.Of<Law>()[j],
                                           solution.impulses[j], solution.Of<Law>()[j], a, b));
    });
    residual.max = std::max(residual.max, r);
    residual.square_sum += r * r;
  }
  return residual;
}

}  // namespace scree
