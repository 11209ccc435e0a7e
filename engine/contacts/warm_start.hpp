/// \file  The impulses of the last step, with which the contacts of this one begin.
///
/// Between rebuilds of the neighbour list a contact is known by its bodies' local indices. At a
/// rebuild indices change and contacts may pass to other ranks: those inside are remapped, those of
/// a particle that migrates travel with it, and those with a shared or migrated particle then go to
/// the neighbours by the particles' ids.
#pragma once

#include <array>
#include <bit>
#include <span>
#include <vector>

#include "engine/contacts/contact_detection.hpp"
#include "engine/contacts/contact_partner.hpp"
#include "engine/lists/neighbor_list.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/byte_buffer.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/ranks/halo.hpp"
#include "engine/ranks/migration.hpp"
#include "engine/ranks/subdomains.hpp"
#include "solvers/contact_batches.hpp"
#include "solvers/position_projection.hpp"
#include "solvers/simd.hpp"

namespace scree {

/// The impulse of one contact, by names that mean the same on every rank.
struct RememberedImpulse {
  ParticleId a = 0;
  GlobalPartner b;
  Vec3 impulse = Vec3::Zero();  // on a [N s]
  LawImpulses laws;             // L on a
  double push = 0.0;            // p of the projection of positions [kg m]
  MemberPair members = {};
  std::uint32_t unused = 0;  // so that messages have no padding
};

class WarmStart {
 public:
  /// Replaces what is known by the impulses of a step's contacts; those without any are left out.
  /// @param contacts, mirrors  of owned particles a, mirrors if others treat them (mirror_contacts)
  /// @param shared             so many contacts come first; else they are in the order of a
  /// @param walls              that contacts have as b
  /// @param batches            the same contacts in the same order, solved
  /// @param positions          their projection
  void Remember(std::span<const DetectedContact> contacts, std::size_t shared,
                std::span<const DetectedContact> mirrors, std::span<const WallBody> walls,
                const ContactBatches& batches, const PositionProjection& positions);

  /// The impulse on a; zero if the contact carried none.
  const Vec3& Of(Index a, LocalPartner b, MemberPair members = {}) const {
    static const Vec3 none = Vec3::Zero();
    const Index k = Find(a, b, members);
    return k < 0 ? none : entries_.all[static_cast<std::size_t>(k)].impulse;
  }
  /// The same for L of a law.
  template <class Law>
  Vec3 Of(Index a, LocalPartner b, MemberPair members = {}) const {
    const std::vector<Vec3>& impulses = entries_.laws[kLawIndex<Law>];
    const Index k = impulses.empty() ? -1 : Find(a, b, members);
    return k < 0 ? Vec3(Vec3::Zero()) : impulses[static_cast<std::size_t>(k)];
  }
  /// The same with p of the projection of positions.
  struct Last {
    Vec3 impulse = Vec3::Zero();  // on a [N s]
    double push = 0.0;            // p [kg m]
  };
  Last LastOf(Index a, LocalPartner b, MemberPair members = {}) const {
    const Index k = Find(a, b, members);
    if (k < 0) return {};
    const Entry& entry = entries_.all[static_cast<std::size_t>(k)];
    return {entry.impulse, entry.push};
  }
  bool Carried(Index a, LocalPartner b, MemberPair members = {}) const {
    return !Of(a, b, members).isZero(0.0);
  }

  /// What migrates with an owned particle: the contacts of which it is `a`. What comes with one
  /// that arrives waits for the next Remap.
  Attachment AttachedToParticles();

  /// Remaps the contacts to the indices and ranks that their particles have after a rebuild; those
  /// that came with particles, or that ScatterToOwners brought, are restored then. Collective.
  /// @param staying  old indices of the owned particles that did not migrate, those that appeared
  ///                 since the last rebuild included
  /// @param order    new index k was at order[k] in staying, then arrivals
  /// @param particles, halo, list  as they are now
  void Remap(const Communicator& communicator, std::span<const Index> staying,
             std::span<const Index> order, const Particles& particles, const Halo& halo,
             const NeighborList& list);

  /// All impulses that this rank remembers: particle after particle, those of owned particle i
  /// beginning at FirstOfParticles()[i].
  std::vector<RememberedImpulse> Names() const;
  /// @param owned  particles now, those included that have appeared since they were last sorted
  /// @returns owned + 1 numbers
  std::vector<Index> FirstOfParticles(std::size_t owned) const;

