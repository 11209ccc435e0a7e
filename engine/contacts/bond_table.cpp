#include "engine/contacts/bond_table.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "engine/ranks/byte_buffer.hpp"
#include "engine/ranks/contact_ownership.hpp"

namespace scree {
namespace {

/// Whether a particle is too far from particle i for a bond.
bool AreFarApart(const Particles& particles, std::size_t i, const Vec3& position, double radius) {
  const double limit = 2.0 * (particles.radius[i] + radius);
  return (particles.position[i] - position).squaredNorm() > limit * limit;
}

std::vector<int> RanksOf(const ExchangePlan& plan) {
  std::vector<int> ranks;
  for (const ExchangePlan::Peer& peer : plan.Peers()) ranks.push_back(peer.rank);
  return ranks;
}

/// Whether two copies are of the same bond.
bool AreCopies(const Bond& x, const Bond& y) {
  return y.a == x.a && y.b == x.b && y.born == x.born && y.members == x.members &&
         y.normal == x.normal;
}

BondRow RowOf(const Bond& bond, Index i, Index partner, std::uint32_t number, bool is_swapped) {
  return {.i = i,
          .partner = partner,
          .bond = number,
          .rule = bond.rule,
          .members = is_swapped ? bond.members.Swapped() : bond.members,
          .is_swapped = is_swapped,
          .is_anchored = bond.point_count > 0,
          .gap = bond.gap,
          .area = bond.area,
          .strength = bond.strength,
          .born = bond.born};
}

auto SortKeyOf(const BondTable& table, const BondRow& row) {
  const Bond& bond = table.At(row.bond);
  return std::tuple(row.i, row.partner < 0 ? std::numeric_limits<Index>::max() : row.partner,
                    bond.b.Code(), bond.members.a, bond.members.b, bond.born, bond.normal.x(),
                    bond.normal.y(), bond.normal.z());
}

}  // namespace

std::span<const BondRow> BondTable::RowsOf(Index i) const {
  const auto found = std::ranges::equal_range(rows_, i, {}, &BondRow::i);
  return {found.begin(), found.end()};
}

Attachment BondTable::AttachedToParticles(const Particles& particles) {
  using Lists = std::unordered_map<ParticleId, std::vector<std::size_t>>;
  auto of_particle = std::make_shared<Lists>();
  for (std::size_t k = 0; k < home_; ++k) (*of_particle)[all_[k].a].push_back(k);
  return {[this, of_particle, &particles](Index i, ByteWriter& out) {
            const auto found = of_particle->find(particles.id[static_cast<std::size_t>(i)]);
            const bool has_none = found == of_particle->end();
            out.Put(static_cast<Index>(has_none ? 0 : found->second.size()));
            if (has_none) return;
            for (const std::size_t k : found->second) out.Put(all_[k]);
          },
          [this](ByteReader& in) {
            for (auto count = in.Get<Index>(); count > 0; --count) {
              arrived_.push_back(in.Get<Bond>());
            }
          }};
}

void BondTable::Bind(const Communicator& communicator, const Particles& particles, const Halo& halo,
                     bool all_interfaces) {
  all_.resize(home_);  // without guests
  damaged_.clear();
  homes_solve_contacts_ = all_interfaces;
  all_.insert(all_.end(), arrived_.begin(), arrived_.end());
  arrived_.clear();
  rows_.clear();
  std::unordered_map<ParticleId, Index> owned;
  std::unordered_multimap<ParticleId, Index> ghosts;
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    if (particles.id[i] == kRemovedId) continue;
    if (i < particles.owned) {
      owned[particles.id[i]] = static_cast<Index>(i);
    } else {
      ghosts.emplace(particles.id[i], static_cast<Index>(i));
    }
  }
  std::erase_if(all_, [&](const Bond& bond) { return !owned.contains(bond.a); });
  home_ = all_.size();
  ExchangeGuests(communicator, particles, halo, owned);
  AddRows(communicator, particles, halo, all_interfaces, owned, ghosts);
  std::ranges::sort(rows_, [&](const BondRow& x, const BondRow& y) {
    return SortKeyOf(*this, x) < SortKeyOf(*this, y);
  });
}

