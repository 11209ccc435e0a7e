/// \file  Periodic images of walls: what of a wall sticks out of one end of the domain is felt at
///        the other.
///
/// Along one periodic axis, within reach of the domain and of its ends:
///
///     |  ####  |        no image
///     | #####==|==      one, a period below
///     |========|        one on either side: a sphere at an end meets the wall and its image
///   ==|========|==      endless, no image
#pragma once

#include <vector>

#include "engine/scene/scene.hpp"
#include "engine/scene/wall_motion.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// A copy of a wall, whole periods away.
struct WallImage {
  Index wall = 0;             // row of Scene::walls
  Vec3 shift = Vec3::Zero();  // from the wall, not zero [m]
  Shape shape;                // the wall's, without planes: these are endless
};

/// Appends the images of a wall that come nearer to the domain than `reach`.
/// @param past  a wall that reaches farther than this past both ends of an axis has none along it;
///              the same on all ranks, which then have the same images [m]
void AppendImages(const Scene& scene, std::size_t wall, const WallPose& pose, double reach,
                  double past, std::vector<WallImage>& images);

/// The pose of an image.
inline WallPose Shifted(WallPose pose, const Vec3& shift) {
  pose.displacement += shift;
  pose.tree_shift += shift;
  return pose;
}

/// All walls and their images at a moment, for those who ask whether a place is free.
class PlacedWalls {
 public:
  /// @param scene  to stay
  /// @param poses  one per wall
  /// @param reach  no question has a greater limit [m]
  PlacedWalls(const Scene& scene, const std::vector<WallPose>& poses, double reach);
  PlacedWalls(const PlacedWalls&) = delete;

  /// True if x is nearer to one than `limit`, or inside.
  bool AreNearer(const Vec3& x, double limit) const;

 private:
  struct Standing {
    const Shape* shape;
    WallPose pose;
  };
  std::vector<WallImage> images_;
  std::vector<Standing> all_;
};

}  // namespace scree
