/// \file  The common part of the narrow phases of all geometries: the separation and the activity
///        of a pair of particles, and the loop over particles and their walls.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "engine/contacts/activation_rule.hpp"
#include "engine/contacts/contact_list.hpp"
#include "engine/contacts/contact_partner.hpp"
#include "engine/contacts/detected_contact.hpp"
#include "engine/contacts/time_of_impact.hpp"
#include "engine/contacts/wall_detection.hpp"
#include "engine/contacts/warm_start.hpp"
#include "engine/lists/neighbor_list.hpp"
#include "engine/particles/particles.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// Positions of ghosts are rounded when their shift is added. This factor widens limits, so that
/// the rounding hides no near pair.
inline constexpr double kPositionRounding = 1.0 + 1e-9;

/// Base class of the narrow phases, which find near pairs of particles of one geometry and add the
/// active ones.
class PairDetection {
 public:
  /// @param velocities  of the particles in this step [m/s]
  /// @param warm_start  null: no contact carried an impulse
  /// @param ghost_shift  of each ghost [m]
  PairDetection(const Particles& particles, std::span<const Vec3> velocities,
                const NeighborList& list, const Scene& scene, const ActivationRule& rule,
                const WarmStart* warm_start, const std::vector<Vec3>& ghost_shift,
                ContactList& contacts)
      : particles_(particles),
        velocities_(velocities),
        list_(list),
        scene_(scene),
        rule_(rule),
        warm_start_(warm_start),
        ghost_shift_(ghost_shift),
        contacts_(contacts) {}

 protected:
  static std::size_t LocalIndex(Index partner) { return static_cast<std::size_t>(partner); }

  /// From the centre of particle j to that of particle i [m]. The shift of a ghost is added to the
  /// difference, so that both ranks of the pair round equally: their normals differ only in sign.
  Vec3 SeparationOf(std::size_t i, std::size_t j) const {
    Vec3 d = particles_.position[i] - particles_.position[j];
    if (j >= particles_.owned) d -= ghost_shift_[j - particles_.owned];
    return d;
  }

  /// The contact plane between two spheres, members of particles i and j.
  /// @param separation, velocity  of the sphere of i relative to that of j [m], [m/s]
  PairPlane PlaneBetween(std::size_t i, std::size_t j, const Vec3& separation, const Vec3& velocity,
                         double radii_sum) const {
    const double distance = separation.norm();
    const PairPlane now = {distance > 0.0 ? Vec3(separation / distance) : AnyNormal(i, j),
                           distance - radii_sum};
    return rule_.speculative ? PredictPlane(now, separation, velocity, radii_sum, rule_.dt) : now;
  }

  /// @param velocity  of i relative to j at the contact [m/s]
  /// @param find_entry  find_entry() returns the contact's entry of WarmStart; called only if the
  ///                    result depends on it
  template <class FindEntry>
  bool IsActive(double gap, double change, const Vec3& velocity, const Vec3& normal,
                FindEntry&& find_entry) const {
    const double opening = velocity.dot(normal);
    return rule_.IsActive(gap, change, [&] { return opening; }) ||
           (HasImpulse(find_entry()) && rule_.StaysActive(gap, change, velocity.norm(), opening));
  }

  /// Sum of Particles::velocity_change of two particles [m/s].
  double ChangeOf(std::size_t i, std::size_t j) const {
    return particles_.velocity_change[i] + particles_.velocity_change[j];
  }

  /// A normal for two particles with coinciding centres; both ranks choose the same.
  Vec3 AnyNormal(std::size_t i, std::size_t j) const {
    return particles_.id[i] < particles_.id[j] ? Vec3::UnitZ() : Vec3(-Vec3::UnitZ());
  }

  Index FindStored(std::size_t i, Index partner, MemberPair members = {}) const {
    if (warm_start_ == nullptr) return kNoStoredImpulse;
    return warm_start_->Find(static_cast<Index>(i), LocalPartner::Particle(partner), members);
  }
  bool HasImpulse(Index entry) const { return entry >= 0 && warm_start_->HasImpulse(entry); }

  void Add(const DetectedContact& contact) {
    max_overlap_ = std::max(max_overlap_, -contact.gap);
    contacts_.Add(contact);
  }
  void Add(const DetectedContact& contact, const ContactGeometry& geometry) {
    max_overlap_ = std::max(max_overlap_, -contact.gap);
    contacts_.Add(contact, geometry);
  }

  const Particles& particles_;
  const std::span<const Vec3> velocities_;
  const NeighborList& list_;
  const Scene& scene_;
  const ActivationRule& rule_;
  const WarmStart* const warm_start_;
  const std::vector<Vec3>& ghost_shift_;
  ContactList& contacts_;
  double max_overlap_ = 0.0;  // so far [m]

  template <class NarrowPhase>
  friend double AddContactsOfAll(NarrowPhase& phase, WallDetection& walls);
};

/// Adds the contacts of all particles, particle by particle: first those with its partners, then
/// those with its walls.
/// @param phase  a class derived from PairDetection. phase.Prepare(first, last) begins a block of
///               particles; phase.AddPairsOf(i) adds the contacts of particle i with its partners
/// @returns the largest overlap [m]
template <class NarrowPhase>
double AddContactsOfAll(NarrowPhase& phase, WallDetection& walls) {
  constexpr std::size_t kBlock = 32;  // particles whose packets stay in the cache
  PairDetection& pairs = phase;
  const Particles& particles = pairs.particles_;
  const std::vector<WallCandidate>& candidates = pairs.list_.walls;
  auto wall = candidates.begin();
  for (std::size_t first = 0; first < particles.owned; first += kBlock) {
    const std::size_t last = std::min(first + kBlock, particles.owned);
    phase.Prepare(first, last);
    for (std::size_t i = first; i < last; ++i) {
      phase.AddPairsOf(i);
      const auto first_wall = wall;
      while (wall != candidates.end() && static_cast<std::size_t>(wall->particle) == i) ++wall;
      if (wall == first_wall || particles.id[i] == kRemovedId) continue;
      pairs.max_overlap_ = std::max(pairs.max_overlap_, walls.AddContactsOf({first_wall, wall}));
    }
  }
  return pairs.max_overlap_;
}

}  // namespace scree
