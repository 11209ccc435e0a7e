/// \file  Periodic images of walls. The part of a wall that sticks out of one end of the domain
///        acts at the other end.
///
/// Cases along one periodic axis (# is the wall):
///
///     |  ####  |        no image
///     |   #####|##      one image, a period below
///     |########|        two images: a sphere at an end touches the wall and its image
///   ##|########|##      infinite wall, no image
#pragma once

#include <span>
#include <vector>

#include "engine/scene/scene.hpp"
#include "engine/scene/wall_motion.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// A copy of a wall, shifted by whole periods.
struct WallImage {
  Index wall = 0;             // row of Scene::walls
  Vec3 shift = Vec3::Zero();  // from the wall to the image, not zero [m]
  Shape shape;                // the wall's shape without planes, which are infinite
};

/// Appends the images of a wall that are closer to the domain than `reach` [m].
/// @param overhang  a wall that extends beyond both ends of an axis by at least this has no images
///                  along the axis; equal on all ranks, so that all ranks have the same images [m]
void AppendImages(const Scene& scene, std::size_t wall, const WallPose& pose, double reach,
                  double overhang, std::vector<WallImage>& images);

/// The pose of an image.
inline WallPose Shifted(WallPose pose, const Vec3& shift) {
  pose.displacement += shift;
  pose.tree_shift += shift;
  return pose;
}

/// All walls and their images at one time, to test whether a position is free.
class PlacedWalls {
 public:
  /// @param scene  must outlive this object
  /// @param poses  one per wall
  /// @param materials  of the particles; walls that stop none of them are left out
  /// @param reach  upper bound of `limit` in queries [m]
  PlacedWalls(const Scene& scene, const std::vector<WallPose>& poses,
              std::span<const MaterialId> materials, double reach);
  PlacedWalls(const PlacedWalls&) = delete;

  /// Whether x is inside a wall or image, or nearer than `limit` [m] to a wall or image.
  bool HasWallWithin(const Vec3& x, double limit) const;

 private:
  struct PlacedShape {
    const Shape* shape;
    WallPose pose;
  };
  std::vector<WallImage> images_;
  std::vector<PlacedShape> all_;
};

}  // namespace scree
