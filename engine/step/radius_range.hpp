/// \file  The range of the radii of all particles of a run. Lists, walls and margins depend on it.
#pragma once

#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// Radii of all past, present and future particles, over all ranks [m]. Clumps count with their
/// smallest member in the minimum, and with their bounding radius in the maximum.
struct RadiusRange {
  double smallest = 0.0;
  double largest = 0.0;
  // As the minimum, but solids count with their inscribed balls. The slop is proportional to it:
  // the radius of a member of a solid is only its rounding, and a slop from the rounding would be
  // smaller than the rocking of a block at rest.
  double smallest_ball = 0.0;
};

/// The range of these particles and of all particles that the scene inserts; zeros if there are
/// none. Collective.
RadiusRange RadiiOf(const Communicator& communicator, const Scene& scene,
                    const Particles& particles);

/// The range that covers both. A restart joins the range of the past particles of the run with that
/// of an extended scene.
RadiusRange Union(const RadiusRange& a, const RadiusRange& b);

}  // namespace scree
