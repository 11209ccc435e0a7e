#include "solvers/sweeps/general_relaxation.hpp"

#include "solvers/one_contact/contact_block.hpp"
#include "solvers/one_contact/contact_law.hpp"
#include "solvers/one_contact/sphere_contact.hpp"

namespace scree {
namespace {

/// I⁻¹ = 5/2 w/r² for a solid sphere, where w is the inverse mass; I⁻¹ and w are 0 for a fixed
/// body.
BodyInertia InertiaOf(const SphereBody& body) {
  if (body.inverse_mass == 0.0) return {};
  const double inverse_inertia = kMassOverInertia * body.inverse_mass / (body.radius * body.radius);
  return {body.inverse_mass, inverse_inertia * Mat3::Identity()};
}
BodyInertia InertiaOf(const RigidBody& body) { return {body.inverse_mass, body.InverseInertia()}; }

Vec3 VelocityAt(const Contact& contact, const ContactArms&, const SphereBody& a,
                const SphereBody& b) {
  return RelativeVelocity(a, b, contact.normal);
}
Vec3 VelocityAt(const Contact&, const ContactArms& arms, const RigidBody& a, const RigidBody& b) {
  return RelativeVelocity(a, b, arms);
}

}  // namespace

template <class Body>
GeneralSolution SolveByGeneralKernel(const Contact& contact, const ContactArms& arms,
                                     ContactLaw law, const Vec3& impulse, const Body& a,
                                     const Body& b) {
  const Vec3& n = contact.normal;
  const Mat3 frame = OddContactFrame(n);
  const Mat3 block = ContactBlock(frame, InertiaOf(a), arms.a, InertiaOf(b), arms.b);
  const double kappa = 1.0 / (contact.effective_mass * block(0, 0));

  OneContact problem;
  problem.a = kappa * block;
  problem.mu = contact.friction;
  const Vec3 old_impulse = frame.transpose() * impulse;
  problem.b = problem.a * old_impulse -
              frame.transpose() *
                  (VelocityAt(contact, arms, a, b) + contact.bias * n - contact.restitution_slip);
  const Vec3 solved = SolveOneContact(problem, law).x;
  return {frame * solved, (problem.a * (solved - old_impulse)).norm()};
}

template GeneralSolution SolveByGeneralKernel(const Contact&, const ContactArms&, ContactLaw,
                                              const Vec3&, const SphereBody&, const SphereBody&);
template GeneralSolution SolveByGeneralKernel(const Contact&, const ContactArms&, ContactLaw,
                                              const Vec3&, const RigidBody&, const RigidBody&);

}  // namespace scree
