/// \file  The forces and torques of the particles on the walls.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/particles/particles.hpp"
#include "solvers/base/types.hpp"

namespace scree {

struct ContactSpan;
struct WallBody;
struct WallPose;
class ContactBatches;

/// Mean force and torque on a wall over one step.
struct WallLoad {
  Vec3 force = Vec3::Zero();   // on the wall [N]
  Vec3 torque = Vec3::Zero();  // about the wall's centre, which moves with the wall [N m]
};

/// The impulse of one contact on its wall in a step.
struct WallImpulse {
  std::size_t wall = 0;          // in the scene
  Vec3 impulse = Vec3::Zero();   // on the wall [N s]
  Vec3 position = Vec3::Zero();  // point of action, on the wall's surface [m]
  Vec3 moment = Vec3::Zero();    // on the wall, of additional laws: rolling, spinning [N m s]
};

/// The impulse of contact j on its wall; none if its partner is not a wall.
std::optional<WallImpulse> WallImpulseOf(const Particles& particles, const ContactSpan& contacts,
                                         std::span<const WallBody> bodies,
                                         const ContactBatches& batches, std::size_t j);

/// Finds the contribution of this rank to the loads in a step,
/// F = −Σ λ/dt and M = −Σ [(x − c) × λ + Λ]/dt, with the impulse λ and the angular impulse Λ on the
/// particle, the contact point x on the wall's surface and the centre c of the wall.
/// @param particles  at the positions of the detection
/// @param batches    the solved contacts, in the same order; ghost contacts may follow them
/// @param poses      of all walls, in this step
/// @param loads      one per wall, replaced
void FindWallLoads(const Particles& particles, const ContactSpan& contacts,
                   std::span<const WallBody> bodies, std::span<const WallPose> poses,
                   const ContactBatches& batches, double dt, std::vector<WallLoad>& loads);

}  // namespace scree
