/// \file  Quantities of a scene that are known before it runs: counts, sizes, path lengths per
/// step.
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

/// The layers of a piston, or a rain.
struct InflowStatistics {
  std::string name;
  std::int64_t per_insertion = 0;  // particles inserted together; for rain an estimate
  std::int64_t interval = 0;       // steps between insertions
  std::int64_t particles = 0;      // in the whole run if there is space; for rain an estimate
  double mass = 0.0;               // mass of these particles, for a rain with a mass rate [kg]
  double layer_interval = 0.0;     // time in which a piston makes space for a layer [s]
};

/// A wall that a drive accelerates until it meets particles.
struct ClosingWall {
  std::string name;
  double drive = 0.0;  // driving force [N]
  double speed = 0.0;  // largest speed that it can reach [m/s]
};

struct SceneStatistics {
  std::int64_t steps = 0;          // of the whole run; base steps if steps are automatic
  double step = 0.0;               // length of a step; if automatic, the length at fall_speed [s]
  double longest_step = 0.0;       // longest automatic step, or the fixed step [s]
  std::int64_t particles = 0;      // at time zero
  std::int64_t max_particles = 0;  // upper bound at any time, see MaxParticles
  std::vector<InflowStatistics> inflows;
  double smallest_radius = 0.0;  // smallest radius of present and future particles [m]
  double smallest_ball = 0.0;    // RadiusRange::smallest_ball [m]
  double smallest_mass =
      0.0;  // mass of the lightest body at time zero; infinite without bodies [kg]
  double largest_radius = 0.0;  // largest radius of present and future particles [m]

  double speed = 0.0;       // of the fastest particle, wall or entering particle [m/s]
  double fall_speed = 0.0;  // largest speed after the longest free fall [m/s]
  std::vector<ClosingWall> closing_walls;
  double overlap = 0.0;       // largest overlap at time zero [m]
  double cell_inertia = 0.0;  // inertia M of a [cell] at time zero [kg m²]
  std::int64_t contacts = 0;  // active in the first step
  double step_seconds = 0.0;  // run time per step at time zero, on the ranks of the run [s]
  double full_seconds = 0.0;  // run time per step with max_particles in a dense packing [s]
  int timed_steps = 0;        // steps in the measurement of these run times

  int ranks = 1;
  std::string cuts = "1x1x1";  // how the domain is cut into one box per rank
  Vec3 box = Vec3::Zero();     // extent of a subdomain [m]
  std::int64_t min_on_rank = 0,
               max_on_rank = 0;  // fewest and most particles on a rank after a first step
  double imbalance = 1.0;        // largest over mean of the work counted in the first step

  std::int64_t snapshots = 0;
  double snapshot_bytes = 0.0;     // of one snapshot with max_particles
  double memory_bytes = 0.0;       // memory of all ranks with max_particles; excludes ghosts
  double max_bytes_of_rank = 0.0;  // memory of the fullest rank; includes its ghosts
};

/// Upper bound of the number of particles: all particles at time zero and all that enter, but no
/// more than a dense packing of the domain.
std::int64_t MaxParticles(const RunConfig& config, const SceneStatistics& statistics);

/// Measures the scene's first state and the time of several steps from it. Collective.
/// @param subdomains         those of this check, one per rank of `communicator`
/// @param subdomains_of_run  those of the run to estimate, one per rank of that run; they are
///        balanced first if the configuration says so
/// @throws InputError, SimulationError on all ranks if the scene cannot run
SceneStatistics MeasureScene(const Communicator& communicator, const RunConfig& config,
                             const Subdomains& subdomains, State state,
                             const Subdomains& subdomains_of_run);

}  // namespace scree
