/// \file  Periodic images of walls. The part of a wall that sticks out of one end of the domain
///        acts at the other end.
///
/// Along one periodic axis, counting walls within reach of the domain and its ends:
///
///     |  ####  |        no image
///     | #####==|==      one image, a period below
///     |========|        an image on either side: a sphere at an end meets the wall and its image
///   ==|========|==      endless wall, no image
#pragma once

#include <vector>

#include "engine/scene/scene.hpp"
#include "engine/scene/wall_motion.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// A copy of a wall, shifted by whole periods.
struct WallImage {
  Index wall = 0;             // row of Scene::walls
  Vec3 shift = Vec3::Zero();  // from the wall to the image, not zero [m]
  Shape shape;                // the wall's shape without planes, which are endless
};

/// Appends the images of a wall that are closer to the domain than `reach`.
/// @param past  a wall that extends past both ends of an axis by more than this has no images along
///              this axis; the same on all ranks, so that all have the same images [m]
void AppendImages(const Scene& scene, std::size_t wall, const WallPose& pose, double reach,
                  double past, std::vector<WallImage>& images);

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
  /// @param reach  upper bound of `limit` in queries [m]
  PlacedWalls(const Scene& scene, const std::vector<WallPose>& poses, double reach);
  PlacedWalls(const PlacedWalls&) = delete;

  /// True if x is inside a wall or image, or nearer to one than `limit`.
  bool AreNearer(const Vec3& x, double limit) const;

 private:
  struct PlacedShape {
    const Shape* shape;
    WallPose pose;
  };
  std::vector<WallImage> images_;
  std::vector<PlacedShape> all_;
};

}  // namespace scree
