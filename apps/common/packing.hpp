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
  Vec3 box = Vec3::Zero();  // lengths; one corner is the origin [m]
};

/// A box without particles and gravity, with six walls of one material: lower x, upper x, then the
/// same of y and z.
/// @param box  lengths [m]
Scene ClosedBox(const Vec3& box, const Material& material, double friction);

/// Makes a packing by simulation: three walls compress a loose cubic lattice of frictionless
/// spheres (diameter 0.47 mm) until it is dense. Some steps then reduce the overlaps. The
/// result is at rest and depends on the number of ranks. Collective.
/// @param count  spheres, ≥ 1
Packing GeneratePacking(const Communicator& communicator, int count);

/// Replaces the packing by a grid of its copies, `tile` of them along each axis. The ids of the
/// copies follow those of the packing. Copies touch but do not overlap, because the walls keep all
/// centres at least a radius away from the faces of the packing. Collective.
void Tile(const std::array<int, 3>& tile, const Communicator& communicator, Packing& packing);

}  // namespace scree
