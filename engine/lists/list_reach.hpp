/// \file  How far the lists of candidates reach, so that they are good for some steps.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "engine/lists/drift_field.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/ranks/subdomains.hpp"
#include "engine/scene/scene.hpp"
#include "engine/scene/wall_motion.hpp"
#include "solvers/base/types.hpp"

namespace scree {

struct ListReach {
  ListReach() = default;
  ListReach(double pairs, double walls, DriftField common = {})
      : skin(pairs), wall_skin(walls), drift(std::move(common)) {}

  double skin = 0.0;       // of pairs, surface to surface [m]
  double wall_skin = 0.0;  // of particles and walls [m]
  DriftField drift;        // what particles near each other share; walls do not
};

/// What strain takes of the skin: a stretch and a drift what they close, and a shear brings centres
/// at a distance d nearer by at most half the strain times d (its least stretch by ε is √(1 + ε²/4)
/// − ε/2).
inline double LossOfStrain(const Domain& domain, const DriftField& drift, double elapsed,
                           double distance) {
  const double closing = std::max(-domain.stretch.minCoeff(), 0.0);
  return (0.5 * std::abs(domain.shear.rate) + closing + drift.closing) * elapsed * distance;
}

/// The automatic skin, in radii: most of one balances the rebuilds against the candidates in the
/// list.
inline constexpr double kSkinRadii = 0.8;
/// The longest for long steps, if the fastest go so far in them that lists live for a few only.
inline constexpr double kLongSkinRadii = 2.0;

/// What the reach has to cover at least.
struct ReachRequirements {
  double base = 0.0;        // in which time is counted [s]
  std::int64_t stride = 1;  // base steps of a step
  double skin = 0.0;        // of pairs [m]; < 0: automatic, by the mean radius
  bool is_long = false;     // as automatic steps are, so that new lists would often be due: a skin
                            // may be longer than usual, and the drift that of neighbourhoods
  double margin = 0.0;      // gaps that take part though nothing approaches [m]
  double largest_radius = 0.0;  // [m]
  double push = 0.0;            // that forces give in a step at most [m/s]; 0: the weight's alone
  bool on_any_ranks = false;    // the skin must not depend on the width of the subdomains

  double Length() const { return base * static_cast<double>(stride); }  // of a step [s]
};

/// The least, or more if something moves farther than half of it in a single step (in a sheared
/// domain: against the mean flow); the drift is the mean velocity of all particles, or that of
/// neighbourhoods where steps are long and lists live longer so. It is the same to the last bit on
/// any number of ranks, as is the mean radius. Collective.
/// @throws SimulationError on all ranks if that is too far for the subdomains
ListReach ReachFor(const Communicator& communicator, const Subdomains& subdomains,
                   const Scene& scene, const Particles& particles, std::int64_t step,
                   const ReachRequirements& least, FreeWallStates free_walls = {});

}  // namespace scree
