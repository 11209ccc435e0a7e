/// \file  One relaxation by the one-contact kernels, with the full block A. These are the reference
///        for the packet kernels, and solve the contacts that packet kernels cannot solve.
#pragma once

#include "solvers/one_contact/contact.hpp"
#include "solvers/one_contact/one_contact.hpp"
#include "solvers/one_contact/rigid_body.hpp"

namespace scree {

struct GeneralSolution {
  Vec3 impulse = Vec3::Zero();  // λ* in world axes [N s]
  double change = 0.0;          // ‖κ A (λ* − λ)‖ [m/s]
};

/// λ* with all else fixed; the velocities of the bodies include the effect of λ. A is multiplied by
/// the κ in the contact's effective mass. If a and b are exchanged, and n, λ and velocities change
/// their signs, only the sign of λ* differs.
/// @param impulse  λ [N s]
template <class Body>
GeneralSolution SolveByGeneralKernel(const Contact& contact, const ContactArms& arms,
                                     ContactLaw law, const Vec3& impulse, const Body& a,
                                     const Body& b);

extern template GeneralSolution SolveByGeneralKernel(const Contact&, const ContactArms&, ContactLaw,
                                                     const Vec3&, const SphereBody&,
                                                     const SphereBody&);
extern template GeneralSolution SolveByGeneralKernel(const Contact&, const ContactArms&, ContactLaw,
                                                     const Vec3&, const RigidBody&,
                                                     const RigidBody&);

}  // namespace scree
