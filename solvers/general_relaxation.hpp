/// \file  One relaxation of a sphere contact by the kernels for any body, through the full block A.
#pragma once

#include "solvers/contact.hpp"
#include "solvers/one_contact.hpp"
#include "solvers/solver_parameters.hpp"

namespace scree {

/// The law of a general kernel. @pre kernel is not kSphere
inline ContactLaw LawOf(Kernel kernel) {
  return kernel == Kernel::kCoulomb ? ContactLaw::kCoulomb : ContactLaw::kMaxDissipation;
}

/// Like RelaxSphereContact, but with A from masses, inertias and arms in a contact frame, and the
/// law's general solution. The factor κ that is in the contact's effective mass multiplies A.
void RelaxByGeneralKernel(const Contact& contact, ContactLaw law, Vec3& impulse, SphereBody& a,
                          SphereBody& b);

}  // namespace scree
