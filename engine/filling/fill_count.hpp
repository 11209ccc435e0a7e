/// \file  Number of particles in a fill, estimated before the fill is made.
#pragma once

#include "engine/scene/scene.hpp"

namespace scree {

/// The number of particles in a fill that no wall and no other fill obstructs. For random fills
/// it is a lower bound if the materials of the scene differ in density.
double EstimateCount(const Scene& scene, const Fill& fill);

/// Requires that the particles of all fills fit into the memory of each rank's machine, and that a
/// rank can generate all particles of a random fill.
/// @param memory  of the machine [bytes]
/// @throws InputError with the name of the first fill for which this is certainly impossible
void RequireFillsFitInMemory(const Scene& scene, int ranks, double memory);

}  // namespace scree
