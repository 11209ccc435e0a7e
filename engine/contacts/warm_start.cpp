#include "engine/contacts/warm_start.hpp"

#include <map>
#include <unordered_map>
#include <utility>

#include "solvers/simd/simd.hpp"

namespace scree {
namespace {

/// New index of each of `owned` old particles; −1 for particles that left.
std::vector<Index> NewIndices(std::size_t owned, std::span<const Index> staying,
                              std::span<const Index> order) {
  std::vector<Index> new_index(owned, -1);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto row = static_cast<std::size_t>(order[k]);
    if (row >= staying.size()) continue;  // the particle arrived from another rank
    const auto before = static_cast<std::size_t>(staying[row]);
    if (before < owned) new_index[before] = static_cast<Index>(k);  // if not, the particle is new
  }
  return new_index;
}

/// Whether two particles are no longer neighbours because one of them has crossed a periodic end.
/// Its ghost is then the neighbour.
bool AreApart(const Particles& particles, Index a, Index b) {
  const auto i = static_cast<std::size_t>(a);
  const auto j = static_cast<std::size_t>(b);
  if (i >= particles.owned || j >= particles.owned) return false;
  const double limit = 2.0 * (particles.radius[i] + particles.radius[j]);
  return (particles.position[i] - particles.position[j]).squaredNorm() > limit * limit;
}

/// Finds the candidate pairs of stored impulses.
class CandidateFinder {
 public:
  CandidateFinder(const Particles& particles, const NeighborList& list)
      : particles_(particles), list_(list) {}

  void AddToIndex(Index owned) { index_[particles_.id[static_cast<std::size_t>(owned)]] = owned; }

  /// Adds particles to the index if they have an indexed partner, because their list may contain
  /// the pair.
  void IndexPartners() {
    std::vector<bool> known(particles_.owned, false);
    for (const auto& [id, i] : index_) known[static_cast<std::size_t>(i)] = true;
    for (std::size_t i = 0; i < particles_.owned; ++i) {
      if (known[i]) continue;
      for (Index k = list_.first[i]; k < list_.first[i + 1]; ++k) {
        const auto j = static_cast<std::size_t>(list_.partner[static_cast<std::size_t>(k)]);
        if (j < particles_.owned && known[j]) {
          AddToIndex(static_cast<Index>(i));
          break;
        }
      }
    }
  }

  bool IsEmpty() const { return index_.empty(); }
  /// Whether both bodies are in the index. No other rank then has a candidate for this impulse.
  bool IsLocal(const StoredImpulse& entry) const {
    return index_.contains(entry.a) && (entry.b.IsSurface() || index_.contains(entry.b.Particle()));
  }

  /// Calls visit(a, b, impulse on a) with local indices if this rank has the candidate pair. With
  /// Jacobi a contact across a periodic end is a candidate of both of its particles.
  template <class Visit>
  void Find(const StoredImpulse& entry, Visit&& visit) const {
    if (entry.b.IsSurface()) {
      const auto indexed = index_.find(entry.a);
      if (indexed != index_.end()) {
        visit(indexed->second, LocalPartner::Surface(entry.b.Surface()), entry);
      }
      return;
    }
    FindPair(entry, visit);
    StoredImpulse swapped = entry;
    swapped.a = entry.b.Particle();
    swapped.b = GlobalPartner::Particle(entry.a);
    swapped.impulse = -entry.impulse;
    swapped.laws = -entry.laws;
    swapped.members = entry.members.Swapped();
    FindPair(swapped, visit);
  }

 private:
  template <class Visit>
  void FindPair(const StoredImpulse& entry, Visit&& visit) const {
    const auto indexed = index_.find(entry.a);
    if (indexed == index_.end()) return;
    const auto i = static_cast<std::size_t>(indexed->second);
    for (Index k = list_.first[i]; k < list_.first[i + 1]; ++k) {
      const Index j = list_.partner[static_cast<std::size_t>(k)];
      if (particles_.id[static_cast<std::size_t>(j)] != entry.b.Particle()) continue;
      // Other images may be candidates too. There the impulse is outside the friction cone, and
      // ProjectOntoCones clips it.
      visit(indexed->second, LocalPartner::Particle(j), entry);
    }
  }

