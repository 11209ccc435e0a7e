/// \file  How far particles of a scene may fall before they settle.
#pragma once

#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// Energy per mass [m²/s²] that the longest free fall yields, estimated without walls: from the
/// highest point where particles are or enter, down to the surface of the bed that the particles at
/// time zero form when they settle over the whole cross-section of the domain. Collective.
double LongestFall(const Communicator& communicator, const Scene& scene,
                   const Particles& particles);

}  // namespace scree
