/// \file  The walls in snapshots: where they are, and what of them is solid. Who draws or measures
///        them needs to know no shapes then: the rest is the triangles of walls.vtk.
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
  std::vector<Vec3> corners = {};  // at time zero; of a convex part alone [m]
};

/// A place x of the shape at time zero is now at R x + displacement, R being the orientation.
struct WallRecord {
  std::string name;
  bool is_there = true;  // has appeared and is not removed yet
  Quaternion orientation = {};
  Vec3 displacement = Vec3::Zero();  // of what was at the origin [m]
  std::vector<PartRecord> parts = {};
};

/// The scene's walls at the beginning of a step.
std::vector<WallRecord> RecordWalls(const Scene& scene, double dt, std::int64_t step,
                                    FreeWallStates free_walls = {});

/// Writes them as /scree/walls, whose parent must exist. Collective, with the same walls on all
/// ranks.
/// @param root  whether this rank is the one that gives the rows
void WriteWalls(Hdf5Writer& file, const std::vector<WallRecord>& walls, bool root);

/// Upper bound of what WriteWalls adds to the file, but for groups and their like [bytes].
std::size_t SizeOf(const std::vector<WallRecord>& walls);

}  // namespace scree
