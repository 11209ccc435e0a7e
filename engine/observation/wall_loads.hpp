/// \file  What the particles do to the walls.
#pragma once

#include <span>
#include <vector>

#include "engine/particles/particles.hpp"
#include "solvers/base/types.hpp"

namespace scree {

struct ContactSpan;
struct WallBody;
struct WallPose;
class ContactBatches;

/// Means over one step.
struct WallLoad {
  Vec3 force = Vec3::Zero();   // on the wall [N]
  Vec3 torque = Vec3::Zero();  // about its centre, which moves along with it [N m]
};

/// This rank's part of the loads in a step, F = −Σ λ/dt and M = −Σ [(x − c) × λ + Λ]/dt with the
/// contact on the wall's surface at x.
/// @param particles  where the contacts were detected
/// @param batches    the same contacts, and any others after them, solved
/// @param poses      of all walls, in this step
/// @param loads      one per wall, replaced
void FindWallLoads(const Particles& particles, const ContactSpan& contacts,
                   std::span<const WallBody> bodies, std::span<const WallPose> poses,
                   const ContactBatches& batches, double dt, std::vector<WallLoad>& loads);

}  // namespace scree
