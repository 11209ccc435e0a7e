#include "engine/contacts/bond_clusters.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "engine/ranks/byte_buffer.hpp"

namespace scree {
namespace {

/// Combines the values of equal keys over all ranks, on rank (key mod number of ranks).
/// Collective. @returns the combined value for each key of this rank
template <class Combine>
std::vector<std::int64_t> CombineByKey(const Communicator& communicator,
                                       std::span<const ParticleId> keys,
                                       std::span<const std::int64_t> values, Combine combine) {
  std::map<int, ByteWriter> for_rank;
  std::map<int, std::vector<std::size_t>> rows;  // of the keys sent to each rank
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const int rank = static_cast<int>(keys[k] % communicator.Size());
    for_rank[rank].Put(keys[k]);
    for_rank[rank].Put(values[k]);
    rows[rank].push_back(k);
  }
  std::vector<Communicator::Message> sent;
  for (auto& [rank, bytes] : for_rank) sent.push_back({rank, bytes.Take()});
  const std::vector<Communicator::Message> requests = communicator.ExchangeSparse(sent);
  std::unordered_map<ParticleId, std::int64_t> combined;
  for (const Communicator::Message& request : requests) {
    for (ByteReader in(request.bytes); !in.IsAtEnd();) {
      const auto key = in.Get<ParticleId>();
      const auto value = in.Get<std::int64_t>();
      const auto [entry, is_new] = combined.emplace(key, value);
      if (!is_new) entry->second = combine(entry->second, value);
    }
  }
  std::vector<Communicator::Message> answers;
  for (const Communicator::Message& request : requests) {
    ByteWriter answer;
    for (ByteReader in(request.bytes); !in.IsAtEnd(); in.Get<std::int64_t>()) {
      answer.Put(combined.at(in.Get<ParticleId>()));
    }
    answers.push_back({request.rank, answer.Take()});
  }
  std::vector<std::int64_t> result(keys.size());
  for (const Communicator::Message& answer : communicator.ExchangeSparse(answers)) {
    ByteReader in(answer.bytes);
    for (const std::size_t k : rows.at(answer.rank)) result[k] = in.Get<std::int64_t>();
  }
  return result;
}

/// Sets of bonded particles (union-find): particles of a rank and the partners of its bonds.
class BondedSets {
 public:
  explicit BondedSets(const Particles& particles) {
    for (std::size_t i = 0; i < particles.owned; ++i) Add(particles.id[i]);
  }

  /// Adds a particle that this rank does not own. @returns its number
  std::size_t AddPartner(ParticleId id) {
    const auto [entry, is_new] = partners_.emplace(id, label_.size());
    if (is_new) Add(id);
    return entry->second;
  }
  void Join(std::size_t first, std::size_t second) {
    first = RootOf(first);
    second = RootOf(second);
    if (first == second) return;
    // The smaller number becomes the root. RootOf keeps paths short by halving them.
    parent_[std::max(first, second)] = std::min(first, second);
    label_[std::min(first, second)] = std::min(label_[first], label_[second]);
  }
  std::size_t RootOf(std::size_t k) {
    while (parent_[k] != k) k = parent_[k] = parent_[parent_[k]];
    return k;
  }
  ParticleId& LabelOf(std::size_t k) { return label_[RootOf(k)]; }
  std::size_t Size() const { return label_.size(); }

