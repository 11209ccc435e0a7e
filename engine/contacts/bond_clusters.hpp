/// \file  Clusters of bonded particles: connected components of the intact bonds, over all ranks.
///
/// The label of a cluster is the smallest id of its particles, so that neither labels nor sizes
/// depend on the ranks. A bond with a wall joins no particles. A particle without intact bonds is a
/// cluster by itself.
///
/// Each rank joins its particles along its bonds. Then the ranks lower the labels of shared
/// clusters until none changes, in one round per subdomain border on the path to the smallest id.
/// This is too slow for every step; use it for output.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/contacts/bond_table.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"

namespace scree {

/// One entry per owned particle. A removed particle has the label kRemovedId and the size 0.
struct BondClusters {
  std::vector<ParticleId> label;
  std::vector<std::int64_t> size;  // particles of the cluster on all ranks
  ClusterCounts counts;
};

/// Finds the clusters of this rank's particles. Collective.
/// @param home    bonds whose particle a this rank owns
/// @param guests  bonds of which this rank owns particle b, and another rank owns particle a; they
///                may be broken
BondClusters FindClusters(const Communicator& communicator, const Particles& particles,
                          std::span<const Bond> home, std::span<const Bond> guests);

}  // namespace scree
