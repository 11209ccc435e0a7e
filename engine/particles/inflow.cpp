#include "engine/particles/inflow.hpp"

#include <algorithm>

#include "engine/scene/lattice.hpp"
#include "engine/scene/wall_motion.hpp"

namespace scree {
namespace {

const Plane& PistonOf(const Scene& scene, const Inflow& inflow) {
  return std::get<Plane>(scene.walls[inflow.piston].shape.parts[0]);
}

bool IsLayerDue(const Scene& scene, const Inflow& inflow, double dt, std::int64_t steps_done) {
  return steps_done > 0 && steps_done % StepsPerLayer(scene, inflow, dt) == 0;
}

void InsertLayer(const Scene& scene, std::size_t stream, double dt, std::int64_t steps_done,
                 ParticleId first_id, const OwnsPosition& owns, Particles& particles) {
  const Inflow& inflow = scene.pistons[stream];
  const Plane& piston = PistonOf(scene, inflow);
  const Vec3& normal = piston.normal;
  std::array<std::int64_t, 3> sites = inflow.lattice.Sites();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (normal[static_cast<Eigen::Index>(axis)] != 0.0) sites[axis] = 1;
  }
  const std::int64_t layer = steps_done / StepsPerLayer(scene, inflow, dt) - 1;
  std::int64_t n = layer * sites[0] * sites[1] * sites[2];
  for (std::int64_t k = 0; k < sites[2]; ++k) {
    for (std::int64_t j = 0; j < sites[1]; ++j) {
      for (std::int64_t i = 0; i < sites[0]; ++i, ++n) {
        const ParticleId id = StreamId(scene, first_id, stream, n);
        Vec3 position = LatticeSite(inflow.lattice, {i, j, k});
        const double height = normal.dot(position - piston.point);
        position += (RadiusOf(inflow.grain, id, scene.seed) - height) * normal;
        if (owns(position)) MakeParticle(inflow.grain, position, id, scene.seed, particles);
      }
    }
  }
}

}  // namespace

bool IsLayerDue(const Scene& scene, double dt, std::int64_t steps_done) {
  return std::ranges::any_of(scene.pistons, [&](const Inflow& inflow) {
    return IsLayerDue(scene, inflow, dt, steps_done);
  });
}

ParticleId StreamId(const Scene& scene, ParticleId first_id, std::size_t stream, std::int64_t n) {
  const std::size_t streams = scene.pistons.size() + scene.rains.size();
  return first_id + n * static_cast<std::int64_t>(streams) + static_cast<std::int64_t>(stream);
}

std::int64_t InsertLayer(const Scene& scene, double dt, std::int64_t steps_done,
                         ParticleId first_id, const OwnsPosition& owns, Particles& particles) {
  SCREE_DEMAND(IsLayerDue(scene, dt, steps_done) && particles.owned == particles.Size());
  for (std::size_t p = 0; p < scene.pistons.size(); ++p) {
    if (!IsLayerDue(scene, scene.pistons[p], dt, steps_done)) continue;
    InsertLayer(scene, p, dt, steps_done, first_id, owns, particles);
  }
  const auto inserted = static_cast<std::int64_t>(particles.Size() - particles.owned);
  particles.owned = particles.Size();
  return inserted;
}

void MarkRemoved(Particles& particles, std::size_t i) {
  constexpr double kFarAway = 1e100;  // its square is still finite
  particles.id[i] = kRemovedId;
  particles.position[i] = Vec3::UnitX() * (kFarAway * static_cast<double>(i + 1));
  particles.velocity[i].setZero();
  particles.angular_velocity[i].setZero();
}

std::int64_t RemoveOutflow(const Scene& scene, Particles& particles) {
  std::int64_t removed = 0;
  for (std::size_t face = 0; face < 6; ++face) {
    const std::size_t axis = face / 2;
    const bool is_upper = face % 2 == 1;
    if (!scene.outflow[axis][is_upper ? 1 : 0]) continue;
    const auto a = static_cast<Eigen::Index>(axis);
    const double end = is_upper ? scene.domain.box.upper[a] : scene.domain.box.lower[a];
    for (std::size_t i = 0; i < particles.Size(); ++i) {
      const double x = particles.position[i][a];
      const bool is_out = is_upper ? x > end : x < end;
      if (!is_out || particles.id[i] == kRemovedId) continue;
      MarkRemoved(particles, i);
      if (i < particles.owned) ++removed;
    }
  }
  return removed;
}

}  // namespace scree
