/// \file  Particles inserted at random free positions at a given rate.
///
/// A rain event takes place every few steps. It inserts the number of particles that brings the
/// total amount nearest to rate × time, in the order of their ids. Each particle takes the first of
/// its trial positions where it overlaps nothing on any rank. A particle without a free position
/// waits for the next rain event. All later particles wait too, so that the fractions of sizes and
/// materials stay correct. Positions are functions of seed, id and step and do not depend on the
/// number of ranks.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/particles/grains.hpp"
#include "engine/particles/particles.hpp"
#include "engine/scene/scene.hpp"
#include "engine/scene/wall_motion.hpp"

namespace scree {

/// Progress of a rain, the same on all ranks.
struct RainState {
  std::int64_t inserted = 0;        // number of particles inserted so far
  std::vector<double> masses = {};  // their total mass, one entry per part of the mixture [kg]
  bool is_waiting = false;          // whether a particle found no position in the last rain event

  double Mass() const;  // [kg]
  friend bool operator==(const RainState&, const RainState&) = default;
};

/// Amount inserted so far: a number of particles if the rain counts them, otherwise a mass [kg].
double AmountSoFar(const Rain& rain, const RainState& state);

/// Amount due after this many steps, a number or a mass [kg] as in AmountSoFar.
double AmountDue(const Rain& rain, double dt, std::int64_t steps_done);

/// Steps between rain events: the `interval` of the rain or, if it has none, the time in which
/// particles move by a quarter of the largest radius and free space for the next ones, but at most
/// Rain::max_steps. Without weight and velocity it is the time in which one particle is due.
std::int64_t StepsPerRainEvent(const Scene& scene, const Rain& rain, double dt);

/// Whether particles may be inserted at the end of this step.
/// @param stride  number of steps of length dt that this step combines
bool IsRainDue(const Scene& scene, const Rain& rain, double dt, std::int64_t steps_done,
               std::int64_t stride = 1);

/// The next step at which a rain starts or ends, or at which a rain with a prescribed interval is
/// due; kNoEvent: none.
std::int64_t NextRainEvent(const Scene& scene, double dt, std::int64_t step);

/// Replaces each number by its maximum over all ranks. Collective.
using MaxOverRanks = std::function<void(std::span<std::int64_t>)>;

struct RainEvent {
  const Scene& scene;
  std::size_t rain;  // index in the scene
  double dt;
  std::int64_t step;    // steps done
  ParticleId first_id;  // see StreamId
  const OwnsPosition& owns;
  const MaxOverRanks& max_over_ranks;
  FreeWallStates free_walls = {};
};

/// Inserts the particles that are due now, and updates the state of the rain. Collective.
/// @pre the state has one mass per part of the mixture or, if there is no mixture, a single one
/// @param present   particles of this rank before this step's insertions; ghosts are ignored
/// @param entering  this rank's particles that pistons and other rains insert in this step; the new
///                  ones are appended
void InsertRain(const RainEvent& event, const Particles& present, RainState& state,
                Particles& entering);

}  // namespace scree
