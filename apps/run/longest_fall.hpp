/// \file  Estimates how far particles of a scene may fall before they settle.
#pragma once

#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// Energy per mass [m²/s²] of the longest free fall, estimated without walls; 0 without gravity, or
/// if the domain is periodic along gravity. The fall starts at the highest point where particles
/// are at time zero or enter. It ends at the surface of the bed that the particles at time zero
/// form if they settle over the whole cross-section of the domain. Collective.
double EnergyOfLongestFall(const Communicator& communicator, const Scene& scene,
                           const Particles& particles);

}  // namespace scree
