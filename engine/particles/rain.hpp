/// \file  Particles that appear at random places, at a given rate, where there is room.
///
/// At each shower, some steps apart, as many grains are let in as bring the amount nearest to rate
/// x time. They come in the order of their ids, each at the first of its trial places where it
/// overlaps nothing on any rank; one that finds none waits for the next shower, and those after it
/// too, so that sizes and materials keep their shares. Places follow from seed, id and step, so
/// they do not depend on the ranks.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/particles/grains.hpp"
#include "engine/particles/particles.hpp"
#include "engine/scene/scene.hpp"
#include "engine/scene/wall_motion.hpp"

namespace scree {

/// How far a rain has come; the same on all ranks.
struct RainState {
  std::int64_t made = 0;            // particles so far
  std::vector<double> masses = {};  // of them by the parts of the mixture [kg]
  bool waits = false;               // in the last shower one found no place

  double Mass() const;  // [kg]
  friend bool operator==(const RainState&, const RainState&) = default;
};

/// What has come so far, as the rate of the rain counts it.
double AmountSoFar(const Rain& rain, const RainState& state);

/// What should have come after this many steps.
double AmountDue(const Rain& rain, double dt, std::int64_t steps_done);

/// Steps from one shower to the next: `every` if given, else those in which the grains move a
/// quarter of the largest radius on their way, so that the next ones find room.
std::int64_t StepsPerShower(const Scene& scene, const Rain& rain, double dt);

/// Whether particles may appear at the end of this step.
/// @param stride  it took so many of length dt
bool ShowerIsDue(const Scene& scene, const Rain& rain, double dt, std::int64_t steps_done,
                 std::int64_t stride = 1);

/// The first step after this one at which a rain begins or ends, or a shower is due whose time the
/// scene gives; kNoEvent: none.
std::int64_t NextRainEvent(const Scene& scene, double dt, std::int64_t step);

/// Makes each number the greatest over all ranks. Collective.
using MaxOverRanks = std::function<void(std::span<std::int64_t>)>;

/// A shower, and where it falls.
struct RainEvent {
  const Scene& scene;
  std::size_t rain;  // number in the scene
  double dt;
  std::int64_t step;    // steps done
  ParticleId first_id;  // see StreamId
  const OwnsPlace& owns;
  const MaxOverRanks& over_ranks;
  FreeWallStates free_walls = {};
};

/// Lets in what is due now. Collective.
/// @pre the state has a mass for each part of the mixture, one if it is none
/// @param present   particles of this rank, of which the owned ones count
/// @param entering  those let in by this rank just now, to which it adds
void InsertRain(const RainEvent& shower, const Particles& present, RainState& state,
                Particles& entering);

}  // namespace scree
