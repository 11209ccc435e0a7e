/// \file  The communication between ranks in sweeps over velocities.
#pragma once

#include <cstdint>
#include <span>

#include "solvers/one_contact/contact.hpp"
#include "solvers/one_contact/rigid_body.hpp"
#include "solvers/sweeps/body_sync.hpp"

namespace scree {

/// Finds the maximum over the ranks by a non-blocking all-reduce.
class MaxSync {
 public:
  virtual ~MaxSync() = default;
  virtual void StartMax(double value) = 0;
  virtual double FinishMax() = 0;
};

/// Synchronises the velocities of bodies on several ranks, and finds maxima over the ranks.
template <class Body>
class VelocitySyncOf : public BodySync<Body>, public MaxSync {
 public:
  /// Marks the bodies on several ranks. They change even if this rank has no contact with them.
  /// @param marks  one per body, to be set to 1
  virtual void MarkShared(std::span<std::uint8_t> marks) const = 0;
};
using VelocitySync = VelocitySyncOf<SphereBody>;
using RigidVelocitySync = VelocitySyncOf<RigidBody>;

}  // namespace scree