/// Sends intact bonds with particles of other ranks to the peers. The owner of the other particle
/// keeps a guest and confirms it. Unconfirmed bonds are erased, because their particle b was
/// removed.
void BondTable::ExchangeGuests(const Communicator& communicator, const Particles&, const Halo& halo,
                               const std::unordered_map<ParticleId, Index>& owned) {
  const auto is_remote = [&](const Bond& bond) {
    return bond.IsIntact() && !bond.b.IsSurface() && !owned.contains(bond.b.Particle());
  };
  const std::vector<int> ranks = RanksOf(halo.plan);
  std::vector<std::uint32_t> sent;
  ByteWriter message;
  for (std::uint32_t k = 0; k < home_; ++k) {
    if (!is_remote(all_[k])) continue;
    message.Put(k);
    message.Put(all_[k]);
    sent.push_back(k);
  }
  const std::vector<std::byte> bytes = message.Take();
  std::vector<std::vector<std::byte>> messages, answers;
  for (const int rank : ranks) {
    messages.push_back(rank == communicator.Rank() ? std::vector<std::byte>() : bytes);
  }
  for (const std::vector<std::byte>& received : communicator.ExchangeUnsized(ranks, messages)) {
    ByteWriter answer;
    for (ByteReader in(received); !in.IsAtEnd();) {
      const auto number = in.Get<std::uint32_t>();
      const Bond bond = in.Get<Bond>();
      if (!owned.contains(bond.b.Particle())) continue;
      all_.push_back(bond);
      answer.Put(number);
    }
    answers.push_back(answer.Take());
  }
  std::vector<std::uint8_t> has_partner(home_, 0);
  for (const std::vector<std::byte>& answer : communicator.ExchangeUnsized(ranks, answers)) {
    for (ByteReader in(answer); !in.IsAtEnd();) has_partner[in.Get<std::uint32_t>()] = 1;
  }
  std::size_t number = 0, erased = 0;
  std::erase_if(all_, [&](const Bond& bond) {
    const std::size_t k = number++;
    const bool is_orphan = k < home_ && is_remote(bond) && has_partner[k] == 0;
    erased += is_orphan ? 1 : 0;
    return is_orphan;
  });
  home_ -= erased;
}

void BondTable::AddRows(const Communicator& communicator, const Particles& particles,
                        const Halo& halo, bool all_interfaces,
                        const std::unordered_map<ParticleId, Index>& owned,
                        const std::unordered_multimap<ParticleId, Index>& ghosts) {
  // The nearest ghost of particle `other` to particle i, if it is nearer than √max_squared; else
  // −1.
  const auto nearest_ghost = [&](std::size_t i, ParticleId other, double max_squared) {
    Index nearest = -1;
    const auto [begin, end] = ghosts.equal_range(other);
    for (auto entry = begin; entry != end; ++entry) {
      const auto g = static_cast<std::size_t>(entry->second);
      const Vec3 position = particles.position[g] + halo.shift[g - particles.owned];
      const double squared = (particles.position[i] - position).squaredNorm();
      if (AreFarApart(particles, i, position, particles.radius[g]) || squared >= max_squared)
        continue;
      nearest = entry->second;
      max_squared = squared;
    }
    return nearest;
  };
  // Adds a row of the owned particle i with the nearest ghost of particle `other`.
  const auto add_across = [&](std::uint32_t number, Index i, ParticleId other, bool is_swapped) {
    const Index nearest =
        nearest_ghost(static_cast<std::size_t>(i), other, std::numeric_limits<double>::infinity());
    if (nearest < 0) return;
    const std::size_t ghost = static_cast<std::size_t>(nearest) - particles.owned;
    if (!all_interfaces &&
        !OwnsContact(communicator.Rank(), halo.owner[ghost], halo.image[ghost])) {
      return;
    }
    rows_.push_back(RowOf(all_[number], i, nearest, number, is_swapped));
  };
  for (std::uint32_t k = 0; k < all_.size(); ++k) {
    const Bond& bond = all_[k];
    if (!bond.IsIntact()) continue;
    const auto a = owned.find(bond.a);
    if (bond.b.IsSurface()) {
      rows_.push_back(RowOf(bond, a->second, -1, k, false));
      continue;
    }
    const auto b = owned.find(bond.b.Particle());
    if (a != owned.end() && b != owned.end()) {
      const auto i = static_cast<std::size_t>(a->second), j = static_cast<std::size_t>(b->second);
      // If one of the two has crossed a periodic end, its ghost is the partner. In a short domain
      // both may be near enough: the nearer one is the partner.
      const double squared = (particles.position[i] - particles.position[j]).squaredNorm();
      if (!AreFarApart(particles, i, particles.position[j], particles.radius[j]) &&
          nearest_ghost(i, bond.b.Particle(), squared) < 0 &&
          nearest_ghost(j, bond.a, squared) < 0) {
        rows_.push_back(i < j ? RowOf(bond, a->second, b->second, k, false)
                              : RowOf(bond, b->second, a->second, k, true));
        continue;
      }
    }
    if (a != owned.end()) add_across(k, a->second, bond.b.Particle(), false);
    if (b != owned.end()) add_across(k, b->second, bond.a, true);
  }
}

void BondTable::EraseOfWalls(std::span<const std::uint8_t> is_removed) {
  all_.resize(home_);
  std::erase_if(all_, [&](const Bond& bond) {
    return bond.wall >= 0 && is_removed[static_cast<std::size_t>(bond.wall)] != 0;
  });
  home_ = all_.size();
}

void BondTable::MoveOnWall(std::uint32_t number, const Vec3& displacement) {
  for (Vec3& point : all_[number].on_b) point += displacement;
}

