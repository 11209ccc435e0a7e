/// \file  How long the next step may be, where that is left to the program (time.step = auto).
///
/// Time is counted in base steps, and a step takes a number of them, its stride: so that moments
/// that a scene names are met exactly, ranks agree and restarts go on with the same bits. What
/// limits a stride, and by how much, is justified in engine/time_steps.md.
#pragma once

#include <cstdint>
#include <limits>

#include "engine/contacts/body_kick.hpp"
#include "engine/contacts/detected_contact.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"
#include "engine/scene/step_parameters.hpp"
#include "engine/scene/wall_motion.hpp"
#include "engine/step/radius_range.hpp"
#include "engine/step/restart_point.hpp"
#include "solvers/batches/contact_batches.hpp"

namespace scree {

/// What limits the steps of a scene.
struct StepLimits {
  bool is_automatic = false;                                 // else every step takes one base step
  double base = 0.0;                                         // length of that [s]
  double longest = std::numeric_limits<double>::infinity();  // whatever moves [s]
  double fall = std::numeric_limits<double>::infinity();  // sqrt(r/g): half a radius is fallen [s]
  double radius = 0.0;                                    // r, of the smallest particles [m]
  double travel = 0.0;         // of walls, and particles but the exempt [radii]
  std::int64_t exempt = 1;     // one in so many, at most
  double most_travel = 0.0;    // of any particle [radii]
  bool exempts_falls = false;  // particles in free fall have that limit alone
  double load = 0.0;           // dt² F / (m r) of half of the loads F
  double turn = 0.0;           // of clumps [rad]
  double overlap = 0.0;       // of contacts but for a thousandth: beyond, steps get shorter [radii]
  double most_overlap = 0.0;  // of any contact, whatever the accuracy [radii]
  const char* limited_by = "";  // the scene's cause of `longest`, as "cohesion and adhesion allow"
};

/// The longest step where the fastest particles and walls have this speed [s]; infinite without
/// any, unless something else limits it.
double LongestStep(const StepLimits& rule, double speed);

/// Sweeps of a step of this length: those given, and up to as many again where it is automatic and
/// so long that loads change much in it.
int SweepsOf(const StepLimits& rule, int given, double dt);

/// What no rate of the scene's cell is expected to be much beyond [1/s]: the greatest that is
/// given, max_rate, or the usual one of its stresses (kDefaultRate).
/// @param radius  of grains [m]
double CellRateScale(const Scene& scene, double radius);

StepLimits MakePaceRule(const Scene& scene, const StepParameters& parameters,
                        const RadiusRange& radii);

/// Limits of the steps for the smallest particle that the scene creates; none if it creates none.
StepLimits StepLimitsOfScene(const Scene& scene, double accuracy);

/// The next step of a plan: as long as planned, but no longer than to the next moment that the
/// scene or the caller asks for; the steps on the way there are equally long.
/// @param base   [s]
/// @param step   base steps done
/// @param until  the caller's next moment, > step
std::int64_t StrideTo(const Scene& scene, double base, std::int64_t step, std::int64_t planned,
                      std::int64_t until);

/// The longest step for the loads F of the contacts [s]: the time in which one would move the
/// lighter of its bodies by a radius is long against it, for half of them. Collective, and equal on
/// all ranks. 0: there are none.
/// @param contacts        every one on one rank, with batches in this order
/// @param inverse_masses  of all bodies [1/kg]
/// @param dt              length of the step that has solved them [s]
double ForceStepLimit(const Communicator& communicator, const StepLimits& rule,
                      const ContactSpan& contacts, const ContactBatches& batches,
                      std::span<const double> inverse_masses, double dt);
/// In steps, how often that is asked.
inline constexpr std::int64_t kLoadsEvery = 8;

/// Whether overlaps may shorten the step that is planned next: not before earlier changes show.
bool CanShorten(const AdaptiveStepState& pace);

/// Whether contacts overlap so much that steps have to get shorter. Collective, and equal on all
/// ranks.
/// @param contacts  every one on one rank
/// @param deepest   greatest overlap of all ranks [m]
bool AreOverlapsTooLarge(const Communicator& communicator, const StepLimits& rule,
                         const ContactSpan& contacts, double deepest);

/// What the present state, the scene and the last loads allow for the next step [s]. Collective,
/// and equal on all ranks.
/// @param step  base steps done
/// @throws SimulationError on all ranks if that is less than a base step
double StepAllowed(const Communicator& communicator, const Scene& scene, const StepLimits& rule,
                   std::int64_t step, const Particles& particles, FreeWallStates free_walls,
                   const AdaptiveStepState& pace);

/// In which forces of the caller's take bodies no farther from rest than they may go in a step [s];
/// infinite without any. Collective, and equal on all ranks.
/// @throws SimulationError on all ranks if that is less than a base step
double StepUnderForces(const Communicator& communicator, const Scene& scene, const StepLimits& rule,
                       const Particles& particles, const BodyForces& given);

/// The greatest number of base steps that is planned for a step of up to this length.
std::int64_t StrideOf(const StepLimits& rule, double dt);

/// Plans the step after this one.
/// @param allowed       as StepAllowed [s]
/// @param are_too_deep  contacts of the last step
void Plan(const StepLimits& rule, double allowed, bool are_too_deep, AdaptiveStepState& pace);

}  // namespace scree