  const Particles& particles_;
  const NeighborList& list_;
  std::unordered_map<ParticleId, Index> index_;  // of owned particles
};

/// Sends each peer of the new halo the impulses of pairs that are not local (IsLocal). The owner of
/// particle `a` has the impulse; the future owner of the contact is this rank or one of its peers.
/// @returns own and received impulses
std::vector<StoredImpulse> ExchangeWithPeers(const Communicator& communicator,
                                             const ExchangePlan& plan,
                                             const CandidateFinder& finder,
                                             std::vector<StoredImpulse> own) {
  std::vector<int> ranks;
  std::vector<std::vector<std::byte>> messages;
  for (const ExchangePlan::Peer& peer : plan.Peers()) {
    ranks.push_back(peer.rank);
    ByteWriter message;
    if (peer.rank != communicator.Rank()) {
      for (const StoredImpulse& entry : own) {
        if (!finder.IsLocal(entry)) message.Put(entry);
      }
    }
    messages.push_back(message.Take());
  }
  for (const std::vector<std::byte>& message : communicator.ExchangeUnsized(ranks, messages)) {
    for (ByteReader in(message); !in.IsAtEnd();) own.push_back(in.Get<StoredImpulse>());
  }
  return own;
}

SCREE_INLINE void PrefetchImpulses(const ContactBatches& batches,
                                   const PositionProjection& positions, std::size_t j) {
  batches.PrefetchImpulse(j);
  positions.PrefetchImpulse(batches, j);
}

/// Whether a particle has a ghost as partner. Ghosts come last in the list of partners.
bool HasGhostPartner(const Particles& particles, const NeighborList& list, std::size_t i) {
  if (list.first[i] == list.first[i + 1]) return false;
  const Index last = list.partner[static_cast<std::size_t>(list.first[i + 1]) - 1];
  return static_cast<std::size_t>(last) >= particles.owned;
}

}  // namespace

void WarmStart::Store(std::span<const DetectedContact> contacts, std::size_t shared,
                      std::span<const DetectedContact> ghosts, std::span<const WallBody> walls,
                      const ContactBatches& batches, const PositionProjection& positions) {
  if (shared == 0 && ghosts.empty()) {
    StoreInOrder(walls, batches, positions, [&](std::size_t k) -> NumberedContact {
      return {k, contacts[k]};
    });
    return;
  }
  OrderByParticle(contacts, shared, ghosts);
  StoreInOrder(walls, batches, positions, [&](std::size_t k) -> NumberedContact {
    const auto j = static_cast<std::size_t>(order_[k]);
    return {j, j < contacts.size() ? contacts[j] : ghosts[j - contacts.size()]};
  });
}

/// @param contact_at  contact_at(k) returns contact k in the order of the particles a
template <class ContactAt>
void WarmStart::StoreInOrder(std::span<const WallBody> walls, const ContactBatches& batches,
                             const PositionProjection& positions, ContactAt&& contact_at) {
  // Prefetch distance [contacts]. Colouring has scattered the impulses over the batches.
  constexpr std::size_t kAhead = 24;
  const ContactBodies bodies(ids_.size(), walls);
  const LawFlags acting = batches.ActiveLaws();
  const bool all_spheres = batches.Kind() == BodyKind::kSphere;
  const std::size_t size = batches.Size();
  first_.assign(owned_ + 1, 0);
  entries_.members.clear();
  for (std::vector<Vec3>& impulses : entries_.laws) impulses.clear();
  if (entries_.all.size() < size) entries_.all.resize(size);
  if (entries_.partners.size() < size + kLanes) entries_.partners.resize(size + kLanes);
  // The processor cannot predict whether a contact carried an impulse. So every entry is written,
  // and the next one overwrites an entry without an impulse.
  std::size_t count = 0;
  for (std::size_t k = 0; k < size; ++k) {
    if (k + kAhead < size) PrefetchImpulses(batches, positions, contact_at(k + kAhead).number);
    const auto& [j, found] = contact_at(k);
    const Entry entry = {batches.Impulse(j), positions.Impulse(batches, j)};
    entries_.all[count] = entry;
    entries_.partners[count] = bodies.PartnerOf(found.b).Code();
    const bool is_stored = !entry.impulse.isZero(0.0) | (entry.projection_impulse != 0.0);
    first_[static_cast<std::size_t>(found.a) + 1] += is_stored ? 1 : 0;
    count += is_stored ? 1 : 0;
    if (is_stored && !all_spheres) entries_.members.push_back(found.members);
    ForEachLaw([&, number = j](auto law) {  // clang before 16 cannot capture a structured binding
      using Law = typename decltype(law)::type;
      if (!acting[kLawIndex<Law>] || !is_stored) return;
      entries_.laws[kLawIndex<Law>].push_back(
          batches.ArraysOf<Law>().Impulse(batches.SlotOf(number)));
    });
  }
  for (std::size_t i = 0; i < owned_; ++i) first_[i + 1] += first_[i];
}

