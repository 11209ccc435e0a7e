/// \file  The ghosts of a rank: copies of the particles near its box that other ranks own, and of
///        its own particles seen through periodic ends.
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

/// The velocity of a particle in the image that is a ghost; without moving images the same bits.
/// @param images  velocities of the images, one per ghost, or none
inline Vec3 ToImageVelocity(std::span<const Vec3> images, std::size_t ghost, const Vec3& v) {
  return images.empty() || images[ghost].isZero(0.0) ? v : Vec3(v + images[ghost]);
}

/// Ghosts keep the bits of their owner's position; the periodic shift stays apart, because x + L
/// would round differently on each side. Their velocity is that of their image: in a sheared domain
/// the owner's and that of the images.
struct Halo {
  ExchangePlan plan;
  std::vector<Image> image;    // one per ghost: the periodic image of its owner's copy
  std::vector<Vec3> shift;     // one per ghost: position + shift is where it stands here [m]
  std::vector<Vec3> velocity;  // one per ghost: of its image; empty: images do not move [m/s]
  std::vector<int> owner;      // one per ghost: the owner's rank

  /// What the velocity of a ghost's owner becomes in its image.
  Vec3 ToImageVelocity(std::size_t ghost, const Vec3& v) const {
    return scree::ToImageVelocity(velocity, ghost, v);
  }
};

/// Replaces the ghosts by copies of all particles that a sphere with its centre in this rank's box
/// can have within the skin: those whose surface is closer to the box than the skin and the largest
/// radius. All ranks near this one become peers of the plan, those without ghosts too.
/// @param largest_radius  of all particles on all ranks [m]
/// @param interface       particles that are in no such pair of this rank are left out
/// @pre every owned particle lies in its owner's box; the subdomains' images are where they are
Halo BuildHalo(const Communicator& communicator, const Subdomains& subdomains, double skin,
               double largest_radius, InterfacePairs interface, Particles& particles);

/// Drops the ghosts that are not marked, here and from their owners' plans. All peers stay: other
/// messages find their way by them (warm_start). Collective.
/// @param marks  one per ghost
void RemoveUnmarkedGhosts(const Communicator& communicator, std::span<const std::uint8_t> marks,
                          Halo& halo, Particles& particles);

/// Brings shifts and velocities of the images up to date, of a halo that was built when the images
/// had these numbers.
void MoveImages(const PeriodicImages& images, Halo& halo);

/// Gathers positions and velocities of all ghosts from their owners, for images that move: there
/// the same arithmetic on both sides would round differently. Collective over the peers.
void GatherMotion(const Communicator& communicator, Halo& halo, Particles& particles);

}  // namespace scree