void BondTable::Add(const Communicator& communicator, std::span<const Bond> new_bonds,
                    std::span<const int> homes) {
  all_.resize(home_);
  std::map<int, ByteWriter> to_rank;
  for (std::size_t k = 0; k < new_bonds.size(); ++k) {
    if (homes[k] == communicator.Rank()) {
      all_.push_back(new_bonds[k]);
    } else {
      to_rank[homes[k]].Put(new_bonds[k]);
    }
  }
  std::vector<Communicator::Message> sent;
  for (auto& [rank, bytes] : to_rank) sent.push_back({rank, bytes.Take()});
  for (const Communicator::Message& message : communicator.ExchangeSparse(sent)) {
    for (ByteReader in(message.bytes); !in.IsAtEnd();) all_.push_back(in.Get<Bond>());
  }
  home_ = all_.size();
}

void BondTable::Break(std::uint32_t number, BondState state, double time) {
  Bond& bond = all_[number];
  if (!bond.IsIntact()) return;
  bond.state = state;
  bond.broken = time;
  if (number < home_) {
    ++(state == BondState::kBrokenByTension ? broken_.broken_tension : broken_.broken_shear);
  } else {
    to_report_.push_back(bond);
  }
  has_broken_ = true;
}

void BondTable::SetDamage(std::uint32_t number, std::size_t point, const PointDamage& damage) {
  Bond& bond = all_[number];
  bond.intact_fraction[point] = damage.intact_fraction;
  bond.stored_energy[point] = damage.stored_energy;
  bond.slip = damage.slip;
  const bool is_new = damaged_.empty() || damaged_.back() != number;
  if (number >= home_ && !homes_solve_contacts_ && is_new) damaged_.push_back(number);
}

void BondTable::ReportBreaks(const Communicator& communicator, const Halo& halo) {
  if (communicator.Size() > 1) ExchangeBreaks(communicator, halo);
  if (!has_broken_) return;
  std::erase_if(rows_, [&](const BondRow& row) { return !all_[row.bond].IsIntact(); });
  has_broken_ = false;
}

void BondTable::ExchangeBreaks(const Communicator& communicator, const Halo& halo) {
  const std::vector<int> ranks = RanksOf(halo.plan);
  ByteWriter message;
  for (const Bond& bond : to_report_) message.Put(bond);
  to_report_.clear();
  for (const std::uint32_t number : damaged_) {
    if (all_[number].IsIntact()) message.Put(all_[number]);
  }
  damaged_.clear();
  const std::vector<std::byte> bytes = message.Take();
  std::vector<std::vector<std::byte>> messages;
  for (const int rank : ranks) {
    messages.push_back(rank == communicator.Rank() ? std::vector<std::byte>() : bytes);
  }
  std::unordered_multimap<ParticleId, std::uint32_t> home;
  for (const std::vector<std::byte>& received : communicator.ExchangeUnsized(ranks, messages)) {
    if (home.empty() && !received.empty()) {
      for (std::uint32_t k = 0; k < home_; ++k) home.emplace(all_[k].a, k);
    }
    for (ByteReader in(received); !in.IsAtEnd();) {
      const Bond bond = in.Get<Bond>();
      const auto [begin, end] = home.equal_range(bond.a);
      const auto found = std::find_if(
          begin, end, [&](const auto& entry) { return AreCopies(all_[entry.second], bond); });
      if (found == end) continue;
      Bond& home_bond = all_[found->second];
      home_bond.intact_fraction = bond.intact_fraction;
      home_bond.stored_energy = bond.stored_energy;
      home_bond.slip = bond.slip;
      if (!bond.IsIntact()) Break(found->second, bond.state, bond.broken);
    }
  }
}

BondCounts BondTable::Counts() const {
  BondCounts counts = broken_;
  for (const Bond& bond : HomeBonds()) counts.intact += bond.IsIntact() ? 1 : 0;
  counts.waiting = waiting_;
  return counts;
}

std::vector<Bond> BondTable::InParticleOrder(const Particles& particles,
                                             std::vector<Index>& first) const {
  std::unordered_map<ParticleId, std::vector<Bond>> of_particle;
  for (const Bond& bond : HomeBonds()) of_particle[bond.a].push_back(bond);
  std::vector<Bond> bonds;
  first.assign(1, 0);
  for (std::size_t i = 0; i < particles.owned; ++i) {
    const auto found = of_particle.find(particles.id[i]);
    if (found != of_particle.end()) {
      bonds.insert(bonds.end(), found->second.begin(), found->second.end());
    }
    first.push_back(static_cast<Index>(bonds.size()));
  }
  return bonds;
}

void BondTable::Restore(std::vector<Bond> home, const BondCounts& counts) {
  all_ = std::move(home);
  home_ = all_.size();
  rows_.clear();
  broken_ = counts;
  broken_.intact = broken_.waiting = 0;
}

}  // namespace scree
