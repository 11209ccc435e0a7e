#include "io/state/wall_records.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>

#include "io/output/surface_files.hpp"

namespace scree {
namespace {

PartRecord RecordPart(const ShapePart& part, const Box& domain, int sides) {
  PartRecord record{InteriorOf(part)};
  if (record.interior != Interior::kConvex) return record;
  SurfaceTriangles surface;
  surface.sides = sides;
  AddTriangles(part, domain, surface);
  record.corners = std::move(surface.points);
  // Adjacent polygons have the same bits at their common corners, so each corner is kept once.
  const auto is_less = [](const Vec3& a, const Vec3& b) {
    return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
  };
  std::ranges::sort(record.corners, is_less);
  // Not the std::ranges version, which clang 14 cannot compile with GCC's library.
  record.corners.erase(std::unique(record.corners.begin(), record.corners.end()),
                       record.corners.end());
  return record;
}

template <class Value, class Values>
void Append(const Values& values, std::vector<Value>& list) {
  list.insert(list.end(), std::begin(values), std::end(values));
}

}  // namespace

std::vector<WallRecord> RecordWalls(const Scene& scene, double dt, std::int64_t step,
                                    FreeWallStates free_walls) {
  const std::vector<WallPose> poses = WallPoses(scene, dt, step, free_walls);
  const int sides = CircleSides(scene);
  std::vector<WallRecord> records;
  for (std::size_t w = 0; w < scene.walls.size(); ++w) {
    const Wall& wall = scene.walls[w];
    WallRecord record{wall.name, poses[w].is_present};
    if (poses[w].is_rotated) {
      const Eigen::Quaterniond rotation(poses[w].rotation);
      record.orientation = {rotation.w(), rotation.x(), rotation.y(), rotation.z()};
    }
    record.displacement = poses[w].InSpace(Vec3::Zero());
    for (const ShapePart& part : wall.shape.parts) {
      record.parts.push_back(RecordPart(part, scene.domain.box, sides));
    }
    records.push_back(std::move(record));
  }
  return records;
}

void WriteWalls(Hdf5Writer& file, const std::vector<WallRecord>& walls, bool is_root) {
  const std::string group = "/scree/walls";
  file.MakeGroup(group);
  if (walls.empty()) return;
  std::vector<std::string> names, interiors;
  std::vector<std::int64_t> is_present, wall_of_part, corners_of_part;
  std::vector<double> orientations, displacements, corners;
  for (std::size_t w = 0; w < walls.size(); ++w) {
    const WallRecord& wall = walls[w];
    names.push_back(wall.name);
    is_present.push_back(wall.is_present ? 1 : 0);
    const Quaternion& q = wall.orientation;
    Append(std::array{q.w, q.x, q.y, q.z}, orientations);
    Append(wall.displacement, displacements);
    for (const PartRecord& part : wall.parts) {
      wall_of_part.push_back(static_cast<std::int64_t>(w));
      interiors.emplace_back(NamesOf(part.interior)[static_cast<std::size_t>(part.interior)]);
      corners_of_part.push_back(static_cast<std::int64_t>(part.corners.size()));
      for (const Vec3& corner : part.corners) Append(corner, corners);
    }
  }
  file.TextListAttribute(group, "name", names);
  file.TextListAttribute(group, "interior", interiors);
  const auto write = [&](const char* name, const auto& values, std::size_t columns) {
    using Number = typename std::remove_cvref_t<decltype(values)>::value_type;
    const std::size_t count = is_root ? values.size() : 0;
    file.Rows<Number>(group + "/" + name, std::span(values.data(), count), {columns});
  };
  write("is_there", is_present, 0);
  write("orientation", orientations, 4);
  write("displacement", displacements, 3);
  write("wall_of_part", wall_of_part, 0);
  write("corners_of_part", corners_of_part, 0);
  write("corners", corners, 3);
  for (const char* dataset : {"/displacement", "/corners"}) {
    file.TextAttribute(group + dataset, "unit", "m");
  }
}

std::size_t MaxBytesOf(const std::vector<WallRecord>& walls) {
  std::size_t bytes = 0, longest = 0;
  for (const WallRecord& wall : walls) {
    longest = std::max(longest, wall.name.size());
    bytes += 8 * sizeof(double);
    for (const PartRecord& part : wall.parts) {
      bytes += 4 * sizeof(double) + part.corners.size() * sizeof(Vec3);
    }
  }
  return bytes + walls.size() * longest;  // all texts of a list have the same length
}

}  // namespace scree
