#include "engine/observation/free_volume.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "engine/geometry/surface_triangles.hpp"
#include "engine/scene/wall_images.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

// Maximum number of bisections of a cube that a surface crosses, for few and for many poses.
constexpr int kBisections = 15, kFewBisections = 11;
// Number of evaluations of crossed cubes up to which they have kBisections.
constexpr double kMaxFineCubes = 4096.0;
constexpr std::size_t kMaxPoses = 400;  // that are evaluated

/// Whether a part is solid; false for a sheet, and for a mesh whose surface is not loaded yet.
bool HasVolume(const ShapePart& part) {
  return InteriorOf(part) != Interior::kNone && IsLoaded({{part}});
}

/// A solid part of a wall or of an image of a wall, with its pose.
struct Solid {
  const ShapePart* part;  // of the wall
  WallPose pose;

  SurfacePoint Nearest(const Vec3& x) const {
    SurfacePoint point = NearestSurface(*part, pose.InShape(x));
    point.normal = pose.DirectionInSpace(point.normal);
    return point;
  }
};

std::vector<Solid> SolidsAt(const Scene& scene, double dt, std::int64_t step,
                            FreeWallStates free_walls) {
  std::vector<Solid> solids;
  const std::vector<WallPose> poses = WallPoses(scene, dt, step, free_walls);
  std::vector<WallImage> images;
  const auto add = [&](std::size_t w, const Vec3& shift) {
    for (const ShapePart& part : scene.walls[w].shape.parts) {
      const bool is_infinite = std::holds_alternative<Plane>(part);
      if (is_infinite && !shift.isZero(0.0)) continue;
      if (HasVolume(part)) solids.push_back({&part, Shifted(poses[w], shift)});
    }
  };
  for (std::size_t w = 0; w < poses.size(); ++w) {
    if (!poses[w].is_present) continue;
    add(w, Vec3::Zero());
    AppendImages(scene, w, poses[w], 0.0, 0.0, images);
  }
  for (const WallImage& image : images) add(static_cast<std::size_t>(image.wall), image.shift);
  return solids;
}

/// Free fraction of a box. Solids that cannot reach the box are not tested with its parts.
/// @param near   stack; its solids from `first` on may overlap the box. Unchanged on return
/// @param half   half the edges of the box [m]
double FreeFraction(std::vector<const Solid*>& near, std::size_t first, const Vec3& centre,
                    const Vec3& half, int bisections) {
  const double reach = half.norm();
  const std::size_t last = near.size();
  SurfacePoint nearest;
  for (std::size_t k = first; k < last; ++k) {
    const SurfacePoint point = near[k]->Nearest(centre);
    if (point.distance < reach) near.push_back(near[k]);
    if (point.distance < nearest.distance) nearest = point;
  }
  double fraction = 1.0;
  if (nearest.distance <= -reach) {
    fraction = 0.0;
  } else if (nearest.distance < reach && bisections == 0) {
    const double width = nearest.normal.cwiseAbs().dot(half);
    fraction = std::clamp(0.5 + 0.5 * nearest.distance / width, 0.0, 1.0);
  } else if (nearest.distance < reach) {
    Eigen::Index axis = 0;
    half.maxCoeff(&axis);
    Vec3 part = half, offset = Vec3::Zero();
    part[axis] = offset[axis] = 0.5 * half[axis];
    fraction = 0.5 * (FreeFraction(near, last, centre - offset, part, bisections - 1) +
                      FreeFraction(near, last, centre + offset, part, bisections - 1));
  }
  near.resize(last);
  return fraction;
}

/// Maximum number of bisections of a cell that a surface crosses: those that make cubes of a long
/// cell, and those of a cube. Each of the latter multiplies the time by 2^(2/3).
int BisectionsOf(const FieldGrid& grid, std::size_t poses) {
  const Vec3 extent = grid.CellExtent();
  int to_cubes = 0;
  for (const double edge : extent) {
    to_cubes += static_cast<int>(std::ceil(std::log2(edge / extent.minCoeff())));
  }
  const double cubes = std::ldexp(static_cast<double>(grid.Size()), to_cubes);
  const double crossed_cubes = static_cast<double>(poses) * std::pow(cubes, 2.0 / 3.0);
  const int fewer =
      poses > 1 ? static_cast<int>(1.5 * std::log2(std::max(1.0, crossed_cubes / kMaxFineCubes)))
                : 0;
  return to_cubes + std::max(kFewBisections, kBisections - fewer);
}

/// Free fraction of each cell. Each rank evaluates some of the cells. Collective.
std::vector<double> FreeFractionsAt(const Communicator& communicator, const FieldGrid& grid,
                                    const std::vector<Solid>& solids, int bisections) {
  std::vector<double> fractions(grid.Size(), 0.0);
  const Vec3 half = 0.5 * grid.CellExtent();
  const auto ranks = static_cast<std::size_t>(communicator.Size());
  std::vector<const Solid*> near;
  for (const Solid& solid : solids) near.push_back(&solid);
  for (auto cell = static_cast<std::size_t>(communicator.Rank()); cell < fractions.size();
       cell += ranks) {
    fractions[cell] = FreeFraction(near, 0, grid.Centre(cell), half, bisections);
  }
  communicator.Sum(fractions);
  return fractions;
}

