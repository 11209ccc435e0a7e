#include "engine/ranks/halo.hpp"

#include <algorithm>
#include <numeric>

#include "engine/ranks/byte_buffer.hpp"

namespace scree {
namespace {

/// Finds the owned particles within `reach` of a face of the rank's box. Only these can
/// have ghosts. The box has no face at an open end of the domain.
std::vector<Index> FindNearFaces(const Particles& particles, const Box& box, double reach) {
  const Vec3 inner_lower = box.lower + Vec3::Constant(reach);
  const Vec3 inner_upper = box.upper - Vec3::Constant(reach);
  std::vector<Index> near;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    const Vec3& x = particles.position[i];
    const bool is_inside =
        (x.array() >= inner_lower.array()).all() && (x.array() < inner_upper.array()).all();
    if (!is_inside) near.push_back(static_cast<Index>(i));
  }
  return near;
}

void PutGhost(const Particles& particles, Index i, const Image& image, ByteWriter& out) {
  out.Put(image);
  ForEachField(particles, [&](const Field& field, const auto& array) {
    if (field.scope == FieldScope::kWithGhosts) out.Put(array[static_cast<std::size_t>(i)]);
  });
}

Image GetGhost(ByteReader& in, std::size_t ghost, Particles& particles) {
  const auto image = in.Get<Image>();
  ForEachField(particles, [&](const Field& field, auto& array) {
    using Element = ElementOf<decltype(array)>;
    if (field.scope == FieldScope::kWithGhosts) array[ghost] = in.Get<Element>();
  });
  return image;
}

std::size_t GhostBytes() {
  std::size_t bytes = sizeof(Image);
  const Particles none;
  ForEachField(none, [&](const Field& field, const auto& array) {
    if (field.scope == FieldScope::kWithGhosts) bytes += sizeof(ElementOf<decltype(array)>);
  });
  return bytes;
}

/// Reserves slightly more than required, so that a larger next halo fits too. Otherwise the arrays
/// would double their capacity when they grow.
void ReserveForGhosts(const std::vector<std::vector<std::byte>>& ghosts, Particles& particles) {
  std::size_t bytes = 0;
  for (const std::vector<std::byte>& message : ghosts) bytes += message.size();
  const std::size_t capacity = particles.owned + bytes / GhostBytes() * 5 / 4;
  ForEachField(particles, [capacity](const Field&, auto& array) { array.reserve(capacity); });
}

/// Sets shifts and image velocities of the halo, and adds the image velocities to the ghosts.
void AddImages(const PeriodicImages& images, Particles& particles, Halo& halo) {
  MoveImages(images, halo);
  if (!images.AreMoving()) return;
  for (std::size_t g = 0; g < halo.image.size(); ++g) {
    Vec3& v = particles.velocity[particles.owned + g];
    v = halo.ToImageVelocity(g, v);
  }
}

/// Values of a ghost that change from step to step.
struct GhostMotion {
  Vec3 position, velocity, angular_velocity;
  Quaternion orientation;
  double velocity_change;
};
constexpr std::size_t kVaryingBytes = std::apply(
    [](const auto&... entries) {
      const auto bytes = []<class Array>(const Field& field, Array Particles::*) {
        const bool is_varying = field.scope == FieldScope::kWithGhosts &&
                                field.time_dependence == TimeDependence::kVarying;
        return is_varying ? sizeof(ElementOf<Array>) : 0;
      };
      return (bytes(entries.first, entries.second) + ...);
    },
    kParticleFields);
static_assert(sizeof(GhostMotion) == kVaryingBytes,
              "GhostMotion lacks a field that ghosts have and that changes in time");

}  // namespace

void MoveImages(const PeriodicImages& images, Halo& halo) {
  halo.shift.resize(halo.image.size());
  for (std::size_t g = 0; g < halo.image.size(); ++g) halo.shift[g] = images.Shift(halo.image[g]);
  if (!images.AreMoving()) return;
  halo.velocity.resize(halo.image.size());
  for (std::size_t g = 0; g < halo.image.size(); ++g) {
    halo.velocity[g] = images.Velocity(halo.image[g]);
  }
}

void GatherMotion(const Communicator& communicator, Halo& halo, Particles& particles) {
  halo.plan.StartGather<GhostMotion>(communicator, [&](Index owned) {
    const auto i = static_cast<std::size_t>(owned);
    return GhostMotion{particles.position[i], particles.velocity[i], particles.angular_velocity[i],
                       particles.orientation[i], particles.velocity_change[i]};
  });
  halo.plan.FinishGather<GhostMotion>([&](Index ghost, const GhostMotion& motion) {
    const auto i = static_cast<std::size_t>(ghost);
    particles.position[i] = motion.position;
    particles.velocity[i] = halo.ToImageVelocity(i - particles.owned, motion.velocity);
    particles.angular_velocity[i] = motion.angular_velocity;
    particles.orientation[i] = motion.orientation;
    particles.velocity_change[i] = motion.velocity_change;
  });
}

