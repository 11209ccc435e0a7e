/// \file  Warm start: the impulses of the last step, with which the contacts of this step start.
///
/// Between rebuilds of the neighbour list a contact is identified by the local indices of its
/// bodies. At a rebuild indices change and contacts may move to other ranks. Contacts inside a
/// subdomain are remapped. Contacts of a migrating particle travel with it. Contacts with a shared
/// or migrated particle are then sent to the neighbour ranks, identified by the particles' ids.
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

/// The impulse of one contact, with identifiers of its bodies that are valid on every rank.
struct StoredImpulse {
  ParticleId a = 0;
  GlobalPartner b;
  Vec3 impulse = Vec3::Zero();      // on a [N s]
  LawImpulses laws;                 // L of the additional laws, on a
  double projection_impulse = 0.0;  // p, the impulse of the projection of positions [kg m]
  MemberPair members = {};
  std::uint32_t unused = 0;  // instead of padding, which messages must not have
};

class WarmStart {
 public:
  /// Stores the impulses of this step's contacts, except zeros.
  /// @param contacts, ghosts  contacts that this rank owns, and those that other ranks own; body a
  ///                           of each is an owned particle
  /// @param shared             number of shared contacts, which come first; shared and other
  ///                           contacts are each in the order of a
  /// @param walls              bodies b of the contacts with walls
  /// @param batches            solution of the contacts: `contacts`, then `ghosts`
  /// @param positions          projection of the contacts in `batches`
  void Store(std::span<const DetectedContact> contacts, std::size_t shared,
             std::span<const DetectedContact> ghosts, std::span<const WallBody> walls,
             const ContactBatches& batches, const PositionProjection& positions);

  /// The stored impulses of a contact.
  struct alignas(32) Entry {
    Vec3 impulse = Vec3::Zero();      // on a [N s]
    double projection_impulse = 0.0;  // p, the impulse of the projection of positions [kg m]
  };
  /// The number of a contact's entry; kNoStoredImpulse if there is none. It is valid until the next
  /// Store or rebuild of the lists.
  Index Find(Index a, LocalPartner b, MemberPair members = {}) const {
    const auto i = static_cast<std::size_t>(a);
    const Index end = first_[i + 1];
    for (Index k = first_[i]; k < end; k += kLanes) {
      unsigned found = EqualMask(b.Code(), &entries_.partners[static_cast<std::size_t>(k)]);
      if (end - k < kLanes) found &= (1u << (end - k)) - 1u;
      for (; found != 0; found &= found - 1) {
        const Index entry = k + std::countr_zero(found);
        if (entries_.MembersOf(static_cast<std::size_t>(entry)) == members) return entry;
      }
    }
    return kNoStoredImpulse;
  }
  /// Finds the entry for a piece of a wall's surface. A sphere may touch several periodic images of
  /// the piece, and the images change when the sphere crosses a periodic end. Images are therefore
  /// not distinguished: the result is the entry whose impulse has the direction nearest to n.
  Index FindSurface(Index a, Index surface, MemberPair members, const Vec3& n) const {
    const LocalPartner b = LocalPartner::Surface(surface);
    Index found = Find(a, b, members);
    if (found == kNoStoredImpulse) return found;
    const Index end = first_[static_cast<std::size_t>(a) + 1];
    for (Index k = found + 1; k < end; ++k) {
      const auto entry = static_cast<std::size_t>(k);
      if (entries_.PartnerOf(entry) != b || entries_.MembersOf(entry) != members) continue;
      const Vec3 &impulse = entries_.all[entry].impulse, &best = EntryAt(found).impulse;
      if (impulse.isZero(0.0)) continue;
      if (best.isZero(0.0) || n.dot(impulse) * best.norm() > n.dot(best) * impulse.norm()) {
        found = k;
      }
    }
    return found;
  }
  /// Finds the entries of sphere i and a packet of eight different partners. If the sphere has
  /// fewer partners, the caller ignores the bits and numbers beyond them.
  /// @param[out] numbers  entry of each partner, the first one if there are several (from periodic
  ///                      images); without an entry the number is unchanged. The ninth is scratch
  /// @returns one bit per partner: it has an entry
  SCREE_INLINE unsigned FindPacket(std::size_t i, const Index* partners,
                                   std::array<Index, kLanes + 1>& numbers) const {
    // The processor cannot predict the number of a sphere's entries, so two are always checked.
    const Index begin = first_[i], end = first_[i + 1];
    unsigned all = 0;
    const auto check = [&](Index k, unsigned mask) {
      const unsigned found =
          EqualMask(entries_.partners[static_cast<std::size_t>(k)], partners) & mask & ~all;
      numbers[static_cast<std::size_t>(std::countr_zero(found | 1u << kLanes))] = k;
      all |= found;
    };
    check(begin, begin < end ? ~0u : 0u);
    check(begin + 1, begin + 1 < end ? ~0u : 0u);
    for (Index k = begin + 2; k < end; ++k) check(k, ~0u);
    return all;
  }
  /// Entry k; zero for kNoStoredImpulse.
  const Entry& EntryAt(Index k) const {
    static const Entry none;
    return k < 0 ? none : entries_.all[static_cast<std::size_t>(k)];
  }
  /// L of a law in entry k; zero for kNoStoredImpulse, or if the law is not active.
  template <class Law>
  Vec3 LawAt(Index k) const {
    const std::vector<Vec3>& impulses = entries_.laws[kLawIndex<Law>];
    return k < 0 || impulses.empty() ? Vec3(Vec3::Zero()) : impulses[static_cast<std::size_t>(k)];
  }
  bool HasImpulse(Index k) const { return !EntryAt(k).impulse.isZero(0.0); }
  void SetImpulse(Index k, const Vec3& impulse) {
    entries_.all[static_cast<std::size_t>(k)].impulse = impulse;
  }

