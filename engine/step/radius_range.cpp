#include "engine/step/radius_range.hpp"

#include <algorithm>
#include <limits>

namespace scree {

RadiusRange RadiiOf(const Communicator& communicator, const Scene& scene,
                    const Particles& particles) {
  // The minima with the opposite sign, so that one Max reduces all: smallest, largest,
  // smallest_ball.
  double range[3] = {-std::numeric_limits<double>::infinity(), 0.0,
                     -std::numeric_limits<double>::infinity()};
  const auto include = [&](double radius) {
    range[0] = std::max(range[0], -radius);
    range[1] = std::max(range[1], radius);
  };
  const auto include_shape = [&](double radius, ShapeId shape) {
    const bool is_clump = shape != kSphereShape;
    if (is_clump) range[0] = std::max(range[0], -radius * scene.ClumpOf(shape).smallest_member);
    const double ball = is_clump ? radius * scene.ClumpOf(shape).smallest_ball : radius;
    range[2] = std::max(range[2], -ball);
  };
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    include(particles.radius[i]);
    include_shape(particles.radius[i], particles.shape[i]);
  }
  const auto include_template = [&](const GrainTemplate& grain) {
    include(grain.sizes.smallest);
    include(grain.sizes.largest);
    if (grain.shapes.empty()) include_shape(grain.sizes.smallest, kSphereShape);
    for (const GrainShape& shape : grain.shapes) {
      include_shape(shape.radius > 0.0 ? shape.radius : grain.sizes.smallest, shape.shape);
    }
  };
  for (const Inflow& inflow : scene.pistons) include_template(inflow.grain);
  for (const Rain& rain : scene.rains) include_template(rain.grain);
  communicator.Max(range);
  return {std::min(-range[0], range[1]), range[1], std::min(-range[2], range[1])};
}

RadiusRange Union(const RadiusRange& a, const RadiusRange& b) {
  if (b.largest == 0.0) return a;
  if (a.largest == 0.0) return b;
  return {std::min(a.smallest, b.smallest), std::max(a.largest, b.largest),
          std::min(a.smallest_ball, b.smallest_ball)};
}

}  // namespace scree