/// Sets order_ to the order of all contacts by their particles a. Contacts of one particle keep
/// their order. Merges two sorted runs: owned contacts and ghost contacts; without ghost contacts,
/// the contacts of shared bodies and the rest.
void WarmStart::OrderByParticle(std::span<const DetectedContact> contacts, std::size_t shared,
                                std::span<const DetectedContact> ghosts) {
  const std::size_t size = contacts.size() + ghosts.size();
  const std::size_t first_run_size = ghosts.empty() ? shared : contacts.size();
  const auto particle = [&](std::size_t j) {
    return j < contacts.size() ? contacts[j].a : ghosts[j - contacts.size()].a;
  };
  order_.resize(size);
  std::size_t first = 0;
  std::size_t second = first_run_size;
  for (Index& next : order_) {
    const bool takes_second =
        first == first_run_size || (second < size && particle(second) < particle(first));
    next = static_cast<Index>(takes_second ? second++ : first++);
  }
}

void WarmStart::Entries::Clear() {
  all.clear();
  partners.clear();
  members.clear();
  for (std::vector<Vec3>& impulses : laws) impulses.clear();
}

void WarmStart::Entries::Reserve(std::size_t contacts, const LawFlags& acting) {
  all.reserve(contacts);
  partners.reserve(contacts + kLanes);
  for (std::size_t l = 0; l < kLawCount; ++l) {
    if (acting[l]) laws[l].reserve(contacts);
  }
}

/// Adds an entry. The arrays of laws and of members are empty until their first nonzero value.
void WarmStart::Entries::Add(const Entry& entry, LocalPartner b, MemberPair pair,
                             const LawImpulses& law_impulses) {
  for (std::size_t l = 0; l < kLawCount; ++l) {
    const bool is_first = laws[l].empty() && !law_impulses.of[l].isZero(0.0);
    if (is_first) laws[l].assign(all.size(), Vec3::Zero());
    if (is_first || !laws[l].empty()) laws[l].push_back(law_impulses.of[l]);
  }
  const bool is_first = members.empty() && pair != MemberPair{};
  if (is_first) members.assign(all.size(), {});
  if (is_first || !members.empty()) members.push_back(pair);
  all.push_back(entry);
  partners.push_back(b.Code());
}

LawImpulses WarmStart::Entries::LawsAt(std::size_t k) const {
  LawImpulses result;
  for (std::size_t l = 0; l < kLawCount; ++l) {
    if (!laws[l].empty()) result.of[l] = laws[l][k];
  }
  return result;
}

