/// \file  Places for spheres at random, none overlapping another, found by all ranks together: the
///        same on any number of them, and none holds more than its share.
///
/// Random sequential addition, which comes to an end at a solid fraction of 0.38 for spheres of one
/// size (J. Feder, Random sequential adsorption, J. Theor. Biol. 87, 1980), the largest first: one
/// class of radii after the other, and in it one round after the other until all have a place. In a
/// round each sphere draws a place, uniform over the region, and with it the cell in which it
/// seeks; if that place is taken it tries others there. Cells are at least as wide as a diameter,
/// so what is in one touches only what is in the cells around it. They are coloured (graph
/// colouring with 8 colours, by the parity of their number along each axis): those of a colour are
/// no neighbours and seek at once; between colours the ranks tell each other what was found beside
/// their blocks.
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

/// Whether a sphere may be here, as far as others than those placed are concerned.
using IsFree = std::function<bool(const Vec3& place, double radius)>;

/// One that seeks a place.
struct UnplacedSphere {
  std::int64_t number = 0;  // of the sphere in its fill
  double radius = 0.0;      // [m]
  std::int32_t part = 0;    // of the mixture; travels with it
};

struct FoundPlace {
  UnplacedSphere sphere;
  Vec3 place = Vec3::Zero();  // of the centre [m]
};

/// What is known of the spheres of a fill beforehand.
struct SphereSizes {
  std::int64_t count = 0;
  double smallest = 0.0, largest = 0.0;  // radius [m]
};

class RandomPlacement {
 public:
  /// @param region   has room for the largest
  /// @param seed, first_id  sphere k is particle first_id + k: its places follow from these two
  RandomPlacement(const Communicator& communicator, const Region& region, const SphereSizes& sizes,
                  std::uint64_t seed, ParticleId first_id);

  /// The cells, and which rank has which.
  const FillBlocks& Cells() const { return cells_; }

  /// Each sphere, on every rank; only that whose cell it begins in keeps it.
  void Offer(const UnplacedSphere& sphere);

  /// Collective. @returns the spheres that found their places in cells of this rank
  /// @throws InputError on all ranks, saying how far they got, if less than a trial in 10 000 still
  ///         finds a place
  std::vector<FoundPlace> Find(const IsFree& is_free);

 private:
  /// A sphere in the cell where it seeks in a round.
  struct PlacementCandidate {
    UnplacedSphere sphere;
    Vec3 place = Vec3::Zero();  // where it begins
    FillBlocks::Unit cell = {};
    int colour = 0;
  };

  PlacementCandidate GuestIn(const UnplacedSphere& sphere, int round) const;
  std::vector<UnplacedSphere> PlaceCandidates(std::vector<PlacementCandidate>& guests, int round,
                                              const IsFree& is_free);
  bool TryPlace(const PlacementCandidate& guest, int round, const IsFree& is_free);
  void SendPlaced(std::size_t first);
  std::vector<PlacementCandidate> SendOn(const std::vector<UnplacedSphere>& seekers,
                                         int round) const;
  bool IsMine(const PlacementCandidate& guest) const;
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
  std::vector<FoundPlace> found_;

  struct Trials {
    std::int64_t made = 0, successful = 0;
  };
  Trials trials_;  // of this rank since success was last demanded
};

}  // namespace scree
