/// \file  The ghosts of a rank: copies of particles near its box that other ranks own, or periodic
///        images of the rank's own particles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/ranks/contact_ownership.hpp"
#include "engine/ranks/exchange_plan.hpp"
#include "engine/ranks/subdomains.hpp"

namespace scree {

/// Converts the velocity of a particle to the velocity of its image. If the image is at rest, the
/// bits do not change.
/// @param images  velocities of the images, one per ghost; empty: all are at rest
inline Vec3 ToImageVelocity(std::span<const Vec3> images, std::size_t ghost, const Vec3& v) {
  return images.empty() || images[ghost].isZero(0.0) ? v : Vec3(v + images[ghost]);
}

/// A ghost has the bits of its owner's position. The periodic shift is stored separately, because
/// x + L would be rounded differently on each side. If images move, the velocity of a ghost is the
/// owner's velocity plus the velocity of the image.
struct Halo {
  ExchangePlan plan;
  std::vector<Image> image;    // one per ghost: periods by which the ghost is shifted
  std::vector<Vec3> shift;     // one per ghost: position + shift is near this rank's box [m]
  std::vector<Vec3> velocity;  // one per ghost: of the image; empty: images are at rest [m/s]
  std::vector<int> owner;      // one per ghost: rank of the owner

  /// Converts the velocity of a ghost's owner to the velocity of the ghost.
  Vec3 ToImageVelocity(std::size_t ghost, const Vec3& v) const {
    return scree::ToImageVelocity(velocity, ghost, v);
  }
};

/// Replaces the ghosts by copies of all particles that may be within the skin of this rank's
/// spheres. Because the centres of these spheres are in the rank's box, the copied particles are
/// those whose surface is closer to the box than the skin plus the largest radius. All ranks near
/// this one become peers of the plan, even those without ghosts. Collective.
/// @param largest_radius  of all particles on all ranks [m]
/// @param interface       pairs that a rank lists; there are no ghosts for other pairs
/// @pre every owned particle is in this rank's box; the subdomains' images are up to date
Halo BuildHalo(const Communicator& communicator, const Subdomains& subdomains, double skin,
               double largest_radius, InterfacePairs interface, Particles& particles);

/// Removes the unmarked ghosts on this rank, and their entries in the plans of their owners. All
/// peers stay in the plan, because warm_start also sends messages to them. Collective.
/// @param marks  one per ghost
void RemoveUnmarkedGhosts(const Communicator& communicator, std::span<const std::uint8_t> marks,
                          Halo& halo, Particles& particles);

/// Updates the shifts and image velocities of a halo after the images have moved.
void MoveImages(const PeriodicImages& images, Halo& halo);

/// Gathers all varying fields of the ghosts from their owners. Moving images require this, because
/// owner and ghost would round differently if both computed the motion. Collective over the peers.
void GatherMotion(const Communicator& communicator, Halo& halo, Particles& particles);

}  // namespace scree
