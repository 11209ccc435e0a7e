/// \file  Recursive coordinate bisection: subdomains of equal work for any number of ranks.
///
/// A cut across the longest side of a box divides the box and its ranks, so that the work on each
/// side is proportional to the number of ranks there. Both parts are divided in the same way (M. J.
/// Berger, S. H. Bokhari, "A partitioning strategy for nonuniform problems on multiprocessors",
/// IEEE Trans. Comput. C-36 (1987) 570). Work is an integer, so that sums do not depend on the
/// number of ranks and all ranks find the same cuts.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ranks/communicator.hpp"
#include "engine/ranks/subdomains.hpp"

namespace scree {

/// Work of a particle or a pair. The pair belongs to the lower rank of the two owners
/// (contact_ownership).
struct WorkItem {
  Vec3 a, b;              // positions in the domain; equal for work on one particle [m]
  std::int64_t work = 0;  // in any unit, ≥ 0
};

struct Bisection {
  Cuts cuts;
  double imbalance = 1.0;  // max over mean of the boxes' work
};

/// Cuts the domain into boxes for a run on `boxes` ranks, which may differ from the current number
/// of ranks. Uses the items of all current ranks. Collective.
/// @param min_width     minimum width of a box, if the domain is large enough [m]
/// @param current_cuts  empty: none. A new cut keeps the axis of the current one if the side along
///                      this axis is nearly the longest, so that fewer particles migrate
Bisection Bisect(const Communicator& communicator, const Domain& domain, int boxes,
                 double min_width, std::vector<WorkItem> items,
                 const std::vector<Cut>& current_cuts);

/// The work in each box of these subdomains, whose number may differ from the number of ranks.
/// Collective.
std::vector<std::int64_t> WorkOfBoxes(const Communicator& communicator,
                                      const Subdomains& subdomains,
                                      const std::vector<WorkItem>& items);

}  // namespace scree
