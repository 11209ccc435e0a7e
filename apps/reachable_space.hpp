/// \file  Where particles can come to, before a scene runs: faces of the domain that let them out,
///        and how far they can fall.
#pragma once

#include <string>
#include <vector>

#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

struct ReachableSpace {
  std::vector<std::string> open_faces;  // "z+": where a particle would be lost
  double drop = 0.0;  // what the longest free fall yields, energy per mass [m²/s²]
};

/// A flood fill of a grid of some fifty cells along the longest edge, from the particles and the
/// places where others enter, through the gaps that a sphere of this radius passes: walls at time
/// zero, without those that are removed during the run. Particles rise no higher than their speed
/// takes them from the highest place where one starts, unless walls move, which may lift them
/// anywhere. Along a periodic axis there is no height. Falls are along the axis of the strongest
/// pull, through reached cells that hold no particles, and through those that do as far as they are
/// not densely packed. Collective.
/// @param radius  of the smallest particle [m]
/// @param speed   of the fastest [m/s]
ReachableSpace FindReachableSpace(const Communicator& communicator, const Scene& scene,
                                  const Particles& particles, double radius, double speed);

}  // namespace scree