  /// Scales the impulses to a step that is `factor` times as long, with equal forces.
  void Scale(double factor);

  /// The data that migrate with an owned particle: the impulses of contacts in which it is `a`. The
  /// next Remap restores the data of arriving particles.
  Attachment AttachedToParticles();

  /// Remaps the contacts to the indices and ranks of their particles after a rebuild. Also restores
  /// contacts that arrived with particles or by ScatterToOwners. Collective.
  /// @param staying  old indices of the owned particles that did not migrate, including particles
  ///                 that appeared since the last rebuild
  /// @param order    the particle with new index k is element order[k] of `staying` followed by the
  ///                 arrived particles
  /// @param particles, halo, list  after the rebuild
  void Remap(const Communicator& communicator, std::span<const Index> staying,
             std::span<const Index> order, const Particles& particles, const Halo& halo,
             const NeighborList& list);

  /// All stored impulses of this rank, particle after particle. The impulses of owned particle i
  /// start at FirstOfParticles()[i].
  std::vector<StoredImpulse> AllStored() const;
  /// Index in AllStored of the first impulse of each owned particle, then the number of impulses.
  /// @param owned  present number of owned particles, including particles that appeared since the
  ///               last sorting
  /// @returns owned + 1 indices
  std::vector<Index> FirstOfParticles(std::size_t owned) const;

  /// Replaces all stored impulses.
  /// @pre this rank owns every `a`; the particles are sorted, and the list belongs to them
  void Restore(std::span<const StoredImpulse> stored, const Particles& particles,
               const NeighborList& list);
  /// Replaces all stored impulses before the particles migrate: sends each impulse to the future
  /// owner of its particle `a`. The next Remap restores it there. Collective.
  void ScatterToOwners(const Communicator& communicator, const Subdomains& subdomains,
                       const Particles& particles, std::span<const StoredImpulse> stored);

  /// @param laws  active laws
  void Reserve(std::size_t contacts, const LawFlags& laws) {
    entries_.Reserve(contacts, laws);
    order_.reserve(contacts);
  }

 private:
  /// Entries of contacts, in any order.
  struct Entries {
    std::vector<Entry> all;
    std::vector<Index> partners;                    // b of each contact, as ContactPartner::Code
    std::vector<MemberPair> members;                // empty: all bodies are spheres
    std::array<std::vector<Vec3>, kLawCount> laws;  // L of each contact; empty: no such law

    void Reserve(std::size_t contacts, const LawFlags& acting);
    void Clear();
    void Add(const Entry& entry, LocalPartner b, MemberPair pair, const LawImpulses& law_impulses);
    LocalPartner PartnerOf(std::size_t k) const { return LocalPartner::FromCode(partners[k]); }
    MemberPair MembersOf(std::size_t k) const {
      return members.empty() ? MemberPair{} : members[k];
    }
    LawImpulses LawsAt(std::size_t k) const;
  };
  StoredImpulse ToStoredImpulse(std::size_t i, std::size_t k) const;  // entry k of particle i
  void Pack(Index i, ByteWriter& out) const;
  void Unpack(ByteReader& in);
  void SortByParticle(const Particles& particles, const Entries& entries,
                      std::span<const Index> particle_of);
  void OrderByParticle(std::span<const DetectedContact> contacts, std::size_t shared,
                       std::span<const DetectedContact> ghosts);
  struct NumberedContact {
    std::size_t number;  // in the batches
    const DetectedContact& contact;
  };
  template <class ContactAt>
  void StoreInOrder(std::span<const WallBody> walls, const ContactBatches& batches,
                    const PositionProjection& positions, ContactAt&& contact_at);

  std::vector<Index> first_ = {0};  // owned_ + 1: entries of a are first_[a] .. first_[a + 1] - 1
  // Contacts with an impulse, padded so that packets of eight partners can be read.
  Entries entries_;
  std::vector<ParticleId> ids_;           // of the local particles when they were last sorted
  std::size_t owned_ = 0;                 // number of owned particles at that time
  std::vector<Index> order_;              // scratch: OrderByParticle
  Entries remapped_;                      // scratch
  std::vector<Index> particle_of_;        // scratch: a of each remapped entry
  std::vector<StoredImpulse> arrived_;    // came with migrated particles
  std::vector<StoredImpulse> scattered_;  // came by ScatterToOwners
};

/// Replaces the impulses of the last step by the starting impulses of the contacts: projects them
/// onto the new normals n and clips them to the friction cones. (Raw impulses would feed energy
/// into sheared contacts.)
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
  const Double8 fraction = Select(length > limit, limit / length, zero + 1.0);
  const Int8 presses = lambda_n > zero;
  SetImpulseOf(batch, {Select(presses, normal.x + fraction * tangential.x, zero),
                       Select(presses, normal.y + fraction * tangential.y, zero),
                       Select(presses, normal.z + fraction * tangential.z, zero)});
}

}  // namespace scree
