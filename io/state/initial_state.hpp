/// \file  Reads initial particles from a snapshot, a CSV table or a dump.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "engine/geometry/box.hpp"
#include "engine/geometry/clump_shape.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/materials.hpp"

namespace scree {

struct InitialState {
  Particles particles;           // this rank's part, all owned
  std::optional<Domain> domain;  // of the snapshot, or the box of the table
  bool is_snapshot = false;      // the domain then has its mean flow, too
};

/// Reads particles. Rows are distributed evenly among the ranks, regardless of positions.
/// Collective.
///
/// `*.csv`, or `*.csv.gz` compressed by gzip: a header row with x, y, z, radius and any of vx, vy,
/// vz, wx, wy, wz, qw, qx, qy, qz (orientation: the rotation from the axes of the shape to those of
/// the scene), shape, material, in any order; then rows of numbers in SI units and of names.
/// Defaults of missing columns: zero, sphere, no rotation, the first material. For a shape,
/// `radius` is the bounding radius (default: that of the description) and x, y, z the centre of
/// mass. Lines that start with # and blank lines are skipped, except for one comment `# box lx ly
/// lz`: the particles are in a box with these lengths and its lower corner at the origin. The id is
/// the row number, from 0.
///
/// `*.lammpstrj`, `*.dump`, `*.txt`: a text of LAMMPS or Yade (io/state/text_state.hpp).
///
/// Anything else: a snapshot (io/state/snapshot.hpp); ids are kept, materials and shapes are
/// matched by name.
///
/// @param clumps  clumps of the scene
/// @throws FileError on all ranks, with file, line, column and value where they exist: missing or
///         damaged file, no particles, wrong number of columns, a number that is not finite,
///         a radius that is not positive or beyond its limits (radius_limits), an id that occurs
///         twice, an unknown material
InitialState ReadInitialState(const Communicator& communicator, const std::string& path,
                              const MaterialTable& materials,
                              std::span<const ClumpShape> clumps = {});

/// Whether particles marked as removed are valid.
enum class RemovedParticles { kRejected, kAllowed };

/// Requires that particles from a file have values in range (number_range.hpp), materials and
/// shapes of the scene, and unique ids ≥ 0. Collective.
/// @param source  name of the source, for messages
/// @throws FileError on all ranks
void CheckParticles(const Communicator& communicator, const Particles& particles,
                    const MaterialTable& materials, std::span<const ClumpShape> clumps,
                    const std::string& source,
                    RemovedParticles removed = RemovedParticles::kRejected);

}  // namespace scree
