/// \file  The base step in which the time of a run with automatic steps is counted.
#pragma once

#include "engine/scene/scene.hpp"

namespace scree {

/// A decimal power of a second, so that the times that people write are whole numbers of it, which
/// follows the scene's own times: 1 ns for grains of millimetres under their weight. Steps are
/// thousands of it. It is at most a millionth of the run and no less than 1e-11 of it, so that the
/// count has 12 digits; that also serves where no time of the scene is known.
/// @param knows_sizes  of all particles; else there are others than those that the scene makes
/// @param end          of the run [s], > 0
double BaseStepOf(const Scene& scene, bool knows_sizes, double end);

}  // namespace scree
