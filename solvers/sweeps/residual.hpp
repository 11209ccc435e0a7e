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
  double max = 0.0;         // max r_j [m/s]
  double square_sum = 0.0;  // Σ r_j² [m²/s²]
  std::int64_t contacts = 0;
};

/// r_j = ‖A_d (K(λ)_j − λ_j)‖ with A_d = diag(Aₙₙ, Aₜₜ, Aₜₜ) and K(λ)_j the impulse after one more
/// relaxation of contact j alone: the relative velocity that this relaxation would change. It sees
/// normal and tangential errors alike; zero exactly at a solution. It understates the error of the
/// velocities (about tenfold in a pile). r_j² also has ‖A_w ΔL‖² of each additional law, the
/// velocity δw that one more relaxation of L would change, at the λ as it is.
/// @param count  number of contacts, from the first one
/// @param law    of no effect: between spheres both laws are the same
Residual ContactResidual(const ContactBatches& batches, std::size_t count,
                         std::span<const SphereBody> bodies,
                         ContactLaw law = ContactLaw::kMaxDissipation);
/// r_j of one contact.
double ResidualAt(const ContactBatches& batches, std::size_t j, std::span<const SphereBody> bodies,
                  ContactLaw law = ContactLaw::kMaxDissipation);
double ResidualAt(const ContactBatches& batches, std::size_t j, std::span<const RigidBody> bodies,
                  ContactLaw law);

/// The same for rigid bodies of any shape: r_j = ‖A_jj (K(λ)_j − λ_j)‖ with the full block A_jj of
/// the first `count` contacts, and ‖ΔL‖ times the bound of A_w for additional laws.
Residual ContactResidual(const ContactBatches& batches, std::size_t count,
                         std::span<const RigidBody> bodies, ContactLaw law);

}  // namespace scree
