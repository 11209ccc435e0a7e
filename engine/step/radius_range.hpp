/// \file  Between which radii all particles of a run are: lists, walls and margins depend on it.
#pragma once

#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// Radii of all particles that there were or will be, over all ranks [m].
struct RadiusRange {
  double smallest = 0.0;
  double largest = 0.0;
};

/// Of these particles and of all that the scene lets enter: of clumps the smallest members count,
/// and the largest bounding radii. Zero without particles. Collective.
RadiusRange RadiiOf(const Communicator& communicator, const Scene& scene,
                    const Particles& particles);

/// Of what there was in the run and what is yet to come, which a restart may have added to.
RadiusRange Union(const RadiusRange& a, const RadiusRange& b);

}  // namespace scree
