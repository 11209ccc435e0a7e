/// \file  The remaining work of the contacts of a step, and the scaling of all impulses by one
///        factor, for a line search along the impulses.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "solvers/batches/contact_batches.hpp"

namespace scree {

/// A body is heavy if it has more than this multiple of its contact partner's mass. Ten sweeps
/// bring bodies below this mass ratio to rest without further help.
inline constexpr double kHeavyRatio = 100.0;

/// Sums over the contacts of this rank; the caller adds them up over the ranks.
struct ContactWork {
  // Σ λ⋅(δv + b n) + Σ L⋅δw. If the laws hold, the terms of normal impulses are zero, and those of
  // slip are negative [J].
  double all = 0.0;
  double without_slip = 0.0;  // as `all`, but without slip and L [J]
  double heavy = 0.0;         // part of without_slip in contacts of a heavy and a light body [J]
  double heavy_load = 0.0;    // Σ λₙ of these contacts [N s]
};

/// Sums over all contacts in the batches.
/// @param with_heavy  false: computes only `all`, the slope of the energy along the impulses
/// @param bodies  capacity for one more avoids an allocation; unchanged on return
ContactWork WorkInContacts(bool with_heavy, ContactBatches& batches,
                           std::vector<SphereBody>& bodies);
ContactWork WorkInContacts(bool with_heavy, ContactBatches& batches,
                           std::vector<RigidBody>& bodies);

/// `all` of contact j alone, with the same bits if a and b are exchanged.
double WorkInContact(const ContactBatches& batches, std::size_t j,
                     std::span<const SphereBody> bodies);
double WorkInContact(const ContactBatches& batches, std::size_t j,
                     std::span<const RigidBody> bodies);

/// −Σ λₙ (δvₙ + b) over all contacts that still approach, δvₙ + b < 0: the work of the unresolved
/// approach [J].
/// @param bodies  capacity for one more avoids an allocation; unchanged on return
double ResidualApproachWork(ContactBatches& batches, std::vector<SphereBody>& bodies);
double ResidualApproachWork(ContactBatches& batches, std::vector<RigidBody>& bodies);

/// Multiplies λ of all contacts, and L of laws that grow with λ.
void ScaleImpulses(double factor, ContactBatches& batches);

}  // namespace scree
