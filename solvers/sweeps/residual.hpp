/// \file  Measures how far impulses are from satisfying the contact law, for any solver.
#pragma once

#include <cstdint>
#include <span>

#include "solvers/batches/contact_batches.hpp"
#include "solvers/one_contact/one_contact.hpp"
#include "solvers/one_contact/rigid_body.hpp"

namespace scree {

/// The residual of the contacts of one rank. The global residual adds sums and counts over the
/// ranks and takes the largest maximum.
struct Residual {
  double max = 0.0;         // largest r_j [m/s]
  double square_sum = 0.0;  // Σ r_j² [m²/s²]
  std::int64_t contacts = 0;
};

/// r_j = ‖A_d (K(λ)_j − λ_j)‖ with A_d = diag(Aₙₙ, Aₜₜ, Aₜₜ): the change of relative velocity by
/// one more relaxation of contact j alone, after which its impulse is K(λ)_j. r_j measures normal
/// and tangential errors alike, and all r_j are zero if and only if λ is a solution. The residual
/// is smaller than the error of the velocities (about a tenth of it in a pile). Each additional law
/// adds to r_j² the squared change of δw, ‖A_w ΔL‖², by one more relaxation of L at the current λ.
/// @param count  number of contacts, from the first one
/// @param law    has no effect, because both laws are the same between spheres
Residual ContactResidual(const ContactBatches& batches, std::size_t count,
                         std::span<const SphereBody> bodies,
                         ContactLaw law = ContactLaw::kMaxDissipation);
double ResidualAt(const ContactBatches& batches, std::size_t j, std::span<const SphereBody> bodies,
                  ContactLaw law = ContactLaw::kMaxDissipation);
double ResidualAt(const ContactBatches& batches, std::size_t j, std::span<const RigidBody> bodies,
                  ContactLaw law);

/// The residual of the first `count` contacts of rigid bodies: r_j = ‖A_jj (K(λ)_j − λ_j)‖ with the
/// full block A_jj. Additional laws add ‖ΔL‖² times the square of an upper bound of A_w to r_j².
Residual ContactResidual(const ContactBatches& batches, std::size_t count,
                         std::span<const RigidBody> bodies, ContactLaw law);

}  // namespace scree