 private:
  void Add(ParticleId id) {
    parent_.push_back(label_.size());
    label_.push_back(id);
  }
  std::vector<std::size_t> parent_;
  std::vector<ParticleId> label_;  // of roots: the smallest known id of the cluster
  std::unordered_map<ParticleId, std::size_t> partners_;
};

/// Particles of bonds across ranks: b of guests, and b of home bonds if another rank owns it.
struct SharedParticles {
  std::vector<ParticleId> ids;
  std::vector<std::size_t> numbers;  // in the sets
};

/// Joins the particles of intact bonds. The owner of a partner on another rank has to confirm that
/// the partner still exists: it may have been removed since the last exchange of bonds. Collective.
SharedParticles JoinBonded(const Communicator& communicator, std::span<const Bond> home,
                           std::span<const Bond> guests,
                           const std::unordered_map<ParticleId, std::size_t>& owned,
                           BondedSets& sets) {
  std::vector<ParticleId> ids;
  std::vector<std::int64_t> is_owner;
  std::vector<std::size_t> home_numbers;  // of the bond's particle a, for each remote partner
  for (const Bond& bond : home) {
    const auto a = owned.find(bond.a);
    if (!bond.IsIntact() || bond.b.IsSurface() || a == owned.end()) continue;
    const auto b = owned.find(bond.b.Particle());
    if (b != owned.end()) {
      sets.Join(a->second, b->second);
      continue;
    }
    ids.push_back(bond.b.Particle());
    is_owner.push_back(0);
    home_numbers.push_back(a->second);
  }
  const std::size_t partners = ids.size();
  SharedParticles shared;
  for (const Bond& guest : guests) {
    const auto b = owned.find(guest.b.Particle());
    if (b == owned.end()) continue;
    ids.push_back(b->first);
    is_owner.push_back(1);
    shared.ids.push_back(b->first);
    shared.numbers.push_back(b->second);
  }
  const std::vector<std::int64_t> has_owner =
      CombineByKey(communicator, ids, is_owner, [](auto x, auto y) { return x | y; });
  for (std::size_t k = 0; k < partners; ++k) {
    if (has_owner[k] == 0) continue;
    const std::size_t number = sets.AddPartner(ids[k]);
    sets.Join(home_numbers[k], number);
    shared.ids.push_back(ids[k]);
    shared.numbers.push_back(number);
  }
  return shared;
}

/// Lowers the labels of sets with shared particles until all ranks agree. Collective.
void AgreeOnLabels(const Communicator& communicator, const SharedParticles& shared,
                   BondedSets& sets) {
  std::vector<std::int64_t> labels(shared.ids.size());
  for (bool any_changed = true; any_changed;) {
    for (std::size_t k = 0; k < labels.size(); ++k) labels[k] = sets.LabelOf(shared.numbers[k]);
    const std::vector<std::int64_t> lowest =
        CombineByKey(communicator, shared.ids, labels,
                     [](std::int64_t x, std::int64_t y) { return std::min(x, y); });
    bool has_changed = false;
    for (std::size_t k = 0; k < lowest.size(); ++k) {
      ParticleId& label = sets.LabelOf(shared.numbers[k]);
      has_changed = has_changed || lowest[k] < label;
      label = std::min(label, lowest[k]);
    }
    any_changed = communicator.Max(std::int64_t{has_changed}) > 0;
  }
}

/// Sizes of the clusters over all ranks, indexed by the root of each set. Collective.
std::vector<std::int64_t> ClusterSizes(const Communicator& communicator, const Particles& particles,
                                       const SharedParticles& shared, BondedSets& sets) {
  std::vector<std::int64_t> size(sets.Size(), 0);
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] != kRemovedId) ++size[sets.RootOf(i)];
  }
  std::vector<std::size_t> roots;
  for (const std::size_t number : shared.numbers) roots.push_back(sets.RootOf(number));
  std::ranges::sort(roots);
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  std::vector<ParticleId> labels;
  std::vector<std::int64_t> local_sizes;
  for (const std::size_t root : roots) {
    labels.push_back(sets.LabelOf(root));
    local_sizes.push_back(size[root]);
  }
  const std::vector<std::int64_t> sums =
      CombineByKey(communicator, labels, local_sizes, [](auto x, auto y) { return x + y; });
  for (std::size_t k = 0; k < roots.size(); ++k) size[roots[k]] = sums[k];
  return size;
}

}  // namespace

BondClusters FindClusters(const Communicator& communicator, const Particles& particles,
                          std::span<const Bond> home, std::span<const Bond> guests) {
  std::unordered_map<ParticleId, std::size_t> owned;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] != kRemovedId) owned.emplace(particles.id[i], i);
  }
  BondedSets sets(particles);
  const SharedParticles shared = JoinBonded(communicator, home, guests, owned, sets);
  AgreeOnLabels(communicator, shared, sets);
  const std::vector<std::int64_t> sizes = ClusterSizes(communicator, particles, shared, sets);
  BondClusters clusters;
  ClusterCounts& counts = clusters.counts;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    const bool exists = particles.id[i] != kRemovedId;
    clusters.label.push_back(exists ? sets.LabelOf(i) : kRemovedId);
    clusters.size.push_back(exists ? sizes[sets.RootOf(i)] : 0);
    counts.clusters += exists && clusters.label.back() == particles.id[i] ? 1 : 0;
    counts.largest = std::max(counts.largest, clusters.size.back());
  }
  counts = {communicator.Sum(counts.clusters), communicator.Max(counts.largest)};
  return clusters;
}

}  // namespace scree
