/// \file  What the restitution of bodies that are no spheres leaves to friction.
///
/// Of all contacts between two bodies, or between a body and walls, among which one has to rebound,
///
///     u = (A r)ₜ,   0 ≤ r ⊥ (A r)ₙ + b ≥ 0,
///
/// b being the biases: r are the normal impulses that without friction would bring what restitution
/// asks for. Friction then acts on δvₜ − u, the slip at the end of compression. So no impact of two
/// bodies gains energy, whatever A, with either law (engine/README.md, Restitution). One contact
/// has r = e |m|/Aₙₙ and u = e |m| A_tn/Aₙₙ; spheres, u = 0.
#pragma once

#include <span>
#include <vector>

#include "engine/contacts/contact_assembly.hpp"

namespace scree {

/// Sets u of all contacts that rebound, and of those with them.
/// @param impacts  numbers of contacts that have to rebound, ascending, in `batches`
/// @pre input.IsRigid()
void SetRestitutionSlips(const ContactInput& input, std::span<const Index> impacts,
                         ContactBatches& batches);

}  // namespace scree
