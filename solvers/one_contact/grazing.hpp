/// \file  Slip solutions of a contact that neither approaches nor separates, bₙ = 0.
#pragma once

#include "solvers/one_contact/conic_section.hpp"
#include "solvers/one_contact/one_contact.hpp"

namespace scree {

// The plane of maximum compression passes through the apex of the friction cone. It meets the
// surface of the cone in the apex alone (m > 0, RotatedContact), in one ray (m = 0), or in two rays
// (m < 0).

/// Returns the point of minimal energy on the rays; zero if there is no ray, or if no impulse on
/// the rays dissipates.
/// @pre bₙ = 0, μ > 0, contact normalised
Vec3 MinEnergyOnRays(const OneContact& contact);

/// Returns the slips by Coulomb's law on the rays, none or one on each.
///
/// If the ray, Â times the ray and b̂ are all parallel (a planar problem at Painlevé's threshold; Â
/// and b̂ are those of RotatedContact), every point between zero and the sticking impulse is a
/// solution. Such a family is not listed.
/// @pre bₙ = 0, μ > 0, contact normalised
SlipList CoulombSlipsOnRays(const OneContact& contact);

}  // namespace scree
