/// \file  The local mean velocity of particles. Neighbour lists can ignore this common motion.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/geometry/box.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// Largest number of blocks of a drift field. It keeps the messages small.
inline constexpr double kMaxBlocks = 2048.0;

/// A velocity field with nodes at the centres of equal blocks of the domain. It is linear between
/// nodes, and constant beyond the outermost nodes unless the domain is periodic. Without blocks it
/// is `mean` everywhere.
struct DriftField {
  DriftField() = default;
  DriftField(const Vec3& uniform) : mean(uniform) {}

  Vec3 mean = Vec3::Zero();               // of all particles [m/s]
  std::array<int, 3> blocks = {0, 0, 0};  // along the axes
  std::vector<Vec3> nodes;                // at the centres of the blocks, x fastest [m/s]
  /// Largest rate at which the field brings two points closer, relative to their distance. After a
  /// time t, points at an initial distance d are at least (1 − t closing_rate) d apart [1/s].
  double closing_rate = 0.0;

  std::size_t Blocks() const {
    return static_cast<std::size_t>(blocks[0]) * static_cast<std::size_t>(blocks[1]) *
           static_cast<std::size_t>(blocks[2]);
  }
  /// @param domain  as given to LocalDrift
  /// @returns the drift at x [m/s]
  Vec3 At(const Domain& domain, const Vec3& x) const;
};

/// Computes the drift field from smoothed mean velocities of blocks. Blocks without particles get
/// the mean of their neighbours. The bits do not depend on the number of ranks. Collective.
/// @param mean   of all particles [m/s]
/// @param width  minimum width of a block; `max_blocks` may make blocks wider [m]
/// @param max_blocks  1 to kMaxBlocks
DriftField LocalDrift(const Communicator& communicator, const Domain& domain,
                      const Particles& particles, const Vec3& mean, double width,
                      double max_blocks = kMaxBlocks);

/// Velocities as integers in units of 2⁻¹⁶ m/s. Integer sums do not depend on the order, and hence
/// not on the ranks.
struct IntegerVelocities {
  static constexpr double kUnits = 65536.0;    // per m/s
  static constexpr double kMaxSpeed = 8192.0;  // [m/s]; sums over 8e9 particles do not overflow

  /// Adds a velocity, with each component clamped to ±kMaxSpeed, to three sums.
  static void Add(const Vec3& velocity, std::int64_t* sums);
  /// @param count  number of particles in the sums, > 0   @returns the mean [m/s]
  static Vec3 Mean(const std::int64_t* sums, std::int64_t count);
};

}  // namespace scree
