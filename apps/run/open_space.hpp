/// \file  The space of a scene before it runs: faces of the domain that no wall covers, and how far
///        particles may fall.
#pragma once

#include <string>
#include <vector>

#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// "z+": faces, neither periodic nor [outflow], with a point that a sphere of this radius could
/// reach from the particles or their entries, without touching at time zero a wall that stops it
/// and stays. Points count as reached where the path is too narrow for the grid or its start is
/// unknown. Collective.
std::vector<std::string> OpenFaces(const Communicator& communicator, const Scene& scene, double dt,
                                   double radius, const Particles& particles);

/// The energy per mass of the longest free fall [m²/s²], estimated without walls. The fall begins
/// at the highest point where particles are or enter. It ends on the bed that the particles at time
/// zero form after settling over the whole cross-section of the domain. Collective.
double LongestFall(const Communicator& communicator, const Scene& scene,
                   const Particles& particles);

}  // namespace scree