void WarmStart::Remap(const Communicator& communicator, std::span<const Index> staying,
                      std::span<const Index> order, const Particles& particles, const Halo& halo,
                      const NeighborList& list) {
  const std::vector<Index> new_of_old = NewIndices(owned_, staying, order);
  const auto new_index = [&](Index old) {
    const auto i = static_cast<std::size_t>(old);
    return i < owned_ ? new_of_old[i] : Index{-1};
  };
  remapped_.Clear();
  particle_of_.clear();
  const auto add = [&](Index a, LocalPartner b, const Entry& entry, MemberPair members,
                       const LawImpulses& laws) {
    remapped_.Add(entry, b, members, laws);
    particle_of_.push_back(a);
  };
  const bool all_travel = !scattered_.empty();
  std::vector<StoredImpulse> travelling = std::exchange(scattered_, {});
  travelling.insert(travelling.end(), arrived_.begin(), arrived_.end());
  arrived_.clear();
  CandidateFinder finder(particles, list);
  for (std::size_t i = 0; i < owned_; ++i) {
    const Index a = new_of_old[i];
    if (a < 0) continue;  // migrated with its particle
    for (auto k = static_cast<std::size_t>(first_[i]); k < static_cast<std::size_t>(first_[i + 1]);
         ++k) {
      const Entry& entry = entries_.all[k];
      const LocalPartner partner = entries_.PartnerOf(k);
      const MemberPair members = entries_.MembersOf(k);
      if (partner.IsSurface()) {
        add(a, partner, entry, members, entries_.LawsAt(k));
        continue;
      }
      const Index b = new_index(partner.Particle());
      if (b < 0 || AreApart(particles, a, b)) {
        travelling.push_back(ToStoredImpulse(i, k));
        finder.AddToIndex(a);  // particle a or b may have crossed a periodic end
        if (b >= 0) finder.AddToIndex(b);
      } else if (a < b) {
        add(a, LocalPartner::Particle(b), entry, members, entries_.LawsAt(k));
      } else {  // the smaller index stores the pair
        add(b, LocalPartner::Particle(a), {-entry.impulse, entry.projection_impulse},
            members.Swapped(), -entries_.LawsAt(k));
      }
    }
  }

  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (HasGhostPartner(particles, list, i)) finder.AddToIndex(static_cast<Index>(i));
  }
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool arrived = static_cast<std::size_t>(order[k]) >= staying.size();
    if (arrived || all_travel) finder.AddToIndex(static_cast<Index>(k));
  }
  if (!finder.IsEmpty()) finder.IndexPartners();
  for (const StoredImpulse& entry :
       ExchangeWithPeers(communicator, halo.plan, finder, std::move(travelling))) {
    finder.Find(entry, [&](Index a, LocalPartner b, const StoredImpulse& stored) {
      add(a, b, {stored.impulse, stored.projection_impulse}, stored.members, stored.laws);
    });
  }
  SortByParticle(particles, remapped_, particle_of_);
}

void WarmStart::Scale(double factor) {
  for (Entry& entry : entries_.all) entry.impulse *= factor;
  for (std::vector<Vec3>& impulses : entries_.laws) {
    for (Vec3& impulse : impulses) impulse *= factor;
  }
  for (StoredImpulse& entry : scattered_) {
    entry.impulse *= factor;
    for (Vec3& impulses : entry.laws.of) impulses *= factor;
  }
}

Attachment WarmStart::AttachedToParticles() {
  return {[this](Index i, ByteWriter& out) { Pack(i, out); },
          [this](ByteReader& in) { Unpack(in); }};
}

void WarmStart::Pack(Index i, ByteWriter& out) const {
  const auto k = static_cast<std::size_t>(i);
  const bool has_entries = k < owned_;  // if not, the particle is new
  const Index begin = has_entries ? first_[k] : 0, end = has_entries ? first_[k + 1] : 0;
  out.Put(end - begin);
  for (Index entry = begin; entry < end; ++entry) {
    out.Put(ToStoredImpulse(k, static_cast<std::size_t>(entry)));
  }
}

void WarmStart::Unpack(ByteReader& in) {
  for (auto count = in.Get<Index>(); count > 0; --count) {
    arrived_.push_back(in.Get<StoredImpulse>());
  }
}

