/// \file  Averages over space and time: what moves through the cells of a grid, summed over frames.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/geometry/box.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// A region cut into equal cells, numbered with x fastest.
struct FieldGrid {
  Box region;                            // inside the domain
  std::array<int, 3> cells = {1, 1, 1};  // along each axis, ≥ 1

  std::size_t Size() const;
  /// Number of the cell along each axis.
  std::array<int, 3> Place(std::size_t cell) const;
  Vec3 Centre(std::size_t cell) const;  // [m]
  double CellVolume() const;            // [m³]
};

/// Sums over frames of one rank's particles, or of all after SumOverRanks: plain data, all that a
/// later frame needs.
struct FieldSums {
  /// Entries of a cell, summed over its particles; vectors take three.
  enum Entry : std::size_t {
    kSamples = 0,          // particles times frames, a whole number
    kVelocity = 1,         // v [m/s]
    kSpeed = 4,            // ‖v‖ [m/s]
    kAngularVelocity = 5,  // ω, world axes [rad/s]
    kAngularSpeed = 8,     // ‖ω‖ [rad/s]
    kMass = 9,             // [kg]
    kVolume = 10,          // [m³]
    kEntries = 11
  };

  std::int64_t frames = 0;
  std::vector<double> values;  // kEntries of cell 0, then of cell 1, ...

  explicit FieldSums(const FieldGrid& grid) : values(kEntries * grid.Size(), 0.0) {}
  std::span<const double> Of(std::size_t cell) const {
    return std::span(values).subspan(kEntries * cell, kEntries);
  }
};

/// What a cell holds on average. The means over particles weigh each particle in each frame alike
/// and are zero where there was none; the densities are means over frames.
///
/// A sphere counts whole in the cell that holds its centre, and the part of a cell that lies inside
/// a wall or an obstacle is not taken off its volume.
struct CellMeans {
  std::int64_t samples = 0;      // particles times frames
  Vec3 velocity = Vec3::Zero();  // [m/s]
  double speed = 0.0;            // of the particles: mean of ‖v‖, not ‖mean of v‖ [m/s]
  Vec3 angular_velocity = Vec3::Zero();  // world axes [rad/s]
  double angular_speed = 0.0;            // mean of ‖ω‖ [rad/s]
  double number_density = 0.0;           // [1/m³]
  double mass_density = 0.0;             // [kg/m³]
  double solid_fraction = 0.0;           // [-]
};

/// Adds the owned particles of this moment as one more frame.
void AddFrame(const FieldGrid& grid, const Scene& scene, const Particles& particles,
              FieldSums& sums);

/// The sums of all ranks, on every rank. Collective.
FieldSums SumOverRanks(const Communicator& communicator, FieldSums sums);

/// @param sums  of all ranks, with at least one frame
CellMeans MeansOf(const FieldGrid& grid, const FieldSums& sums, std::size_t cell);

}  // namespace scree
