/// \file  Regions in which particles are created.
#pragma once

#include <variant>

#include "engine/geometry/box.hpp"
#include "engine/geometry/shapes.hpp"

namespace scree {

using Region = std::variant<Box, Cylinder, Ball>;

Box BoundsOf(const Region& region);

/// [m³]
double VolumeOf(const Region& region);

/// Whether a sphere is completely inside, to rounding.
bool Contains(const Region& region, const Vec3& centre, double radius);

/// Whether a sphere of this radius fits into the region.
bool HasRoom(const Region& region, double radius);

}  // namespace scree
