#include "solvers/general_relaxation.hpp"

#include "solvers/contact_block.hpp"
#include "solvers/contact_law.hpp"
#include "solvers/sphere_contact.hpp"

namespace scree {
namespace {

/// I⁻¹ = 5/2 w/r² for a solid sphere; a fixed body has neither.
BodyInertia InertiaOf(const SphereBody& body) {
  if (body.inverse_mass == 0.0) return {};
  const double inverse_inertia = kMassOverInertia * body.inverse_mass / (body.radius * body.radius);
  return {body.inverse_mass, inverse_inertia * Mat3::Identity()};
}

}  // namespace

void RelaxByGeneralKernel(const Contact& contact, ContactLaw law, Vec3& impulse, SphereBody& a,
                          SphereBody& b) {
  const Vec3& n = contact.normal;
  const Mat3 frame = ContactFrame(n);
  const Mat3 block = ContactBlock(frame, InertiaOf(a), -a.radius * n, InertiaOf(b), b.radius * n);
  const double kappa = 1.0 / (contact.effective_mass * block(0, 0));

  OneContact problem;
  problem.a = kappa * block;
  problem.mu = contact.friction;
  problem.b = problem.a * (frame.transpose() * impulse) -
              frame.transpose() * (RelativeVelocity(a, b, n) + contact.bias * n);
  const Vec3 solved = frame * SolveOneContact(problem, law).x;
  ApplyImpulse(n, solved - impulse, a, b);
  impulse = solved;
}

}  // namespace scree
