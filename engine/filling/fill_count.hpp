/// \file  Number of particles in a fill, estimated before the fill is made.
#pragma once

#include "engine/scene/scene.hpp"

namespace scree {

/// The number of particles in a fill that no wall and no other fill obstructs.
double EstimateCount(const Scene& scene, const Fill& fill);

/// Requires that the share of each rank in the particles fits into the memory of its machine, and
/// that no random fill has more particles than a rank can generate (each rank generates all).
/// @param memory  of the machine [bytes]
/// @throws InputError with the name of the first fill for which this is certainly impossible
void RequireFillsFitInMemory(const Scene& scene, int ranks, double memory);

}  // namespace scree
