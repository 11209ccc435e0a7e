/// \file  The range of the radii of all particles of a run. Lists, walls and margins depend on it.
#pragma once

#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// Smallest and largest radius of all past, present and future particles, over all ranks [m].
struct RadiusRange {
  double smallest = 0.0;
  double largest = 0.0;
};

/// The range of these particles and of all particles that the scene inserts. Clumps count
/// with their smallest member in the minimum, and with their bounding radius in the maximum. Both
/// are zero if there are no particles. Collective.
RadiusRange RadiiOf(const Communicator& communicator, const Scene& scene,
                    const Particles& particles);

/// The range that covers both. A restart joins the range of the past particles of the run with that
/// of an extended scene.
RadiusRange Union(const RadiusRange& a, const RadiusRange& b);

}  // namespace scree
