/// \file  What crosses a plane, counted at every step.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// A plane through the whole domain.
struct FlowPlane {
  Vec3 point = Vec3::Zero();    // [m]
  Vec3 normal = Vec3::UnitX();  // unit length; along or across each periodic axis
};

/// What one rank's particles did, or those of all after SumOverRanks: plain data.
struct FlowSums {
  std::int64_t steps = 0;
  std::int64_t particles_forward = 0;   // crossings along the normal
  std::int64_t particles_backward = 0;  // and against it
  double mass_forward = 0.0;            // [kg]
  double mass_backward = 0.0;           // [kg]
};

/// Of each row of a time series; a single one without. The last may have had fewer steps.
using FlowSeries = std::vector<FlowSums>;

/// Adds the crossings of the step that has just moved the owned particles, each by dt v. To be
/// called before any of them is removed or appears, as otherwise those that leave in this step
/// would be missing and new ones would seem to have come from behind their place.
///
/// The place before is x − dt v, which differs from the true one by rounding: a particle whose
/// centre was that close to the plane may be counted once too often or too little.
/// @param dt      length of the step [s]   @param stride  which counts as so many
/// @param time  after the step: where the images of a sheared domain are [s]
void AddCrossings(const FlowPlane& plane, const Scene& scene, double dt, const Particles& particles,
                  FlowSums& sums, double time = 0.0, std::int64_t stride = 1);

/// The sums of all ranks, on every rank. Collective.
FlowSums SumOverRanks(const Communicator& communicator, FlowSums sums);
FlowSeries SumOverRanks(const Communicator& communicator, FlowSeries series);

}  // namespace scree
