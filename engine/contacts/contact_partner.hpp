/// \file  The three ways to identify the second body of a contact, and the conversions between
/// them.
///
///     number          DetectedContact::b, Contact::b: a row in the bodies of one step, local
///                     particles first, then the step's WallBodies (see ContactBodies)
///     LocalPartner    a particle's local index or a piece of a wall's surface: the same from
///                     step to step until the lists are rebuilt
///     GlobalPartner   a particle's id or a piece of a wall's surface: the same on every rank and
///                     after a restart
///
/// A piece of surface is a whole wall or a feature of a mesh (WallBody::surface).
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "engine/contacts/wall_bodies.hpp"
#include "engine/particles/particles.hpp"
#include "solvers/base/check.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// A particle, identified by a number ≥ 0 of type Id, or a piece of surface. Has the size of an Id.
template <class Id>
class ContactPartner {
 public:
  static ContactPartner Particle(Id particle) { return ContactPartner(particle); }
  static ContactPartner Surface(Index surface) {
    return ContactPartner(kFirstSurface - static_cast<Id>(surface));
  }
  /// Inverse of Code, for files and messages.
  static ContactPartner FromCode(Id code) { return ContactPartner(code); }

  ContactPartner() = default;

  bool IsSurface() const { return code_ <= kFirstSurface; }
  /// @pre !IsSurface()
  Id Particle() const { return code_; }
  /// @pre IsSurface()
  Index Surface() const { return static_cast<Index>(kFirstSurface - code_); }

  /// Particles keep their number. Surfaces count from −2 downwards, because −1 is the id of a
  /// removed particle.
  Id Code() const { return code_; }

  friend bool operator==(ContactPartner, ContactPartner) = default;

 private:
  static constexpr Id kFirstSurface = static_cast<Id>(kRemovedId) - 1;
  explicit ContactPartner(Id code) : code_(code) {}
  Id code_ = 0;
};
using LocalPartner = ContactPartner<Index>;
using GlobalPartner = ContactPartner<ParticleId>;

/// @param ids  of the local particles
inline GlobalPartner ToGlobal(LocalPartner partner, std::span<const ParticleId> ids) {
  if (partner.IsSurface()) return GlobalPartner::Surface(partner.Surface());
  return GlobalPartner::Particle(ids[static_cast<std::size_t>(partner.Particle())]);
}

/// A key with which all ranks sort bodies in the same order: particles by id, then surfaces.
inline std::int64_t OrderKey(GlobalPartner partner) {
  constexpr std::int64_t kFirst =
      std::numeric_limits<std::int64_t>::max() - std::numeric_limits<Index>::max();
  return partner.IsSurface() ? kFirst + partner.Surface() : partner.Particle();
}

/// Maps the body numbers of a step's contacts to particles and walls.
class ContactBodies {
 public:
  ContactBodies(const Particles& particles, std::span<const WallBody> walls)
      : ContactBodies(particles.Size(), walls) {}
  ContactBodies(std::size_t particles, std::span<const WallBody> walls)
      : particles_(particles), walls_(walls) {}

  bool IsWall(Index body) const { return static_cast<std::size_t>(body) >= particles_; }
  /// @pre IsWall(body)
  const WallBody& WallOf(Index body) const {
    return walls_[static_cast<std::size_t>(body) - particles_];
  }
  LocalPartner PartnerOf(Index body) const {
    return IsWall(body) ? LocalPartner::Surface(WallOf(body).surface)
                        : LocalPartner::Particle(body);
  }

 private:
  std::size_t particles_;
  std::span<const WallBody> walls_;
};

}  // namespace scree
