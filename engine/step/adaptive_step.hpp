/// \file  Chooses the length of the next step if the program controls it (time.step = auto).
///
/// Time is counted in base steps. The stride of a step is its length in base steps, an integer.
/// Steps therefore end exactly at the times given in a scene, ranks agree, and restarts continue
/// with the same bits. engine/time_steps.md justifies the limits of the stride.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "engine/contacts/body_kick.hpp"
#include "engine/contacts/detected_contact.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"
#include "engine/scene/step_parameters.hpp"
#include "engine/scene/wall_motion.hpp"
#include "engine/step/radius_range.hpp"
#include "engine/step/restart_point.hpp"
#include "engine/step/table_times.hpp"
#include "solvers/batches/contact_batches.hpp"

namespace scree {

/// The longest step that a part of the scene allows.
struct StepLimit {
  double step = std::numeric_limits<double>::infinity();  // [s]
  const char* cause = "";  // for messages: "cohesion and adhesion allow"
};

struct StepLimits {
  bool is_automatic = false;      // false: each step is one base step
  double base = 0.0;              // base step [s]
  StepLimit without_joints = {};  // limit in any state, except by drives and springs of joints
  StepLimit at_start = {};        // limit with the joints in their positions at time zero
  double fall = std::numeric_limits<double>::infinity();  // sqrt(r/g): time to fall by r/2 [s]
  double radius = 0.0;                                    // r of the smallest particles [m]
  double travel = 0.0;         // max path of walls, and of most particles, in a step [radii]
  std::int64_t exempt = 1;     // one particle in this number may exceed `travel`
  double max_travel = 0.0;     // max path of any particle in a step [radii]
  bool exempts_falls = false;  // max_travel is the only limit for particles in free fall
  double load = 0.0;  // max dt² F / (m r) of a normal force F; half of the forces may exceed it
  double rotation = 0.0;  // max rotation of most clumps in a step [rad]
  double overlap = 0.0;   // steps get shorter if more than 0.1 % of the contacts exceed it [radii]
  double max_overlap = 0.0;  // steps get shorter if any contact exceeds it [radii]
  double swing_scale = 1.0;  // for springs: accuracy over its default, at most 1
  // Max displacement of each joint by its drive in a step, from rest [m] or [rad].
  std::vector<double> joint_paths = {};
  std::vector<TableTimes> tables = {};  // times at which steps end
};

/// The longest step if the fastest particles and walls have this speed, and joints their positions
/// at time zero [s]; at speed 0, limits.at_start.
double LongestStep(const StepLimits& limits, double speed);

/// Number of sweeps in a step of length dt: `sweeps`, or up to twice as many if an automatic step
/// is so long that forces change much in it.
int SweepsOf(const StepLimits& limits, int sweeps, double dt);

/// The expected maximum of the rates of the scene's cell [1/s]: the largest given rate or max_rate,
/// whichever is larger. If max_rate is not given, half its default is used.
/// @param radius  of the smallest particles [m]
double CellRateScale(const Scene& scene, double radius);

/// The limits for particles of these radii. is_automatic is true if parameters.accuracy > 0.
StepLimits MakeStepLimits(const Scene& scene, const StepParameters& parameters,
                          const RadiusRange& radii);

/// Limits of the steps for the smallest particle that the scene creates. is_automatic is false if
/// it creates none.
StepLimits StepLimitsOfScene(const Scene& scene, double accuracy);

/// The stride of the next step: as planned, or shorter, so that a step ends at the next time that
/// the scene or the caller requires. The steps until that time have nearly equal lengths.
/// @param step     base steps done
/// @param planned  planned stride, in base steps
/// @param until    the next time that the caller requires, in base steps, > step
std::int64_t StrideTo(const Scene& scene, const StepLimits& limits, std::int64_t step,
                      std::int64_t planned, std::int64_t until);

/// The longest step for the normal forces F of the contacts [s]; 0 if no contact carries a force.
/// For half of the contacts it is short compared with the time in which F would move the lighter
/// body by a radius. Collective, and equal on all ranks.
/// @param contacts        each contact on one rank; the batches have the same order
/// @param inverse_masses  of all bodies [1/kg]
/// @param dt              length of the solved step [s]
double ForceStepLimit(const Communicator& communicator, const StepLimits& limits,
                      const ContactSpan& contacts, const ContactBatches& batches,
                      std::span<const double> inverse_masses, double dt);
/// ForceStepLimit is evaluated once in this number of steps.
inline constexpr std::int64_t kForceLimitInterval = 8;

/// Whether overlaps may shorten the next step: only some steps after the last change of
/// AdaptiveStepState::ceiling.
bool CanShorten(const AdaptiveStepState& adaptive);

/// Whether contacts overlap so much that steps have to get shorter. Collective, and equal on all
/// ranks.
/// @param contacts  each contact on one rank
/// @param ordered   numbers of contacts whose overlaps do not count (ImpactOrder::Ordered)
/// @param deepest   largest overlap that counts, over all ranks [m]
bool AreOverlapsTooLarge(const Communicator& communicator, const StepLimits& limits,
                         const ContactSpan& contacts, std::span<const Index> ordered,
                         double deepest);

/// The longest next step that the present state, the scene and the last contact forces allow [s].
/// Collective, and equal on all ranks.
/// @param step  base steps done
/// @throws SimulationError on all ranks if it is less than a base step
double AllowedStep(const Communicator& communicator, const Scene& scene, const StepLimits& limits,
                   std::int64_t step, const Particles& particles, FreeWallStates free_walls,
                   const AdaptiveStepState& adaptive);

/// The longest step in which the caller's forces move bodies at rest by no more than the travel
/// limit [s]; infinite without forces. Collective, and equal on all ranks.
/// @throws SimulationError on all ranks if it is less than a base step
double StepUnderForces(const Communicator& communicator, const Scene& scene,
                       const StepLimits& limits, const Particles& particles,
                       const BodyForces& forces);

/// The planned stride for a step of at most this length.
std::int64_t StrideOf(const StepLimits& limits, double dt);

/// Plans the stride of the step after this one.
/// @param allowed             result of AllowedStep [s]
/// @param has_large_overlaps  whether contacts of the last step overlap too much
void PlanStride(const StepLimits& limits, double allowed, bool has_large_overlaps,
                AdaptiveStepState& adaptive);

}  // namespace scree
