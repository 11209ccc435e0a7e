/// \file  The base step, the unit of time of a run with automatic steps.
#pragma once

#include "engine/scene/scene.hpp"

namespace scree {

/// Chooses the base step from the scene's time scales: 1 ns for particles of a millimetre under
/// their weight. It is 10^k s with an integer k, so that times given in decimals are multiples of
/// it. A step is thousands of base steps long. The base step is between 1e-11 and 1e-6 of the
/// run, so that the number of base steps has at most 12 digits. It is the smallest power of ten in
/// this range if the scene has no time scale, or if has_all_sizes is false.
/// @param has_all_sizes  whether the scene creates all particles; the sizes of others are unknown
/// @param end  of the run [s], > 0
double ChooseBaseStep(const Scene& scene, bool has_all_sizes, double end);

}  // namespace scree
