#include "engine/step/radius_range.hpp"

#include <algorithm>
#include <limits>

namespace scree {

RadiusRange RadiiOf(const Communicator& communicator, const Scene& scene,
                    const Particles& particles) {
  // range[0] is minus the smallest radius, so that one Max reduces both.
  double range[2] = {-std::numeric_limits<double>::infinity(), 0.0};
  const auto include = [&range](double radius) {
    range[0] = std::max(range[0], -radius);
    range[1] = std::max(range[1], radius);
  };
  for (const double radius : particles.radius) include(radius);
  for (std::size_t i = 0; i < (scene.clumps.empty() ? 0 : particles.Size()); ++i) {
    if (particles.shape[i] == kSphereShape) continue;
    const ClumpShape& clump = scene.ClumpOf(particles.shape[i]);
    range[0] = std::max(range[0], -particles.radius[i] * clump.smallest_member);
  }
  const auto include_template = [&](const GrainTemplate& grain) {
    include(grain.sizes.smallest);
    include(grain.sizes.largest);
    for (const GrainShape& shape : grain.shapes) {
      if (shape.shape == kSphereShape) continue;
      const double radius = shape.radius > 0.0 ? shape.radius : grain.sizes.smallest;
      range[0] = std::max(range[0], -radius * scene.ClumpOf(shape.shape).smallest_member);
    }
  };
  for (const Inflow& inflow : scene.pistons) include_template(inflow.grain);
  for (const Rain& rain : scene.rains) include_template(rain.grain);
  communicator.Max(range);
  return {std::min(-range[0], range[1]), range[1]};
}

RadiusRange Union(const RadiusRange& a, const RadiusRange& b) {
  if (b.largest == 0.0) return a;
  if (a.largest == 0.0) return b;
  return {std::min(a.smallest, b.smallest), std::max(a.largest, b.largest)};
}

}  // namespace scree
