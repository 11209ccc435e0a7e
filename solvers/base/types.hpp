/// \file  Types that all parts share: vectors, matrices, indices, ids.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstdint>

namespace scree {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

/// Index of a body or contact in a local array; changes at every rebuild.
using Index = std::int32_t;

/// Identity of a particle for its whole life; the same on any number of ranks.
using ParticleId = std::int64_t;

/// Row of the material table.
using MaterialId = std::int32_t;

}  // namespace scree
