/// \file  How long the next step may be, where that is left to the program (time.step = auto).
///
/// Time is counted in base steps, and a step takes a number of them, its stride: so that moments
/// that a scene names are met exactly, ranks agree and restarts go on with the same bits. What
/// limits a stride, and by how much, is justified in engine/time_steps.md.
#pragma once

#include <cstdint>
#include <limits>

#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"
#include "engine/scene/step_parameters.hpp"
#include "engine/scene/wall_motion.hpp"
#include "engine/step/restart_point.hpp"

namespace scree {

/// What limits the steps of a scene.
struct PaceRule {
  bool is_automatic = false;                                 // else every step takes one base step
  double longest = std::numeric_limits<double>::infinity();  // whatever moves [s]
  double radius = 0.0;                                       // of the smallest particles [m]
  double travel = 0.0;         // of particles, but for a hundredth and those in free fall, and of
                               // walls [radii]
  double most_travel = 0.0;    // of all particles [radii]
  bool exempts_falls = false;  // these need no more than that
  double turn = 0.0;           // of clumps [rad]
  double overlap = 0.0;        // beyond which steps are halved [radii]
};

/// The longest step where the fastest particles and walls have this speed [s]; infinite without
/// any, unless something else limits it.
double LongestStep(const PaceRule& rule, double speed);

PaceRule MakePaceRule(const Scene& scene, const StepParameters& parameters,
                      const RadiusRange& radii);

/// The next step of a plan: as long as planned, but no longer than to the next moment that the
/// scene or the caller asks for; the steps on the way there are equally long.
/// @param base   [s]
/// @param step   base steps done
/// @param until  the caller's next moment, > step
std::int64_t StrideTo(const Scene& scene, double base, std::int64_t step, std::int64_t planned,
                      std::int64_t until);

/// Plans the step after this one. Collective, and equal on all ranks.
/// @param base     [s]
/// @param step     base steps done
/// @param deepest  greatest overlap of all ranks in the last step [m]
void Plan(const Communicator& communicator, const Scene& scene, const PaceRule& rule, double base,
          std::int64_t step, const Particles& particles, FreeWallStates free_walls, double deepest,
          StepPace& pace);

}  // namespace scree
