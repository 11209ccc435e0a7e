/// \file  Narrow phase of spheres: pairs are tested in packets of eight.
#pragma once

#include <vector>

#include "engine/contacts/pair_detection.hpp"
#include "engine/lists/packed_sphere.hpp"

namespace scree {

/// A packet of eight candidates of a sphere. Each mask has one bit per candidate.
struct CandidatePacket {
  Vector3<Double8> normal;  // from each partner to the sphere; undefined if the centres coincide
  Double8 gap;              // [m]
  const Index* partners;    // in the list
  std::size_t i;            // the sphere
  unsigned active;
  unsigned can_stay;           // near enough to stay active if the contact carried an impulse
  unsigned needs_scalar_test;  // beyond a periodic end or moving far
  unsigned coincide;           // the centres of partner and sphere coincide
};

/// Buffers of the detection, reused in every step.
struct SphereBuffers {
  std::vector<PackedSphere> packed;
  std::vector<PackedMotion> motions;    // empty unless contacts are speculative
  std::vector<CandidatePacket> tested;  // of a block of particles
};

/// Adds the active contacts of a scene in which all particles are spheres.
/// @returns the largest overlap [m]
double DetectSpheres(const PairDetection& pairs, SphereBuffers& buffers, WallDetection& walls);

}  // namespace scree
