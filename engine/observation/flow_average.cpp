#include "engine/observation/flow_average.hpp"

#include <array>
#include <cmath>

#include "engine/geometry/periodic_images.hpp"
#include "engine/particles/body_mass.hpp"
#include "engine/particles/position_corrections.hpp"

namespace scree {
namespace {

/// The distance between the plane and its next periodic image; zero if it has no images [m].
double Period(const FlowPlane& plane, const Domain& domain) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<Eigen::Index>(axis);
    if (domain.periodic[axis] && plane.normal[a] != 0.0) return domain.box.Extent()[a];
  }
  return 0.0;
}

/// The number of the plane below a point. The plane itself is 0, its periodic images are ±1, ±2,
/// ... upwards and downwards. Without images, −1 means that the point is below the plane.
/// @param height  of the point above plane 0 [m]
std::int64_t NumberOfPlaneBelow(double height, double period) {
  if (period > 0.0) return static_cast<std::int64_t>(std::floor(height / period));
  return height < 0.0 ? -1 : 0;
}

}  // namespace

void AddCrossings(const FlowPlane& plane, const Scene& scene, double dt, const Particles& particles,
                  const PositionCorrections& corrections, FlowSums& sums, double time,
                  std::int64_t stride) {
  const double period = Period(plane, scene.domain);
  const PeriodicImages images(scene.domain, time);
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    Vec3 x = particles.position[i], v = particles.velocity[i];
    if (images.AreMoving()) images.Wrap(x, v);
    const double after = plane.normal.dot(x - plane.point);
    const double before = after - plane.normal.dot(dt * v + corrections.Of(i));
    const std::int64_t crossed =
        NumberOfPlaneBelow(after, period) - NumberOfPlaneBelow(before, period);
    if (crossed == 0) continue;
    const double mass = MassOf(particles, i, scene) * std::abs(static_cast<double>(crossed));
    (crossed > 0 ? sums.particles_forward : sums.particles_backward) += std::abs(crossed);
    (crossed > 0 ? sums.mass_forward : sums.mass_backward) += mass;
  }
  sums.steps += stride;
}

FlowSums SumOverRanks(const Communicator& communicator, FlowSums sums) {
  std::array<std::int64_t, 2> counts = {sums.particles_forward, sums.particles_backward};
  std::array<double, 2> masses = {sums.mass_forward, sums.mass_backward};
  communicator.Sum(counts);
  communicator.Sum(masses);
  return {sums.steps, counts[0], counts[1], masses[0], masses[1]};
}

FlowSeries SumOverRanks(const Communicator& communicator, FlowSeries series) {
  for (FlowSums& row : series) row = SumOverRanks(communicator, row);
  return series;
}

}  // namespace scree
