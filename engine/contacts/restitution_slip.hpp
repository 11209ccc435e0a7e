/// \file  The slip that restitution of non-spherical bodies causes, which friction must not oppose.
///
/// Consider all contacts between two bodies, or between a body and walls, if at least one of these
/// contacts has to rebound. Their slip u is
///
///     u = (A r)ₜ,   0 ≤ r ⊥ (A r)ₙ + b ≥ 0,
///
/// where b are the biases, and r are the normal impulses that restitution would require without
/// friction. Friction then acts on δvₜ − u, the slip at the end of compression. Thus no impact of
/// two bodies gains energy, for any A and with either friction law (solvers/README.md). A single
/// contact has r = e |v|/Aₙₙ and u = e |v| A_tn/Aₙₙ with the normal velocity v before the impact.
/// Spheres have u = 0.
#pragma once

#include <span>
#include <vector>

#include "engine/contacts/contact_assembly.hpp"

namespace scree {

/// Sets u of all contacts that rebound, and of the other contacts of the same bodies.
/// @param impacts  numbers in `batches` of the contacts that have to rebound, ascending
/// @pre input.IsRigid()
void SetRestitutionSlips(const ContactInput& input, std::span<const Index> impacts,
                         ContactBatches& batches);

}  // namespace scree
