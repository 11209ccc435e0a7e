/// \file  Candidate pairs with a skin: found rarely, good until something has moved half the skin.
#pragma once

#include <vector>

#include "engine/halo.hpp"
#include "engine/particles.hpp"
#include "engine/scene.hpp"

namespace scree {

struct WallCandidate {
  Index particle = 0;
  Index wall = 0;
};

/// Pairs closer than the skin (surface to surface) that this rank treats. The partners of owned
/// particle i are partner[first[i]] .. partner[first[i + 1] - 1]; each is an owned particle with a
/// greater index or a ghost.
struct NeighborList {
  double skin = 0.0;         // [m]
  std::vector<Index> first;  // owned + 1
  std::vector<Index> partner;
  std::vector<WallCandidate> walls;  // owned particles only
  std::vector<Vec3> reference;       // owned positions when the list was built [m]
  std::vector<Vec3> wall_reference;  // displacements of the walls then [m]
};

/// @param walls  displacement of each wall [m]
NeighborList BuildNeighborList(const Particles& particles, const Halo& halo, const Scene& scene,
                               const std::vector<Vec3>& walls, double skin, int rank);

/// True while every pair that can come within `margin` in the next step is in the list.
/// @param kick   change of velocity before the next move, dt g [m/s]
/// @param walls  displacements of the walls at the end of the next step [m]
bool CoversNextStep(const NeighborList& list, const Particles& particles,
                    const std::vector<Vec3>& walls, double dt, const Vec3& kick, double margin);

}  // namespace scree
