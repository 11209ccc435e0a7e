/// \file  The walls in snapshots: their positions and solid parts. With these and the triangles of
///        walls.vtk, scripts can draw and measure walls without knowing their shapes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/geometry/surface_triangles.hpp"
#include "engine/particles/particles.hpp"
#include "engine/scene/scene.hpp"
#include "engine/scene/wall_motion.hpp"
#include "io/files/hdf5_file.hpp"

namespace scree {

struct PartRecord {
  Interior interior = Interior::kNone;
  std::vector<Vec3> corners = {};  // at time zero; only of a convex part [m]
};

/// A point x of the shape at time zero is now at R x + displacement, where R is the orientation.
struct WallRecord {
  std::string name;
  bool is_present = true;  // has appeared and is not removed yet
  Quaternion orientation = {};
  Vec3 displacement = Vec3::Zero();  // of the point that was at the origin [m]
  std::vector<PartRecord> parts = {};
};

/// The walls of the scene at the beginning of a step.
std::vector<WallRecord> RecordWalls(const Scene& scene, double dt, std::int64_t step,
                                    FreeWallStates free_walls = {});

/// Writes the walls as /scree/walls, whose parent group must exist. Collective, with the same walls
/// on all ranks.
/// @param is_root  whether this rank writes the rows
void WriteWalls(Hdf5Writer& file, const std::vector<WallRecord>& walls, bool is_root);

/// Upper bound of the data that WriteWalls adds to the file, without groups and other overhead
/// [bytes].
std::size_t MaxBytesOf(const std::vector<WallRecord>& walls);

}  // namespace scree
