#include "engine/observation/free_volume.hpp"

#include <algorithm>
#include <cmath>

#include "engine/geometry/surface_triangles.hpp"
#include "engine/scene/wall_images.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

constexpr int kBisections = 15;  // maximum number of bisections of a cube that a surface crosses

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

bool AreEqual(const std::vector<Solid>& a, const std::vector<Solid>& b) {
  return std::ranges::equal(a, b, [](const Solid& solid_a, const Solid& solid_b) {
    return solid_a.part == solid_b.part && solid_a.pose.displacement == solid_b.pose.displacement &&
           solid_a.pose.is_rotated == solid_b.pose.is_rotated &&
           solid_a.pose.rotation == solid_b.pose.rotation;
  });
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

/// Maximum number of bisections of a cell that a surface crosses: those of a cube, and those that
/// make cubes of a long cell.
int BisectionsOf(const Vec3& half) {
  int bisections = kBisections;
  for (const double edge : half) {
    bisections += static_cast<int>(std::ceil(std::log2(edge / half.minCoeff())));
  }
  return bisections;
}

/// Free fraction of each cell. Each rank evaluates some of the cells. Collective.
std::vector<double> FreeFractionsAt(const Communicator& communicator, const FieldGrid& grid,
                                    const std::vector<Solid>& solids) {
  std::vector<double> fractions(grid.Size(), 0.0);
  const Vec3 half = 0.5 * grid.CellExtent();
  const int bisections = BisectionsOf(half);
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

}  // namespace

std::vector<double> FreeCellFractions(const Communicator& communicator, const FieldGrid& grid,
                                      const Scene& scene, double dt,
                                      std::span<const std::int64_t> steps,
                                      FreeWallStates free_walls) {
  SCREE_DEMAND(!steps.empty());
  std::vector<double> mean(grid.Size(), 0.0), fractions;
  std::vector<Solid> solids;
  for (const std::int64_t step : steps) {
    std::vector<Solid> current = SolidsAt(scene, dt, step, free_walls);
    if (fractions.empty() || !AreEqual(current, solids))
      fractions = FreeFractionsAt(communicator, grid, current);
    solids = std::move(current);
    for (std::size_t cell = 0; cell < mean.size(); ++cell) {
      mean[cell] += fractions[cell] / static_cast<double>(steps.size());
    }
  }
  return mean;
}

}  // namespace scree
