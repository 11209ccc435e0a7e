/// \file  One relaxation by the kernels for one contact, with the full block A. They are the
///        reference of the kernels for eight contacts and treat the contacts that those cannot.
#pragma once

#include "solvers/one_contact/contact.hpp"
#include "solvers/one_contact/one_contact.hpp"
#include "solvers/one_contact/rigid_body.hpp"

namespace scree {

struct GeneralSolution {
  Vec3 impulse = Vec3::Zero();  // λ* in world axes [N s]
  double change = 0.0;          // ‖κ A (λ* − λ)‖ [m/s]
};

/// λ* with all else fixed, the velocities of the bodies with λ in place. The factor κ that is in
/// the contact's effective mass multiplies A. Where a and b change places, and with them the signs
/// of n, λ and velocities, λ* changes its sign and no bit more.
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
