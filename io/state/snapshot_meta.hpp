/// \file  The data of snapshots and checkpoints in addition to the particles: origin, observables,
///        solver report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/geometry/box.hpp"
#include "engine/geometry/clump_shape.hpp"
#include "engine/observation/observables.hpp"
#include "engine/scene/materials.hpp"
#include "io/files/hdf5_file.hpp"
#include "io/scene/run_config.hpp"
#include "io/state/wall_records.hpp"
#include "solvers/sweeps/solve_report.hpp"

namespace scree {

/// A shape of particles; all numbers are for a bounding radius of 1.
struct ShapeRecord {
  std::string name;
  std::vector<Member> members = {};  // about the centre of mass
  double volume = 0.0;               // of the union of the members
  double density = 0.0;              // [kg/m³]; 0: the material's
  Mat3 inertia = Mat3::Zero();       // about the centre of mass, divided by the mass; in body axes
  std::vector<std::int64_t> faces =
      {};  // of solids: for each face the number of corners, then the members that are its corners

  static std::vector<std::int64_t> FacesOf(const ClumpShape& shape) {
    std::vector<std::int64_t> faces;
    for (const SolidMember& solid : shape.solids) {
      for (const PolyhedronFace& face : solid.core.faces) {
        faces.push_back(static_cast<std::int64_t>(face.corners.size()));
        for (const std::uint16_t corner : face.corners) faces.push_back(solid.FeatureOf(corner));
      }
    }
    return faces;
  }
  static ShapeRecord Of(const ClumpShape& shape) {
    const Mat3 axes = RotationMatrix(shape.axes);
    return {shape.description.name,
            shape.members,
            shape.volume,
            shape.description.mass > 0.0 ? shape.Mass(0.0, 1.0) / shape.volume : 0.0,
            axes * shape.scaled_moments.asDiagonal() * axes.transpose(),
            FacesOf(shape)};
  }
};

struct SnapshotMeta {
  Domain domain;
  std::vector<Material> materials;  // row k is MaterialId k
  std::vector<ShapeRecord> shapes;  // shape k > 0 is shapes[k - 1]; only names are read back
  std::vector<WallRecord> walls;    // in snapshots only; not read back
  std::string configuration;        // the effective configuration as an ini file
  std::vector<InputDigest> inputs;  // of the files that the configuration names
  std::string program_version;
  std::string git_hash;
  std::uint64_t seed = 0;
  Observables observables;  // step and time are those of the snapshot
  SolveReport solve;        // of the last step
};

/// The data that follow from the scene and the observables: all except configuration and inputs.
/// @param observed  includes the step
SnapshotMeta MakeSnapshotMeta(const Scene& scene, double dt, const Observables& observed,
                              const SolveReport& report, FreeWallStates free_walls);

/// Writes to /scree everything except the domain and the walls.
void WriteMeta(Hdf5Writer& file, const SnapshotMeta& meta);

/// Reads what WriteMeta writes, but of shapes only the names. The caller sets the domain.
/// @throws FileError if data are missing
SnapshotMeta ReadMeta(const Hdf5Reader& file);

}  // namespace scree
