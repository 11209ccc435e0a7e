/// \file  Reach of the candidate lists, chosen so that a list is valid for several steps.
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
  DriftField drift;        // common velocity of neighbouring particles; not used for walls
};

/// Part of the skin that strain uses up if two centres are at the distance d. A stretch or a drift
/// uses up the length by which it shortens this distance. A shear brings the centres closer by at
/// most half the strain times d, because the smallest stretch at the strain ε is √(1 + ε²/4) − ε/2.
inline double LossOfStrain(const Domain& domain, const DriftField& drift, double elapsed,
                           double distance) {
  const double closing = std::max(-domain.stretch.minCoeff(), 0.0);
  return (0.5 * std::abs(domain.shear.rate) + closing + drift.closing) * elapsed * distance;
}

/// The automatic skin in radii. A skin close to one radius balances the cost of rebuilding lists
/// against the number of candidates.
inline constexpr double kSkinRadii = 0.8;
/// Largest skin for long steps, where the fastest particles would make lists short-lived.
inline constexpr double kLongSkinRadii = 2.0;

/// Minimum requirements on the reach.
struct ReachRequirements {
  double base = 0.0;        // length of a base step [s]
  std::int64_t stride = 1;  // number of base steps in a step
  double skin = 0.0;        // of pairs [m]; < 0: automatic, from the mean radius
  bool is_long = false;  // automatic steps, which would rebuild lists often: allows a longer skin
                         // and a local drift
  double margin = 0.0;   // gaps that are active even without approach [m]
  double largest_radius = 0.0;  // [m]
  double max_kick = 0.0;      // maximum velocity change by forces in a step [m/s]; 0: weight alone
  bool on_any_ranks = false;  // the skin must not depend on the width of subdomains

  /// Length of a step [s].
  double Length() const { return base * static_cast<double>(stride); }
};

/// Finds the reach: the minimum, or more if a particle moves farther than half of it in a single
/// step (in a sheared domain relative to the mean flow). The drift is the mean velocity of all
/// particles, or a local mean if steps are long and lists then last longer. Reach and mean radius
/// have the same bits on any number of ranks. Collective.
/// @throws SimulationError on all ranks if the reach is too large for the subdomains
ListReach ReachFor(const Communicator& communicator, const Subdomains& subdomains,
                   const Scene& scene, const Particles& particles, std::int64_t step,
                   const ReachRequirements& required, FreeWallStates free_walls = {});

}  // namespace scree
