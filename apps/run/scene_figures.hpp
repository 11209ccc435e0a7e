/// \file  Quantities of a scene that are known before it runs: counts, sizes, displacements per
///        step.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/ranks/communicator.hpp"
#include "engine/ranks/subdomains.hpp"
#include "engine/step/time_step.hpp"
#include "io/scene/run_config.hpp"

namespace scree {

/// Of a piston's layers or a rain.
struct InflowFigures {
  std::string name;
  std::int64_t at_once = 0;    // particles that come together, of rain about
  std::int64_t every = 0;      // steps from then to the next
  std::int64_t particles = 0;  // in the whole run, if all find room; of rain about
  double mass = 0.0;           // the same, of a rain by mass [kg]
  double layer = 0.0;          // of a piston: time in which it makes room for the next [s]
};

/// A wall that a drive accelerates until it meets particles.
struct ClosingWall {
  std::string name;
  double drive = 0.0;  // [N]
  double speed = 0.0;  // that it can come to [m/s]
};

struct SceneFigures {
  std::int64_t steps = 0;           // of the whole run; base steps, if they are automatic
  double step = 0.0;                // their length; of automatic ones: at fall_speed [s]
  double longest_step = 0.0;        // however slowly all moves [s]
  std::int64_t particles = 0;       // at time zero
  std::int64_t most_particles = 0;  // upper bound at any time, see MaxParticles
  std::vector<InflowFigures> inflows;
  double smallest_radius = 0.0;  // of all particles that there are or will be [m]
  double lightest = 0.0;         // body among those at time zero; infinite without them [kg]
  double largest_radius = 0.0;   // the same [m]

  double speed = 0.0;       // of the fastest particle, wall or entering particle [m/s]
  double fall_speed = 0.0;  // the same after the longest free fall [m/s]
  std::vector<ClosingWall> closing;
  double overlap = 0.0;       // largest at time zero [m]
  double cell_inertia = 0.0;  // M of a [cell] at time zero [kg m²]
  std::int64_t contacts = 0;  // that are active in the first step
  double step_seconds = 0.0;  // that a step takes at first, on the ranks that the figures are for
  double full_seconds = 0.0;  // the same of one with most_particles, densely packed
  int timed_steps = 0;        // that this was measured with

  int ranks = 1;
  std::string cuts = "1x1x1";         // of the domain, a box for each rank
  Vec3 box = Vec3::Zero();            // extent of a subdomain [m]
  std::int64_t fewest = 0, most = 0;  // particles of a rank after a first step
  double imbalance = 1.0;             // largest over mean of the work counted in it

  std::int64_t snapshots = 0;
  double snapshot_bytes = 0.0;  // of one with most_particles
  double memory_bytes = 0.0;    // of all ranks with most_particles, without ghosts
  double fullest_bytes = 0.0;   // of the fullest of them, with its ghosts
};

/// The most particles that there can be: those at time zero and all that enter, but no more than
/// the domain can hold densely packed.
std::int64_t MaxParticles(const RunConfig& config, const SceneFigures& figures);

/// Measures the scene's first state; some steps are tried on a copy of it. Collective.
/// @param begins  the subdomains that the figures are for, one per rank, which need not be there;
///                they follow the work if the configuration requires it
/// @throws InputError, SimulationError on all ranks if the scene cannot run
SceneFigures MeasureScene(const Communicator& communicator, const RunConfig& config,
                          const Subdomains& subdomains, State state, const Subdomains& begins);

}  // namespace scree
