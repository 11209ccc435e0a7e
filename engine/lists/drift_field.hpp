/// \file  The velocity that particles near each other share: motion that lists of candidates need
///        not count.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/geometry/box.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// So many of them are few bytes for a message.
inline constexpr double kMaxBlocks = 2048.0;

/// Linear between the centres of equal blocks of the domain, constant beyond those at its ends,
/// periodic where the domain is; the mean everywhere if there are no blocks.
struct DriftField {
  DriftField() = default;
  DriftField(const Vec3& everywhere) : mean(everywhere) {}

  Vec3 mean = Vec3::Zero();               // of all particles [m/s]
  std::array<int, 3> blocks = {0, 0, 0};  // along the axes
  std::vector<Vec3> nodes;                // at the centres of the blocks, x fastest [m/s]
  /// The greatest rate at which it brings two points nearer, of their distance: no pair at a
  /// distance d is nearer than (1 - t closing) d after a time t [1/s].
  double closing = 0.0;

  std::size_t Blocks() const {
    return static_cast<std::size_t>(blocks[0]) * static_cast<std::size_t>(blocks[1]) *
           static_cast<std::size_t>(blocks[2]);
  }
  /// @param domain  the one of LocalDrift
  Vec3 At(const Domain& domain, const Vec3& x) const;
};

/// Means over the blocks, smoothed; blocks without particles take what is next to them. The same
/// bits on any number of ranks. Collective.
/// @param mean   of all particles [m/s]
/// @param width  of a block at least; more where there would be too many [m]
/// @param most   blocks, 1 to kMaxBlocks
DriftField LocalDrift(const Communicator& communicator, const Domain& domain,
                      const Particles& particles, const Vec3& mean, double width,
                      double most = kMaxBlocks);

/// Velocities as whole numbers, in 2⁻¹⁶ m/s: sums of these do not depend on the order, and so not
/// on the ranks either.
struct CountedVelocities {
  static constexpr double kUnits = 65536.0;   // in 1 m/s
  static constexpr double kFastest = 8192.0;  // the sum of 8e9 particles fits

  /// Adds to three sums.
  static void Add(const Vec3& velocity, std::int64_t* sums);
  /// @param count  of particles in the sums, > 0   @returns their mean [m/s]
  static Vec3 Mean(const std::int64_t* sums, std::int64_t count);
};

}  // namespace scree