  /// Replaces what is known. Every `a` is one of the particles; they are sorted, and the list is
  /// theirs.
  void Restore(std::span<const RememberedImpulse> remembered, const Particles& particles,
               const NeighborList& list);
  /// Replaces what is known, before the particles migrate: sends each impulse to the future owner
  /// of its particle `a`, where the next Remap restores it. Collective.
  void ScatterToOwners(const Communicator& communicator, const Subdomains& subdomains,
                       const Particles& particles, std::span<const RememberedImpulse> remembered);

  /// Makes room for so many contacts.
  /// @param laws  that act in them
  void Reserve(std::size_t contacts, const LawFlags& laws) {
    entries_.Reserve(contacts, laws);
    order_.reserve(contacts);
    partners_.reserve(contacts + kLanes);
  }

 private:
  struct Entry {
    Index a;
    LocalPartner b;
    Vec3 impulse;
    double push;
    MemberPair members;
  };
  /// Contacts in some order.
  struct Entries {
    std::vector<Entry> all;
    std::array<std::vector<Vec3>, kLawCount> laws;  // L of each; empty: the law does not act

    void Reserve(std::size_t contacts, const LawFlags& acting);
    void Clear();
    void Add(const Entry& entry, const LawImpulses& its);
    LawImpulses LawsAt(std::size_t k) const;
  };
  /// Number of an entry; −1: there is none.
  Index Find(Index a, LocalPartner b, MemberPair members) const {
    const auto i = static_cast<std::size_t>(a);
    const Index end = first_[i + 1];
    for (Index k = first_[i]; k < end; k += kLanes) {
      unsigned found = WhichAre(b.Code(), &partners_[static_cast<std::size_t>(k)]);
      if (end - k < kLanes) found &= (1u << (end - k)) - 1u;
      for (; found != 0; found &= found - 1) {
        const Index at = k + std::countr_zero(found);
        if (entries_.all[static_cast<std::size_t>(at)].members == members) return at;
      }
    }
    return -1;
  }
  RememberedImpulse NameOf(std::size_t k) const;  // of entry k
  void Pack(Index i, ByteWriter& out) const;
  void Unpack(ByteReader& in);
  void SortByParticle(const Particles& particles, const Entries& entries);
  void OrderByParticle(std::span<const DetectedContact> contacts, std::size_t shared,
                       std::span<const DetectedContact> mirrors);
  struct Numbered {
    std::size_t number;  // in the batches
    const DetectedContact& contact;
  };
  template <class At>
  void RememberInOrder(std::span<const WallBody> walls, const ContactBatches& batches,
                       const PositionProjection& positions, At&& at);

  std::vector<Index> first_;     // owned_ + 1: entries of a are first_[a] .. first_[a + 1] - 1
  Entries entries_;              // contacts with an impulse
  std::vector<Index> partners_;  // their b, as codes, and room to read eight at a time
  std::vector<ParticleId> ids_;  // of the local particles when they were last sorted
  std::size_t owned_ = 0;        // of these
  std::vector<Index> order_;     // scratch: OrderByParticle
  Entries remapped_;             // scratch
  std::vector<RememberedImpulse> arrived_;    // with their particles
  std::vector<RememberedImpulse> scattered_;  // to this rank, until they are restored
};

/// The impulses with which contacts start: those of the last step projected onto the new normals n
/// and clipped to the cones of friction. (Raw impulses feed energy into sheared contacts.)
SCREE_INLINE void BringOntoCones(ContactBatch& batch) {
  const Vector3<Double8> n = NormalOf(batch), impulse = ImpulseOf(batch);
  const auto dot = [](const Vector3<Double8>& a, const Vector3<Double8>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
  };
  const Double8 zero = {};
  const Double8 lambda_n = dot(impulse, n);
  const Vector3<Double8> normal = {lambda_n * n.x, lambda_n * n.y, lambda_n * n.z};
  const Vector3<Double8> tangential = Minus(impulse, normal);
  const Double8 length = Sqrt(dot(tangential, tangential));
  const Double8 limit = batch.friction * lambda_n;
  const Double8 share = Select(length > limit, limit / length, zero + 1.0);
  const Int8 presses = lambda_n > zero;
  SetImpulseOf(batch, {Select(presses, normal.x + share * tangential.x, zero),
                       Select(presses, normal.y + share * tangential.y, zero),
                       Select(presses, normal.z + share * tangential.z, zero)});
}

}  // namespace scree
