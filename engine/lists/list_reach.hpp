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
  ListReach(double pair_skin, double skin_at_walls, DriftField common_drift = {})
      : skin(pair_skin), wall_skin(skin_at_walls), drift(std::move(common_drift)) {}

  double skin = 0.0;       // of pairs, surface to surface [m]
  double wall_skin = 0.0;  // of particles and walls [m]
  DriftField drift;        // common velocity of neighbouring particles; not used for walls
};

/// Upper bound of the length by which the strain of the domain and the drift bring two centres
/// closer [m]. A shear strain ε brings them closer by at most ε/2 times their distance, because the
/// smallest stretch is √(1 + ε²/4) − ε/2.
/// @param distance  of the centres [m]
inline double StrainLoss(const Domain& domain, const DriftField& drift, double elapsed,
                         double distance) {
  const double closing = std::max(-domain.stretch.minCoeff(), 0.0);
  return (0.5 * std::abs(domain.shear.rate) + closing + drift.closing_rate) * elapsed * distance;
}

/// The automatic skin in mean radii. It balances the cost of rebuilding lists against the number of
/// candidates.
inline constexpr double kSkinRadii = 0.8;
/// Largest automatic skin for long steps, in mean radii. In long steps particles move far, so that
/// lists with a skin of kSkinRadii would soon be invalid.
inline constexpr double kLongSkinRadii = 2.0;

/// Requirements of a step on the reach.
struct ReachRequirements {
  double base = 0.0;            // length of a base step [s]
  std::int64_t stride = 1;      // number of base steps in a step
  double skin = 0.0;            // of pairs [m]; < 0: automatic, from the mean radius
  bool has_long_steps = false;  // automatic steps; allows a longer skin and a local drift
  double margin = 0.0;          // largest gap of contacts that are active even without approach [m]
  double largest_radius = 0.0;  // [m]
  double max_kick = 0.0;  // maximum velocity change by forces in a step [m/s]; 0: weight alone
  bool is_rank_independent = false;  // the skin must not depend on the subdomains

  /// Length of a step [s].
  double Length() const { return base * static_cast<double>(stride); }
};

/// Finds the reach. The skin is the required or the automatic one, or longer if a particle moves
/// farther than half of it in a single step, relative to the drift and the mean flow.
/// The drift is the mean velocity of all particles, or a local mean if steps are long and lists
/// last longer with it. The bits depend on the number of ranks only with long steps and without
/// is_rank_independent. Collective.
/// @throws SimulationError on all ranks if the reach is too large for the subdomains
ListReach FindReach(const Communicator& communicator, const Subdomains& subdomains,
                    const Scene& scene, const Particles& particles, std::int64_t step,
                    const ReachRequirements& required, FreeWallStates free_walls = {});

}  // namespace scree
