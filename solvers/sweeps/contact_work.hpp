/// \file  The work that is left in the contacts of a step, and impulses scaled as a whole: what a
///        search along the loads needs of a problem.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "solvers/batches/contact_batches.hpp"

namespace scree {

/// Σ λ⋅(δv + b n) + Σ L⋅δw of all contacts in the batches [J]: the slope of the energy along the
/// impulses, zero for normal parts that obey the law and negative for slip.
/// @param bodies  room for one more avoids an allocation; left as they are
double ContactWork(ContactBatches& batches, std::vector<SphereBody>& bodies);
double ContactWork(ContactBatches& batches, std::vector<RigidBody>& bodies);

/// The same of contact j alone, with the same bits if a and b are exchanged.
double ContactWork(const ContactBatches& batches, std::size_t j,
                   std::span<const SphereBody> bodies);
double ContactWork(const ContactBatches& batches, std::size_t j, std::span<const RigidBody> bodies);

/// Multiplies λ of all contacts, and L of laws where it grows with the load.
void ScaleImpulses(double factor, ContactBatches& batches);

}  // namespace scree