/// The poses of solid walls, rounded to this fraction of a cell.
std::vector<std::int64_t> Rounded(const Scene& scene, const std::vector<WallPose>& poses,
                                  const FieldGrid& grid, double fraction) {
  const Vec3 length = fraction * grid.CellExtent();
  const double angle = length.minCoeff() / grid.region.Extent().norm();
  std::vector<std::int64_t> rounded;
  for (std::size_t w = 0; w < poses.size(); ++w) {
    if (!std::ranges::any_of(scene.walls[w].shape.parts, HasVolume)) continue;
    rounded.push_back(poses[w].is_present ? 1 : 0);
    if (!poses[w].is_present) continue;
    for (Eigen::Index k = 0; k < 3; ++k)
      rounded.push_back(std::llround(poses[w].displacement[k] / length[k]));
    if (!poses[w].is_rotated) continue;
    for (const double entry : poses[w].rotation.reshaped())
      rounded.push_back(std::llround(entry / angle));
  }
  return rounded;
}

/// Steps of at most `max_count` frames, one in each of as many equal parts of the sequence, at
/// irregular places in the parts.
std::vector<std::int64_t> IrregularSteps(const FrameSequence& frames, std::int64_t max_count) {
  const std::int64_t count = std::min(frames.count, max_count);
  const double frames_per_part = static_cast<double>(frames.count) / static_cast<double>(count);
  std::vector<std::int64_t> steps;
  for (std::int64_t k = 0; k < count; ++k) {
    std::int64_t frame = k;
    if (count < frames.count) {
      const auto part = static_cast<double>(k);
      const double turns = part * std::numbers::phi;
      frame =
          std::min(frames.count - 1,
                   static_cast<std::int64_t>((part + turns - std::floor(turns)) * frames_per_part));
    }
    steps.push_back(frames.first + frames.interval * frame);
  }
  return steps;
}

/// Groups of steps with equal rounded poses; incomplete if there are more than `max_groups`.
std::vector<std::vector<std::int64_t>> GroupByPoses(const FieldGrid& grid, const Scene& scene,
                                                    double dt,
                                                    const std::vector<std::int64_t>& steps,
                                                    FreeWallStates free_walls, double rounding,
                                                    std::size_t max_groups) {
  std::vector<std::vector<std::int64_t>> groups;
  std::map<std::vector<std::int64_t>, std::size_t> numbers;
  std::vector<WallPose> poses;
  for (const std::int64_t step : steps) {
    WallPoses(scene, dt, step, free_walls, poses);
    const auto [entry, is_new] =
        numbers.try_emplace(Rounded(scene, poses, grid, rounding), groups.size());
    if (is_new) groups.emplace_back();
    groups[entry->second].push_back(step);
    if (groups.size() > max_groups) break;
  }
  return groups;
}

/// Groups of steps with nearly equal poses of walls. At equal distances in time, a few steps would
/// see a periodic motion only in a few of its phases.
std::vector<std::vector<std::int64_t>> GroupByPoses(const FieldGrid& grid, const Scene& scene,
                                                    double dt, const FrameSequence& frames,
                                                    FreeWallStates free_walls) {
  constexpr std::int64_t kMaxFrames = 100000;
  const std::vector<std::int64_t> steps = IrregularSteps(frames, kMaxFrames);
  // Walls that appear or are removed make groups that no rounding joins.
  constexpr double kFinest = 1.0 / 1024.0, kCoarsest = 1024.0;
  for (double rounding = kFinest; rounding < kCoarsest; rounding *= 2.0) {
    auto groups = GroupByPoses(grid, scene, dt, steps, free_walls, rounding, kMaxPoses);
    if (groups.size() <= kMaxPoses) return groups;
  }
  return GroupByPoses(grid, scene, dt, steps, free_walls, kCoarsest, steps.size());
}

}  // namespace

std::vector<double> FreeCellFractions(const Communicator& communicator, const FieldGrid& grid,
                                      const Scene& scene, double dt, const FrameSequence& frames,
                                      FreeWallStates free_walls) {
  SCREE_DEMAND(frames.count >= 1);
  const auto groups = GroupByPoses(grid, scene, dt, frames, free_walls);
  std::size_t steps = 0;
  for (const auto& group : groups) steps += group.size();
  const int bisections = BisectionsOf(grid, groups.size());
  std::vector<double> mean(grid.Size(), 0.0);
  for (const auto& group : groups) {
    const std::vector<double> fractions = FreeFractionsAt(
        communicator, grid, SolidsAt(scene, dt, group[group.size() / 2], free_walls), bisections);
    const double weight = static_cast<double>(group.size()) / static_cast<double>(steps);
    for (std::size_t cell = 0; cell < mean.size(); ++cell) mean[cell] += weight * fractions[cell];
  }
  return mean;
}

}  // namespace scree
