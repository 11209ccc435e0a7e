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

/// An impulse on particle a from particle `b`, a < b, or from surface `b` of the walls.
struct Impulse {
  ParticleId a, b;
  bool wall;
  Vec3 impulse;
  LawImpulses laws;

  auto Name() const { return std::tuple(a, wall, b); }
};

template <class Record>
std::vector<Record> OfAllRanks(const Communicator& communicator, const std::vector<Record>& own) {
  const auto bytes = std::as_bytes(std::span(own));
  std::string joined;
  for (const std::string& one : communicator.GatherAtRoot(
           std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()))) {
    joined += one;
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

/// Adds zero to convert -0 to 0, so that the digest does not depend on which particle is called a.
Vec3 Negated(const Vec3& v) { return Vec3::Zero() - v; }
Vec3 Same(const Vec3& v) { return Vec3::Zero() + v; }
template <class Change>
LawImpulses OfAll(LawImpulses laws, Change&& change) {
  for (Vec3& one : laws.of) one = change(one);
  return laws;
}

std::vector<Impulse> ImpulsesOf(const RestartPoint& point) {
  std::vector<Impulse> impulses;
  for (const StoredImpulse& one : point.impulses) {
    if (one.b.IsSurface()) {
      impulses.push_back({one.a, one.b.Surface(), true, Same(one.impulse), OfAll(one.laws, Same)});
      continue;
    }
    const ParticleId b = one.b.Particle();
    if (one.a < b) {
      impulses.push_back({one.a, b, false, Same(one.impulse), OfAll(one.laws, Same)});
    } else {
      impulses.push_back({b, one.a, false, Negated(one.impulse), OfAll(one.laws, Negated)});
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
  std::vector<Sphere> spheres = OfAllRanks(communicator, SpheresOf(state.particles));
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

  std::vector<Impulse> impulses = OfAllRanks(communicator, ImpulsesOf(step.Point(state)));
  std::sort(impulses.begin(), impulses.end(),
            [](const Impulse& x, const Impulse& y) { return x.Name() < y.Name(); });
  // With Jacobi both ranks of a pair store its impulse.
  const auto same = [](const Impulse& x, const Impulse& y) {
    return x.Name() == y.Name() && x.impulse == y.impulse && x.laws == y.laws;
  };
  impulses.erase(std::unique(impulses.begin(), impulses.end(), same), impulses.end());
  for (const Impulse& one : impulses) {
    Add(digest, one.a);
    Add(digest, one.b);
    Add(digest, one.wall);
    Add(digest, one.impulse);
    // Laws after the first count only if they are active, so that a new law changes no digest.
    for (const Vec3& of_law : one.laws.of) {
      if (&of_law == &one.laws.of.front() || !of_law.isZero(0.0)) Add(digest, of_law);
    }
  }
  return digest.Value();
}

}  // namespace scree
