/// \file  The space of a scene before it runs: faces of the domain that no wall covers, and how far
///        particles may fall.
#pragma once

#include <string>
#include <vector>

#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// "z+": faces, neither periodic nor [outflow], with a place where a sphere of this radius would
/// touch no wall at time zero that stops it and stays, and to which one could come from where
/// particles are or enter, past these walls. Where the way is too fine to be followed, or nobody
/// knows where it begins, places count as reached. Collective.
std::vector<std::string> OpenFaces(const Communicator& communicator, const Scene& scene, double dt,
                                   double radius, const Particles& particles);

/// What the longest free fall yields, as energy per mass [m²/s²], estimated without walls: from the
/// highest place where particles are or enter, through all below that the particles at time zero do
/// not fill when they settle, spread over the whole cross-section of the domain. Collective.
double LongestFall(const Communicator& communicator, const Scene& scene,
                   const Particles& particles);

}  // namespace scree
