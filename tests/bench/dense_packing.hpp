/// \file  The data of the engine's micro-benchmarks: a dense packing, ready for a step.
#pragma once

#include <vector>

#include "engine/contacts/contact_detection.hpp"
#include "engine/lists/neighbor_list.hpp"
#include "engine/ranks/halo.hpp"
#include "engine/ranks/subdomains.hpp"
#include "engine/scene/step_parameters.hpp"

namespace scree::bench {

/// This rank's part of 27 000 spheres in a closed box, sorted along cells, with ghosts, candidates
/// and the contacts with gaps below 1 % of a diameter.
struct DensePacking {
  DensePacking();

  Scene scene;
  StepParameters parameters;
  Subdomains subdomains;
  ListReach reach;
  Particles particles;
  SizeClasses classes;  // of the owned particles
  Halo halo;
  std::vector<WallPose> walls;  // at rest
  std::vector<WallBody> wall_bodies;
  NeighborList list;
  ActivationRule rule;
  DetectionBuffers buffers;
  ContactList contacts;
};

/// The packing that all benchmarks use. The first call creates it and is collective.
DensePacking& SharedDensePacking();

}  // namespace scree::bench
