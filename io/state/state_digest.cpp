#include "io/state/state_digest.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/ranks/byte_buffer.hpp"
#include "io/files/digest.hpp"

namespace scree {
namespace {

struct Sphere {
  ParticleId id;
  double radius;
  Vec3 position, velocity, angular_velocity;
  Quaternion orientation;
};

/// An impulse on particle `a`, either from particle `b` with a < b or from surface `b` of the
/// walls.
struct Impulse {
  ParticleId a, b;
  bool is_wall;
  Vec3 impulse;
  LawImpulses laws;

  auto Key() const { return std::tuple(a, is_wall, b); }
};

template <class Record>
std::vector<Record> GatherFromAllRanks(const Communicator& communicator,
                                       const std::vector<Record>& own_records) {
  const auto bytes = std::as_bytes(std::span(own_records));
  std::string joined;
  for (const std::string& rank_bytes : communicator.GatherAtRoot(
           std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()))) {
    joined += rank_bytes;
  }
  joined = communicator.Broadcast(joined);
  std::vector<Record> all;
  for (ByteReader in(std::as_bytes(std::span(joined))); !in.IsAtEnd();) {
    all.push_back(in.Get<Record>());
  }
  return all;
}

std::vector<Sphere> SpheresOf(const Particles& particles) {
  std::vector<Sphere> spheres;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    spheres.push_back({particles.id[i], particles.radius[i], particles.position[i],
                       particles.velocity[i], particles.angular_velocity[i],
                       particles.orientation[i]});
  }
  return spheres;
}

/// Negate and ClearSignOfZero turn -0 into 0, so that the digest does not depend on which particle
/// is `a`.
Vec3 Negate(const Vec3& v) { return Vec3::Zero() - v; }
Vec3 ClearSignOfZero(const Vec3& v) { return Vec3::Zero() + v; }
template <class Change>
LawImpulses ApplyToAll(LawImpulses laws, Change&& change) {
  for (Vec3& impulse : laws.of) impulse = change(impulse);
  return laws;
}

std::vector<Impulse> ImpulsesOf(const RestartPoint& point) {
  std::vector<Impulse> impulses;
  for (const StoredImpulse& stored : point.impulses) {
    if (stored.b.IsSurface()) {
      impulses.push_back({stored.a, stored.b.Surface(), true, ClearSignOfZero(stored.impulse),
                          ApplyToAll(stored.laws, ClearSignOfZero)});
      continue;
    }
    const ParticleId b = stored.b.Particle();
    if (stored.a < b) {
      impulses.push_back({stored.a, b, false, ClearSignOfZero(stored.impulse),
                          ApplyToAll(stored.laws, ClearSignOfZero)});
    } else {
      impulses.push_back(
          {b, stored.a, false, Negate(stored.impulse), ApplyToAll(stored.laws, Negate)});
    }
  }
  return impulses;
}

template <class Value>
void Add(Digest& digest, const Value& value) {
  digest.Add(std::as_bytes(std::span(&value, 1)));
}

}  // namespace

std::uint64_t StateDigest(const Communicator& communicator, const State& state,
                          const TimeStep& step) {
  std::vector<Sphere> spheres = GatherFromAllRanks(communicator, SpheresOf(state.particles));
  std::sort(spheres.begin(), spheres.end(),
            [](const Sphere& x, const Sphere& y) { return x.id < y.id; });
  Digest digest;
  for (const Sphere& sphere : spheres) {
    Add(digest, sphere.id);
    Add(digest, sphere.radius);
    Add(digest, sphere.position);
    Add(digest, sphere.velocity);
    Add(digest, sphere.angular_velocity);
    Add(digest, sphere.orientation);
  }

  std::vector<Impulse> impulses = GatherFromAllRanks(communicator, ImpulsesOf(step.Point(state)));
  std::sort(impulses.begin(), impulses.end(),
            [](const Impulse& x, const Impulse& y) { return x.Key() < y.Key(); });
  // With the Jacobi solver, two ranks may store the impulse of the same pair. It counts once.
  const auto is_same = [](const Impulse& x, const Impulse& y) {
    return x.Key() == y.Key() && x.impulse == y.impulse && x.laws == y.laws;
  };
  impulses.erase(std::unique(impulses.begin(), impulses.end(), is_same), impulses.end());
  for (const Impulse& contact : impulses) {
    Add(digest, contact.a);
    Add(digest, contact.b);
    Add(digest, contact.is_wall);
    Add(digest, contact.impulse);
    // Zero impulses are skipped for all laws but the first, so that a new law changes no digest.
    for (const Vec3& law_impulse : contact.laws.of) {
      const bool is_first = &law_impulse == &contact.laws.of.front();
      if (is_first || !law_impulse.isZero(0.0)) Add(digest, law_impulse);
    }
  }
  return digest.Value();
}

}  // namespace scree
