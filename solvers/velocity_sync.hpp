/// \file  What a sweep needs from other ranks.
#pragma once

#include <span>

#include "solvers/contact_problem.hpp"

namespace scree {

/// Keeps the velocities of bodies that several ranks hold in step.
class VelocitySync {
 public:
  virtual ~VelocitySync() = default;

  /// Called before the first sweep, when all copies of a body are equal.
  virtual void Start(std::span<const SphereBody> bodies) = 0;

  /// Called after every sweep: adds up the changes that the ranks made to each shared body, so
  /// that all copies are equal again.
  virtual void Combine(std::span<SphereBody> bodies) = 0;
};

/// One rank, nothing shared.
class NoSync final : public VelocitySync {
 public:
  void Start(std::span<const SphereBody>) override {}
  void Combine(std::span<SphereBody>) override {}
};

}  // namespace scree
