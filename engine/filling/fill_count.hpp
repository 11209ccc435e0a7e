/// \file  How many particles a fill makes, known before it is made.
#pragma once

#include "engine/scene/scene.hpp"

namespace scree {

/// The particles of a fill if no wall and no other fill is in its way; of random ones with shapes
/// or a mixture at least so many.
double EstimateCount(const Scene& scene, const Fill& fill);

/// Demands that a rank's share of the particles of all fills fits into the memory of its machine,
/// and that each rank can go through all of a random one.
/// @param memory  of the machine [bytes]
/// @throws InputError, naming the fill, if that certainly cannot be
void RequireFits(const Scene& scene, int ranks, double memory);

}  // namespace scree
