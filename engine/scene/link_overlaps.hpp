/// \file  Search for links that overlap walls or each other at time zero.
///
/// Links have contacts only with particles. A machine with overlapping links would therefore run
/// without resistance and squeeze particles between the overlapping solids.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/scene/scene.hpp"

namespace scree {

/// Two walls whose solids overlap at time zero; at least one belongs to a link.
struct LinkOverlap {
  std::size_t wall = 0, other = 0;  // rows of Scene::walls; the first is part of a link
  double depth = 0.0;         // approximate shortest displacement that separates the walls [m]
  Vec3 point = Vec3::Zero();  // inside both walls [m]
};

/// Finds the overlaps, in the order of the walls. Depths are exact to about a percent of the size
/// of the overlap. Not reported are:
///   * walls of one link, and of links that a joint or a loop connects,
///   * walls that can only slide along each other, such as a wheel that reaches into a wall so that
///     no particle gets between them,
///   * bearings: a wall of a link that a hinge or ball joint connects to the ground, and a fixed
///     wall, if they share a point of the hinge's axis or the ball joint's point,
///   * links that are half spaces, two sheets, walls that appear later, and meshes that are not
///     loaded.
std::vector<LinkOverlap> FindLinkOverlaps(const Scene& scene);

}  // namespace scree
