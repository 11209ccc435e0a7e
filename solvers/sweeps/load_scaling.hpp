/// \file  Scales all loads at once where a heavy body on light ones is not carried.
///
/// A relaxation of a heavy body's contact with a light one, of masses M and m, takes of the heavy
/// body's momentum what the light one can take up, so that a sweep solves a share of about m/M of
/// its motion. The error that stays goes with the loads that the heavy body has already: the same
/// contacts would carry it if they carried more. Along the loads themselves the energy is least
/// with
///
///     λ ← (1 + α) λ,   v ← v + α (v − v_free),   α = −Σⱼ gⱼ / (v − v_free)⋅M (v − v_free)
///     gⱼ = λₙⱼ (δvₙⱼ + bⱼ), and λₜⱼ⋅δvₜⱼ more where j sticks
///
/// because v − v_free = M⁻¹ W λ: a line search, for any kind of bodies, that needs no matrix
/// (solvers/README.md, Heavy bodies). Friction cones hold, as 1 + α > 0; impulses of additional
/// laws have to grow with the load.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "solvers/batches/contact_batches.hpp"
#include "solvers/one_contact/contact.hpp"
#include "solvers/one_contact/rigid_body.hpp"

namespace scree {

/// In a contact of bodies one of which is so many times as heavy as the other it is a heavy one:
/// ten sweeps by themselves bring those to rest that are lighter.
inline constexpr double kHeavyRatio = 100.0;

/// Sums over contacts or bodies of one rank, which are to be added up over the ranks.
struct LoadErrors {
  double work = 0.0;        // Σ g of all contacts [J]
  double heavy_work = 0.0;  // the part of heavy bodies' contacts with light ones [J]
  double heavy_load = 0.0;  // Σ λₙ of these [N s]
  double energy = 0.0;      // (v − v_free)⋅M (v − v_free) [J]
};

/// Where bodies stand in their array.
struct ScaledBodies {
  std::size_t own = 0;    // bodies before this one are this rank's
  std::size_t walls = 0;  // bodies from here on are patches of walls, each of one contact here
};

/// @param free    v_free
/// @param bodies  at v; room for one more avoids an allocation
template <class Body>
LoadErrors FindLoadErrors(const ScaledBodies& which, ContactBatches& batches,
                          std::span<const Body> free, std::vector<Body>& bodies);

/// All impulses, and the bodies with them, copies of other ranks' too.
/// @param alpha  > −1
template <class Body>
void ScaleLoads(double alpha, ContactBatches& batches, std::span<const Body> free,
                std::span<Body> bodies);

}  // namespace scree
