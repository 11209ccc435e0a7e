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

constexpr double kTouching = 1.0 - 1e-6;  // factor of radii: touching spheres do not overlap

struct NewParticle {
  ParticleId id = 0;
  std::int64_t material = 0;  // MaterialId, in 64 bits so that there is no padding
  PlacedSphere sphere;
};

/// The new particles of all ranks, on every rank, in the order of the ranks.
std::vector<NewParticle> GatherOverRanks(const Communicator& communicator,
                                         const Particles& new_particles) {
  ByteWriter out;
  for (std::size_t i = 0; i < new_particles.Size(); ++i) {
    out.Put(NewParticle{new_particles.id[i],
                        new_particles.material[i],
                        {new_particles.position[i], kTouching * new_particles.radius[i]}});
  }
  const std::vector<std::byte> bytes = out.Take();
  const std::string local_bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::string joined;
  for (const std::string& message : communicator.GatherAtRoot(local_bytes)) joined += message;
  joined = communicator.Broadcast(joined);
  std::vector<NewParticle> all_new;
  for (ByteReader in(std::as_bytes(std::span(joined))); !in.IsAtEnd();) {
    all_new.push_back(in.Get<NewParticle>());
  }
  return all_new;
}

Box BoundsOf(const std::vector<NewParticle>& all_new) {
  Box bounds{Vec3::Constant(HUGE_VAL), Vec3::Constant(-HUGE_VAL)};
  for (const auto& [id, material, sphere] : all_new) {
    bounds.lower = bounds.lower.cwiseMin(sphere.centre - Vec3::Constant(sphere.radius));
    bounds.upper = bounds.upper.cwiseMax(sphere.centre + Vec3::Constant(sphere.radius));
  }
  return bounds;
}

/// Describes an error in this rank's new particles, except overlaps; empty: none.
std::string DescribeInvalid(const InsertionContext& context, const Particles& new_particles) {
  const Box& box = context.images.GetDomain().box;
  const double max_speed = box.Extent().minCoeff() / context.length;
  for (std::size_t i = 0; i < new_particles.Size(); ++i) {
    const Vec3& x = new_particles.position[i];
    const bool is_inside = (x.array() >= box.lower.array()).all() &&
                           (x.array() <= box.upper.array()).all();  // false for NaN
    if (!is_inside) {
      return Text("cannot insert particle ", new_particles.id[i], " at (", x.transpose(),
                  ") m; expected a position in the domain, (", box.lower.transpose(), ") .. (",
                  box.upper.transpose(), ") m");
    }
    const double surface_speed = new_particles.radius[i] * new_particles.angular_velocity[i].norm();
    if (!(new_particles.velocity[i].norm() <= max_speed && surface_speed <= max_speed)) {
      return Text("cannot insert particle ", new_particles.id[i], " with the velocity (",
                  new_particles.velocity[i].transpose(), ") m/s and the angular velocity (",
                  new_particles.angular_velocity[i].transpose(),
                  ") rad/s; expected values that move its centre and surface by less than the "
                  "shortest side of the domain in a step");
    }
  }
  return DescribeImpossible(context.scene, context.radii, new_particles);
}

/// Describes the first of the new particles that overlaps a body known to this rank; empty: none.
std::string DescribeOverlap(const InsertionContext& context, const State& state,
                            const std::vector<NewParticle>& all_new) {
  const Box bounds = BoundsOf(all_new);
  std::vector<PlacedSphere> present;
  const Particles& particles = state.particles;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    const auto images =
        ImagesIn(bounds, context.images, {particles.position[i], particles.radius[i]});
    present.insert(present.end(), images.begin(), images.end());
  }
  const SphereGrid present_grid(bounds, present);
  SphereGrid new_grid(bounds, 2.0 * context.radii.largest);
  std::vector<MaterialId> materials;
  for (const NewParticle& particle : all_new) {
    materials.push_back(static_cast<MaterialId>(particle.material));
  }
  const PlacedWalls walls(context.scene,
                          WallPoses(context.scene, context.base, state.step, state.free_walls),
                          materials, context.radii.largest);
  const bool is_root = context.communicator.IsRoot();  // reports what all ranks find
  for (const auto& [id, material, sphere] : all_new) {
    const auto& [position, radius] = sphere;
    const char* const obstacle = present_grid.Overlaps(position, radius)            ? "a particle"
                                 : is_root && walls.HasWallWithin(position, radius) ? "a wall"
                                 : is_root && new_grid.Overlaps(position, radius)
                                     ? "another inserted particle"
                                     : nullptr;
    if (obstacle != nullptr) {
      return Text("cannot insert particle ", id, " at (", position.transpose(), ") m: it overlaps ",
                  obstacle, "; expected a free position");
    }
    for (const PlacedSphere& image : ImagesIn(bounds, context.images, sphere)) new_grid.Add(image);
  }
  return {};
}

}  // namespace

void RequireInsertable(const InsertionContext& context, const State& state,
                       const Particles& new_particles) {
  ThrowIfAny<InputError>(context.communicator, DescribeInvalid(context, new_particles));
  const std::vector<NewParticle> all_new = GatherOverRanks(context.communicator, new_particles);
  if (all_new.empty()) return;
  ThrowIfAny<InputError>(context.communicator, DescribeOverlap(context, state, all_new));
}

void InsertParticles(const Particles& new_particles, const RotatingFrame& frame, double last_length,
                     State& state) {
  Particles& particles = state.particles;
  const std::size_t first = particles.owned;
  Resize(particles, first);
  Append(particles, new_particles);
  particles.owned = particles.Size();
  for (std::size_t i = first; frame.IsRotating() && i < particles.owned; ++i) {
    Vec3& v = particles.velocity[i];
    v = VelocityOfLastStep(frame, particles.position[i], v, last_length);
  }
  state.inserted += static_cast<std::int64_t>(new_particles.Size());
}

std::int64_t RemoveParticles(std::span<const std::uint8_t> is_removed, State& state) {
  Particles& particles = state.particles;
  SCREE_DEMAND(is_removed.size() == particles.owned);
  std::int64_t removed = 0;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (is_removed[i] == 0 || particles.id[i] == kRemovedId) continue;
    MarkRemoved(particles, i);
    ++removed;
  }
  state.deleted += removed;
  return removed;
}

}  // namespace scree
