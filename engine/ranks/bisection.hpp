/// \file  Recursive coordinate bisection: subdomains of equal work for any number of ranks.
///
/// A box and its ranks are divided by a cut across its longest side, so that the work on both sides
/// is in the proportion of the ranks there, and so on (M. J. Berger, S. H. Bokhari, "A partitioning
/// strategy for nonuniform problems on multiprocessors", IEEE Trans. Comput. C-36 (1987) 570). Work
/// is counted in whole numbers, so that sums are the same on any ranks and all find the same cuts.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ranks/communicator.hpp"
#include "engine/ranks/subdomains.hpp"

namespace scree {

/// Work that the owner of `a` or of `b` does, whoever has the lower rank (contact_ownership).
struct WorkItem {
  Vec3 a, b;  // in the domain; the same for work on one particle [m]
  std::int64_t work = 0;
};

struct Bisection {
  Cuts cuts;
  double imbalance = 1.0;  // greatest over mean of the work that the boxes would have
};

/// Cuts the domain into boxes, one for each of so many ranks, which need not be there. The items of
/// all ranks that are there count. Collective.
/// @param least_width  no box is narrower, where the domain has room for that [m]
/// @param before       the cuts that there are: one across a side that is nearly the longest keeps
///                     its axis, so that less has to move; empty: none
Bisection Bisect(const Communicator& communicator, const Domain& domain, int boxes,
                 double least_width, std::vector<WorkItem> items, const std::vector<Cut>& before);

/// The work of each rank of these subdomains, which need not be there. Collective.
std::vector<std::int64_t> WorkOfBoxes(const Communicator& communicator,
                                      const Subdomains& subdomains,
                                      const std::vector<WorkItem>& items);

}  // namespace scree
