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

#include "engine/contacts/contact_partner.hpp"
#include "engine/contacts/detected_contact.hpp"
#include "engine/lists/neighbor_list.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/byte_buffer.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/ranks/halo.hpp"
#include "engine/ranks/migration.hpp"
#include "engine/ranks/subdomains.hpp"
#include "solvers/batches/contact_batches.hpp"
#include "solvers/simd/simd.hpp"
#include "solvers/sweeps/position_projection.hpp"

namespace scree {

/// The impulse of one contact, by names that mean the same on every rank.
struct StoredImpulse {
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
  /// @param contacts, mirrors  of owned particles a, mirrors if others treat them (ghost_contacts)
  /// @param shared             so many contacts come first; else they are in the order of a
  /// @param walls              that contacts have as b
  /// @param batches            the same contacts in the same order, solved
  /// @param positions          their projection
  void Store(std::span<const DetectedContact> contacts, std::size_t shared,
             std::span<const DetectedContact> mirrors, std::span<const WallBody> walls,
             const ContactBatches& batches, const PositionProjection& positions);

  /// What is remembered of a contact.
  struct alignas(32) Entry {
    Vec3 impulse = Vec3::Zero();  // on a [N s]
    double push = 0.0;            // p of the projection of positions [kg m]
  };
  /// The number of a contact's entry, kNoStoredImpulse if there is none. It is good until the next
  /// Store or rebuild of the lists.
  Index Find(Index a, LocalPartner b, MemberPair members = {}) const {
    const auto i = static_cast<std::size_t>(a);
    const Index end = first_[i + 1];
    for (Index k = first_[i]; k < end; k += kLanes) {
      unsigned found = EqualMask(b.Code(), &entries_.partners[static_cast<std::size_t>(k)]);
      if (end - k < kLanes) found &= (1u << (end - k)) - 1u;
      for (; found != 0; found &= found - 1) {
        const Index at = k + std::countr_zero(found);
        if (entries_.MembersOf(static_cast<std::size_t>(at)) == members) return at;
      }
    }
    return kNoStoredImpulse;
  }
  /// As Find, for a piece of a wall's surface. A sphere may touch several periodic images of it,
  /// and which ones changes when the sphere crosses a periodic end. So images are not told apart:
  /// of the impulses remembered of them, that with the direction nearest to n is found.
  Index FindSurface(Index a, Index surface, MemberPair members, const Vec3& n) const {
    const LocalPartner b = LocalPartner::Surface(surface);
    Index found = Find(a, b, members);
    if (found == kNoStoredImpulse) return found;
    const Index end = first_[static_cast<std::size_t>(a) + 1];
    for (Index k = found + 1; k < end; ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (entries_.PartnerOf(at) != b || entries_.MembersOf(at) != members) continue;
      const Vec3 &one = entries_.all[at].impulse, &other = EntryAt(found).impulse;
      if (one.isZero(0.0)) continue;
      if (other.isZero(0.0) || n.dot(one) * other.norm() > n.dot(other) * one.norm()) found = k;
    }
    return found;
  }
  /// The same for sphere i and eight partners, all different; if it has fewer, ignore the bits and
  /// numbers beyond them.
  /// @param[out] numbers  entry k of each partner that has one, the first if its images have more;
  ///                      others are left as they are, and the ninth is scratch
  /// @returns one bit for each partner that has an entry
  SCREE_INLINE unsigned FindPacket(std::size_t i, const Index* partners,
                                   std::array<Index, kLanes + 1>& numbers) const {
    // The processor cannot predict how many entries a sphere has: look at two in any case.
    const Index begin = first_[i], end = first_[i + 1];
    unsigned all = 0;
    const auto look = [&](Index k, unsigned counts) {
      const unsigned found =
          EqualMask(entries_.partners[static_cast<std::size_t>(k)], partners) & counts & ~all;
      numbers[static_cast<std::size_t>(std::countr_zero(found | 1u << kLanes))] = k;
      all |= found;
    };
    look(begin, begin < end ? ~0u : 0u);
    look(begin + 1, begin + 1 < end ? ~0u : 0u);
    for (Index k = begin + 2; k < end; ++k) look(k, ~0u);
    return all;
  }
  /// Entry k; zero for kNoStoredImpulse.
  const Entry& EntryAt(Index k) const {
    static const Entry none;
    return k < 0 ? none : entries_.all[static_cast<std::size_t>(k)];
  }
  /// L of a law in entry k; zero for kNoStoredImpulse, or if the law does not act.
  template <class Law>
  Vec3 LawAt(Index k) const {
    const std::vector<Vec3>& impulses = entries_.laws[kLawIndex<Law>];
    return k < 0 || impulses.empty() ? Vec3(Vec3::Zero()) : impulses[static_cast<std::size_t>(k)];
  }
  bool HasImpulse(Index k) const { return !EntryAt(k).impulse.isZero(0.0); }

