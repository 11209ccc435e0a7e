/// \file  Recursive coordinate bisection: subdomains of equal work for any number of ranks.
///
/// A cut across the longest side of a box divides the box and its ranks, so that the work on each
/// side is proportional to the number of ranks there. Both parts are divided further in the same
/// way (M. J. Berger, S. H. Bokhari, "A partitioning strategy for nonuniform problems on
/// multiprocessors", IEEE Trans. Comput. C-36 (1987) 570). Work is counted in integers, so that
/// sums do not depend on the ranks and all ranks find the same cuts.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ranks/communicator.hpp"
#include "engine/ranks/subdomains.hpp"

namespace scree {

/// Work done by the owner of `a` or of `b`, the one with the lower rank (contact_ownership).
struct WorkItem {
  Vec3 a, b;  // positions in the domain; equal for work on one particle [m]
  std::int64_t work = 0;
};

struct Bisection {
  Cuts cuts;
  double imbalance = 1.0;  // max over mean of the boxes' work
};

/// Cuts the domain into boxes, one for each rank of a run on `boxes` ranks, which may differ from
/// the current number of ranks. Uses the items of all current ranks. Collective.
/// @param min_width  minimum width of a box, if the domain is large enough [m]
/// @param before       the current cuts. A cut across a side that is nearly the longest keeps its
///                     axis, so that fewer particles move. Empty: none
Bisection Bisect(const Communicator& communicator, const Domain& domain, int boxes,
                 double min_width, std::vector<WorkItem> items, const std::vector<Cut>& before);

/// The work in each box of these subdomains, whose number may differ from the number of ranks.
/// Collective.
std::vector<std::int64_t> WorkOfBoxes(const Communicator& communicator,
                                      const Subdomains& subdomains,
                                      const std::vector<WorkItem>& items);

}  // namespace scree
