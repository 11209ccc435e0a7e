/// \file  Counts the particles that cross a plane, in every step.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

struct PositionCorrections;

/// A plane through the whole domain.
struct FlowPlane {
  Vec3 point = Vec3::Zero();    // [m]
  Vec3 normal = Vec3::UnitX();  // unit length; parallel or perpendicular to periodic axes
};

/// Crossings of one rank's particles, or of all particles after SumOverRanks.
struct FlowSums {
  std::int64_t steps = 0;
  std::int64_t particles_forward = 0;   // crossings along the normal
  std::int64_t particles_backward = 0;  // crossings against the normal
  double mass_forward = 0.0;            // [kg]
  double mass_backward = 0.0;           // [kg]
};

/// One entry per row of the time series, or a single entry if none is requested. The last row may
/// have fewer steps.
using FlowSeries = std::vector<FlowSums>;

/// Adds the crossings of the step that has just moved the owned particles, each by dt v and its
/// correction. Call it before particles are removed or inserted: otherwise removed particles would
/// be missing, and new particles would seem to have moved in this step. The old position has a
/// rounding error. A particle whose centre is closer to the plane than this error may be counted
/// twice or not at all.
/// @param dt      length of the step [s]
/// @param stride  number of base steps that the step took
/// @param time    after the step, for the images of a sheared domain [s]
void AddCrossings(const FlowPlane& plane, const Scene& scene, double dt, const Particles& particles,
                  const PositionCorrections& corrections, FlowSums& sums, double time = 0.0,
                  std::int64_t stride = 1);

/// The sums of all ranks, on every rank. Collective.
FlowSums SumOverRanks(const Communicator& communicator, FlowSums sums);
FlowSeries SumOverRanks(const Communicator& communicator, FlowSeries series);

}  // namespace scree
