/// \file  Dense packings of spheres in closed boxes.
#pragma once

#include <array>

#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// Radius of the spheres of generated packings [m].
inline constexpr double kPackingRadius = 0.235e-3;

struct Packing {
  Particles particles;      // of this rank, all owned
  Vec3 box = Vec3::Zero();  // lengths; it begins at the origin [m]
};

/// A box with six walls, the lower and the upper one of x, then y, then z, all of one material;
/// without particles and gravity.
/// @param box  lengths [m]
Scene ClosedBox(const Vec3& box, const Material& material, double friction);

/// Makes a packing by simulation: a loose cubic lattice of frictionless spheres of 0.47 mm diameter
/// whose walls close in on three sides until it is dense, and some time to push each other apart.
/// At rest. Another number of ranks gives another packing. Collective.
/// @param count  spheres, ≥ 1
Packing GeneratePacking(const Communicator& communicator, int count);

/// Tiles copies of the packing, `tile` of them along each axis; ids continue.
/// Walls keep spheres a radius away, so that copies touch and do not overlap. Collective.
void Tile(const std::array<int, 3>& tile, const Communicator& communicator, Packing& packing);

}  // namespace scree