Halo BuildHalo(const Communicator& communicator, const Subdomains& subdomains, double skin,
               double largest_radius, InterfacePairs interface, Particles& particles) {
  Resize(particles, particles.owned);
  const double reach = 2.0 * largest_radius + skin;  // of the largest particle
  const int rank = communicator.Rank();
  const std::vector<NeighbourSubdomain> near = subdomains.NeighboursWithin(rank, reach);
  const std::vector<Index> candidates = FindNearFaces(particles, subdomains.BoxOf(rank), reach);

  std::vector<ExchangePlan::Peer> peers;
  std::vector<int> ranks;
  std::vector<ByteWriter> messages;
  // Neighbours are ordered by rank, so that images of one rank follow one another.
  for (const NeighbourSubdomain& other : near) {
    if (peers.empty() || peers.back().rank != other.rank) {
      peers.push_back({other.rank, {}, 0, 0});
      ranks.push_back(other.rank);
      messages.emplace_back();
    }
    const Vec3 shift = subdomains.Shift(other.image);
    if (interface == InterfacePairs::kOwnedContact && !OwnsContact(other.rank, rank, other.image)) {
      continue;
    }
    for (const Index i : candidates) {
      const auto k = static_cast<std::size_t>(i);
      const double limit = particles.radius[k] + largest_radius + skin;
      if (other.box.Distance(particles.position[k] + shift) >= limit) continue;
      peers.back().sent.push_back(i);
      PutGhost(particles, i, other.image, messages.back());
    }
  }
  std::vector<std::vector<std::byte>> send;
  for (ByteWriter& message : messages) send.push_back(message.Take());
  const auto received = communicator.ExchangeUnsized(ranks, send);

  Halo halo;
  ReserveForGhosts(received, particles);
  std::size_t ghost = particles.owned;
  for (std::size_t k = 0; k < peers.size(); ++k) {
    const std::size_t count = received[k].size() / GhostBytes();
    peers[k].first_ghost = static_cast<Index>(ghost);
    peers[k].ghosts = static_cast<Index>(count);
    Resize(particles, ghost + count);
    ByteReader in(received[k]);
    for (; !in.IsAtEnd(); ++ghost) {
      halo.image.push_back(GetGhost(in, ghost, particles));
      halo.owner.push_back(peers[k].rank);
    }
  }
  AddImages(subdomains.Images(), particles, halo);
  halo.plan = ExchangePlan(std::move(peers));
  return halo;
}

void RemoveUnmarkedGhosts(const Communicator& communicator, std::span<const std::uint8_t> marks,
                          Halo& halo, Particles& particles) {
  SCREE_DEMAND(marks.size() == particles.Size() - particles.owned);
  const std::size_t owned = particles.owned;
  std::vector<ExchangePlan::Peer> peers = halo.plan.Peers();
  std::vector<int> ranks;
  std::vector<std::vector<std::byte>> messages;
  for (const ExchangePlan::Peer& peer : peers) {
    ByteWriter message;
    for (Index g = 0; g < peer.ghosts; ++g) {
      message.Put(marks[static_cast<std::size_t>(peer.first_ghost + g) - owned]);
    }
    ranks.push_back(peer.rank);
    messages.push_back(message.Take());
  }
  const auto answers = communicator.ExchangeUnsized(ranks, messages);

  std::vector<Index> kept(owned);
  std::iota(kept.begin(), kept.end(), Index{0});
  for (std::size_t k = 0; k < peers.size(); ++k) {
    ExchangePlan::Peer& peer = peers[k];
    const auto first_kept = static_cast<Index>(kept.size());
    for (Index g = peer.first_ghost; g < peer.first_ghost + peer.ghosts; ++g) {
      if (marks[static_cast<std::size_t>(g) - owned] != 0) kept.push_back(g);
    }
    peer.first_ghost = first_kept;
    peer.ghosts = static_cast<Index>(kept.size()) - first_kept;
    ByteReader answer(answers[k]);
    std::size_t kept_sent = 0;
    for (const Index i : peer.sent) {
      if (answer.Get<std::uint8_t>() != 0) peer.sent[kept_sent++] = i;
    }
    peer.sent.resize(kept_sent);
  }
  for (std::size_t k = owned; k < kept.size(); ++k) {
    const std::size_t old_ghost = static_cast<std::size_t>(kept[k]) - owned;
    halo.image[k - owned] = halo.image[old_ghost];
    halo.shift[k - owned] = halo.shift[old_ghost];
    if (!halo.velocity.empty()) halo.velocity[k - owned] = halo.velocity[old_ghost];
    halo.owner[k - owned] = halo.owner[old_ghost];
  }
  const std::size_t ghosts = kept.size() - owned;
  halo.image.resize(ghosts);
  halo.shift.resize(ghosts);
  halo.velocity.resize(std::min(halo.velocity.size(), ghosts));
  halo.owner.resize(ghosts);
  halo.plan = ExchangePlan(std::move(peers));
  Keep(particles, kept);
  particles.owned = owned;
}

}  // namespace scree
