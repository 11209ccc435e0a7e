#include "engine/step/insert_remove.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/particles/inflow.hpp"
#include "engine/particles/sphere_grid.hpp"
#include "engine/ranks/byte_buffer.hpp"
#include "engine/ranks/collective_error.hpp"
#include "engine/scene/wall_images.hpp"
#include "engine/step/validity.hpp"

namespace scree {
namespace {

constexpr double kTouching = 1.0 - 1e-6;  // of a radius: spheres that touch do not overlap

struct Newcomer {
  ParticleId id = 0;
  PlacedSphere sphere;
};

/// The new particles of all ranks, on every rank, in the order of the ranks.
std::vector<Newcomer> OfAllRanks(const Communicator& communicator, const Particles& entering) {
  ByteWriter out;
  for (std::size_t i = 0; i < entering.Size(); ++i) {
    out.Put(Newcomer{entering.id[i], {entering.position[i], kTouching * entering.radius[i]}});
  }
  const std::vector<std::byte> bytes = out.Take();
  const std::string mine(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::string joined;
  for (const std::string& of_rank : communicator.GatherAtRoot(mine)) joined += of_rank;
  joined = communicator.Broadcast(joined);
  std::vector<Newcomer> all;
  for (ByteReader in(std::as_bytes(std::span(joined))); !in.IsAtEnd();) {
    all.push_back(in.Get<Newcomer>());
  }
  return all;
}

Box BoundsOf(const std::vector<Newcomer>& all) {
  Box bounds{Vec3::Constant(HUGE_VAL), Vec3::Constant(-HUGE_VAL)};
  for (const auto& [id, sphere] : all) {
    bounds.lower = bounds.lower.cwiseMin(sphere.centre - Vec3::Constant(sphere.radius));
    bounds.upper = bounds.upper.cwiseMax(sphere.centre + Vec3::Constant(sphere.radius));
  }
  return bounds;
}

/// Describes an error in this rank's new particles, other than overlaps; empty: none.
std::string DescribeImproper(const InsertionContext& context, const Particles& entering) {
  const Box& box = context.scene.domain.box;
  const double max = box.Extent().minCoeff() / context.length;
  for (std::size_t i = 0; i < entering.Size(); ++i) {
    const Vec3& x = entering.position[i];
    const bool is_inside = (x.array() >= box.lower.array()).all() &&
                           (x.array() <= box.upper.array()).all();  // false for NaN
    if (!is_inside) {
      return Text("cannot insert particle ", entering.id[i], " at (", x.transpose(),
                  ") m; expected a position in the domain, (", box.lower.transpose(), ") .. (",
                  box.upper.transpose(), ") m");
    }
    const double turning = entering.radius[i] * entering.angular_velocity[i].norm();
    if (!(entering.velocity[i].norm() <= max && turning <= max)) {
      return Text("cannot insert particle ", entering.id[i], " with the velocity (",
                  entering.velocity[i].transpose(), ") m/s and the angular velocity (",
                  entering.angular_velocity[i].transpose(),
                  ") rad/s; expected numbers, and a path in a step shorter than the domain");
    }
  }
  return DescribeImpossible(context.scene, context.radii, entering);
}

/// Describes the first of `all` that overlaps a body known to this rank; empty: none.
std::string DescribeNoRoom(const InsertionContext& context, const State& state,
                           const std::vector<Newcomer>& all) {
  const Domain& domain = context.scene.domain;
  const Box bounds = BoundsOf(all);
  std::vector<PlacedSphere> present;
  const Particles& particles = state.particles;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    const auto images = ImagesIn(bounds, domain, {particles.position[i], particles.radius[i]});
    present.insert(present.end(), images.begin(), images.end());
  }
  const SphereGrid others(bounds, present);
  SphereGrid among(bounds, 2.0 * context.radii.largest);
  const PlacedWalls walls(context.scene,
                          WallPoses(context.scene, context.base, state.step, state.free_walls),
                          context.radii.largest);
  const bool is_root = context.communicator.IsRoot();  // reports overlaps that all ranks know
  for (const auto& [id, sphere] : all) {
    const auto& [position, radius] = sphere;
    const char* const obstacle = others.Overlaps(position, radius)              ? "a particle"
                                 : is_root && walls.AreNearer(position, radius) ? "a wall"
                                 : is_root && among.Overlaps(position, radius)
                                     ? "another inserted particle"
                                     : nullptr;
    if (obstacle != nullptr) {
      return Text("cannot insert particle ", id, " at (", position.transpose(), ") m: it overlaps ",
                  obstacle, "; expected a free position");
    }
    for (const PlacedSphere& image : ImagesIn(bounds, domain, sphere)) among.Add(image);
  }
  return {};
}

}  // namespace

void RequireRoom(const InsertionContext& context, const State& state, const Particles& entering) {
  ThrowIfAny<InputError>(context.communicator, DescribeImproper(context, entering));
  const std::vector<Newcomer> all = OfAllRanks(context.communicator, entering);
  if (all.empty()) return;
  ThrowIfAny<InputError>(context.communicator, DescribeNoRoom(context, state, all));
}

void InsertParticles(const Particles& entering, const RotatingFrame& frame, double last,
                     State& state) {
  Particles& particles = state.particles;
  const std::size_t first = particles.owned;
  Resize(particles, first);
  Append(particles, entering);
  particles.owned = particles.Size();
  for (std::size_t i = first; frame.IsRotating() && i < particles.owned; ++i) {
    Vec3& v = particles.velocity[i];
    v = VelocityOfLastStep(frame, particles.position[i], v, last);
  }
  state.inserted += static_cast<std::int64_t>(entering.Size());
}

std::int64_t RemoveParticles(std::span<const std::uint8_t> rows, State& state) {
  Particles& particles = state.particles;
  SCREE_DEMAND(rows.size() == particles.owned);
  std::int64_t taken = 0;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (rows[i] == 0 || particles.id[i] == kRemovedId) continue;
    MarkRemoved(particles, i);
    ++taken;
  }
  state.deleted += taken;
  return taken;
}

}  // namespace scree
