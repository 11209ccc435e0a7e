/// \file  Links that start inside walls or inside each other.
///
/// Only particles touch links. Such a machine would therefore run without resistance, and squeeze
/// particles between its overlapping solids.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/scene/scene.hpp"

namespace scree {

/// Two walls whose solids overlap at time zero; at least one belongs to a link.
struct LinkOverlap {
  std::size_t wall = 0, other = 0;  // rows of Scene::walls; the first is part of a link
  double depth = 0.0;               // about the shortest way apart [m]
  Vec3 point = Vec3::Zero();        // in both [m]
};

/// Finds these overlaps, in the order of the walls. Depths are exact to about a percent of the size
/// of the overlap. Left out are:
///   * walls of one link, and of links that a joint or a loop connects,
///   * walls that can only slide along each other, such as a wheel and the wall into which it
///     reaches so that nothing gets between,
///   * a bearing: a link and a fixed wall, both of which contain the axis of a hinge, or the point
///     of a ball joint, between the link and the ground,
///   * links that are half spaces, two sheets, walls that appear later, and meshes that are not
///     loaded.
std::vector<LinkOverlap> FindLinkOverlaps(const Scene& scene);

}  // namespace scree
