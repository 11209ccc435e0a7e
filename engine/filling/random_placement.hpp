/// \file  Random positions at which spheres do not overlap, found by all ranks together. The
///        result is the same on any number of ranks, which share the work and the memory.
///
/// The method is random sequential addition, which jams at a solid fraction of 0.38 for spheres of
/// one size (J. Feder, Random sequential adsorption, J. Theor. Biol. 87, 1980). Classes of radii
/// are placed one after the other, the largest first. Rounds are repeated until all spheres of a
/// class are placed. In each round a sphere draws a position, uniform over the region, which also
/// selects a cell. If the position is occupied, the sphere tries other positions in this cell.
/// Cells are at least as wide as a diameter, so that spheres in a cell touch only spheres in
/// adjacent cells. The cells are coloured by the parity of their numbers along each axis (graph
/// colouring with 8 colours). Cells of one colour are not neighbours and are processed in parallel.
/// After each colour the ranks exchange the spheres that they placed next to other ranks' blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/filling/fill_blocks.hpp"
#include "engine/geometry/region.hpp"
#include "engine/particles/sphere_grid.hpp"
#include "engine/ranks/communicator.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// Whether a sphere may be placed here. Overlaps with spheres that RandomPlacement has placed are
/// not tested.
using IsFree = std::function<bool(const Vec3& position, double radius)>;

/// A sphere that has no position yet.
struct UnplacedSphere {
  std::int64_t number = 0;  // of the sphere in its fill
  double radius = 0.0;      // [m]
  std::int32_t part = 0;    // of the mixture
};

struct FoundPosition {
  UnplacedSphere sphere;
  Vec3 position = Vec3::Zero();  // of the centre [m]
};

/// Properties of all spheres of a fill.
struct SphereSizes {
  std::int64_t count = 0;
  double smallest = 0.0, largest = 0.0;  // radius [m]
};

class RandomPlacement {
 public:
  /// @param region   large enough for the largest sphere
  /// @param seed, first_id  determine the trial positions; sphere k is particle first_id + k
  RandomPlacement(const Communicator& communicator, const Region& region, const SphereSizes& sizes,
                  std::uint64_t seed, ParticleId first_id);

  /// The cells and their division among the ranks.
  const FillBlocks& Cells() const { return cells_; }

  /// Adds a sphere. Every rank must call this with every sphere. Only the owner of the sphere's
  /// first cell stores it.
  void AddSphere(const UnplacedSphere& sphere);

  /// Collective. @returns the spheres placed in cells of this rank
  /// @throws InputError on all ranks, with the number placed so far, if less than one trial in
  ///         10 000 is successful
  std::vector<FoundPosition> Find(const IsFree& is_free);

 private:
  /// A sphere and the cell in which it tries positions in this round.
  struct PlacementCandidate {
    UnplacedSphere sphere;
    Vec3 position = Vec3::Zero();  // first trial position
    FillBlocks::Unit cell = {};
    int colour = 0;
  };

  PlacementCandidate CandidateOf(const UnplacedSphere& sphere, int round) const;
  std::vector<UnplacedSphere> PlaceCandidates(std::vector<PlacementCandidate>& candidates,
                                              int round, const IsFree& is_free);
  bool TryPlace(const PlacementCandidate& candidate, int round, const IsFree& is_free);
  void SendPlaced(std::size_t first);
  std::vector<PlacementCandidate> SendToCells(const std::vector<UnplacedSphere>& unplaced,
                                              int round) const;
  bool IsInOwnCell(const PlacementCandidate& candidate) const;
  void RequireSuccess();

  const Communicator& communicator_;
  const Region& region_;
  SphereSizes sizes_;
  std::uint64_t seed_;
  ParticleId first_id_;
  Box bounds_;
  bool is_box_;
  FillBlocks cells_;
  SphereGrid placed_;                                     // in and around the cells of this rank
  std::vector<std::vector<PlacementCandidate>> classes_;  // of radii, the largest first
  std::vector<FoundPosition> found_;

  struct Trials {
    std::int64_t attempted = 0, successful = 0;
  };
  Trials trials_;  // on this rank since the last check of success
};

}  // namespace scree