StoredImpulse WarmStart::ToStoredImpulse(std::size_t i, std::size_t k) const {
  const Entry& entry = entries_.all[k];
  return {ids_[i],
          ToGlobal(entries_.PartnerOf(k), ids_),
          entry.impulse,
          entries_.LawsAt(k),
          entry.projection_impulse,
          entries_.MembersOf(k)};
}

std::vector<StoredImpulse> WarmStart::AllStored() const {
  std::vector<StoredImpulse> stored;
  stored.reserve(static_cast<std::size_t>(first_[owned_]));
  for (std::size_t i = 0; i < owned_; ++i) {
    for (Index k = first_[i]; k < first_[i + 1]; ++k) {
      stored.push_back(ToStoredImpulse(i, static_cast<std::size_t>(k)));
    }
  }
  return stored;
}

std::vector<Index> WarmStart::FirstOfParticles(std::size_t owned) const {
  std::vector<Index> first = first_;
  first.resize(owned + 1, first_[owned_]);
  return first;
}

void WarmStart::Restore(std::span<const StoredImpulse> stored, const Particles& particles,
                        const NeighborList& list) {
  CandidateFinder finder(particles, list);
  for (std::size_t i = 0; i < particles.owned; ++i) finder.AddToIndex(static_cast<Index>(i));
  Entries entries;
  std::vector<Index> particle_of;
  for (const StoredImpulse& entry : stored) {
    finder.Find(entry, [&](Index a, LocalPartner b, const StoredImpulse& found) {
      entries.Add({found.impulse, found.projection_impulse}, b, found.members, found.laws);
      particle_of.push_back(a);
    });
  }
  SortByParticle(particles, entries, particle_of);
}

void WarmStart::ScatterToOwners(const Communicator& communicator, const Subdomains& subdomains,
                                const Particles& particles, std::span<const StoredImpulse> stored) {
  SortByParticle({}, {}, {});
  std::unordered_map<ParticleId, int> owner;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    owner[particles.id[i]] = subdomains.OwnerOf(subdomains.Wrap(particles.position[i]));
  }
  std::map<int, ByteWriter> for_rank;
  for (const StoredImpulse& entry : stored) {
    const auto found = owner.find(entry.a);
    if (found != owner.end()) for_rank[found->second].Put(entry);
  }
  std::vector<Communicator::Message> sent;
  for (auto& [rank, bytes] : for_rank) {
    if (rank != communicator.Rank()) {
      sent.push_back({rank, bytes.Take()});
      continue;
    }
    const std::vector<std::byte> own = bytes.Take();
    for (ByteReader in(own); !in.IsAtEnd();) scattered_.push_back(in.Get<StoredImpulse>());
  }
  for (const Communicator::Message& message : communicator.ExchangeSparse(sent)) {
    for (ByteReader in(message.bytes); !in.IsAtEnd();) {
      scattered_.push_back(in.Get<StoredImpulse>());
    }
  }
}

/// Sorts the entries by their particles; entries of one particle keep their order.
void WarmStart::SortByParticle(const Particles& particles, const Entries& entries,
                               std::span<const Index> particle_of) {
  ids_ = particles.id;
  owned_ = particles.owned;
  first_.assign(owned_ + 1, 0);
  for (const Index a : particle_of) ++first_[static_cast<std::size_t>(a) + 1];
  for (std::size_t i = 0; i < owned_; ++i) first_[i + 1] += first_[i];
  std::vector<Index> next(first_.begin(), first_.end() - 1);
  std::vector<Index> slot;
  slot.reserve(particle_of.size());
  for (const Index a : particle_of) slot.push_back(next[static_cast<std::size_t>(a)]++);
  const auto sort = [&](const auto& values, auto& sorted) {
    sorted.resize(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
      sorted[static_cast<std::size_t>(slot[k])] = values[k];
    }
  };
  sort(entries.all, entries_.all);
  sort(entries.partners, entries_.partners);
  sort(entries.members, entries_.members);
  for (std::size_t l = 0; l < kLawCount; ++l) sort(entries.laws[l], entries_.laws[l]);
  entries_.partners.resize(entries_.all.size() + kLanes);
}

}  // namespace scree