  /// The same forces over a step that is so many times as long.
  void Scale(double factor);

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
  std::vector<StoredImpulse> AllStored() const;
  /// @param owned  particles now, those included that have appeared since they were last sorted
  /// @returns owned + 1 numbers
  std::vector<Index> FirstOfParticles(std::size_t owned) const;

  /// Replaces what is known. Every `a` is one of the particles; they are sorted, and the list is
  /// theirs.
  void Restore(std::span<const StoredImpulse> remembered, const Particles& particles,
               const NeighborList& list);
  /// Replaces what is known, before the particles migrate: sends each impulse to the future owner
  /// of its particle `a`, where the next Remap restores it. Collective.
  void ScatterToOwners(const Communicator& communicator, const Subdomains& subdomains,
                       const Particles& particles, std::span<const StoredImpulse> remembered);

  /// Makes room for so many contacts.
  /// @param laws  that act in them
  void Reserve(std::size_t contacts, const LawFlags& laws) {
    entries_.Reserve(contacts, laws);
    order_.reserve(contacts);
  }

 private:
  /// Contacts, particle after particle or in some order.
  struct Entries {
    std::vector<Entry> all;
    std::vector<Index> partners;                    // their b, as codes
    std::vector<MemberPair> members;                // empty: of spheres
    std::array<std::vector<Vec3>, kLawCount> laws;  // L of each; empty: the law does not act

    void Reserve(std::size_t contacts, const LawFlags& acting);
    void Clear();
    void Add(const Entry& entry, LocalPartner b, MemberPair pair, const LawImpulses& its);
    LocalPartner PartnerOf(std::size_t k) const { return LocalPartner::FromCode(partners[k]); }
    MemberPair MembersOf(std::size_t k) const {
      return members.empty() ? MemberPair{} : members[k];
    }
    LawImpulses LawsAt(std::size_t k) const;
  };
  StoredImpulse NameOf(std::size_t i, std::size_t k) const;  // of entry k, of particle i
  void Pack(Index i, ByteWriter& out) const;
  void Unpack(ByteReader& in);
  void SortByParticle(const Particles& particles, const Entries& entries,
                      std::span<const Index> particle_of);
  void OrderByParticle(std::span<const DetectedContact> contacts, std::size_t shared,
                       std::span<const DetectedContact> mirrors);
  struct Numbered {
    std::size_t number;  // in the batches
    const DetectedContact& contact;
  };
  template <class At>
  void RememberInOrder(std::span<const WallBody> walls, const ContactBatches& batches,
                       const PositionProjection& positions, At&& at);

  std::vector<Index> first_ = {0};  // owned_ + 1: entries of a are first_[a] .. first_[a + 1] - 1
  Entries entries_;              // contacts with an impulse, and behind them whatever; room to read
                                 // eight partners at a time
  std::vector<ParticleId> ids_;  // of the local particles when they were last sorted
  std::size_t owned_ = 0;        // of these
  std::vector<Index> order_;     // scratch: OrderByParticle
  Entries remapped_;             // scratch
  std::vector<Index> particle_of_;        // scratch: a of each of these
  std::vector<StoredImpulse> arrived_;    // with their particles
  std::vector<StoredImpulse> scattered_;  // to this rank, until they are restored
};

/// The impulses with which contacts start: those of the last step projected onto the new normals n
/// and clipped to the cones of friction. (Raw impulses feed energy into sheared contacts.)
SCREE_INLINE void ProjectOntoCones(ContactBatch& batch) {
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
