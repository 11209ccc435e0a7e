/// \file  What a sweep needs from other ranks.
#pragma once

#include <span>

#include "solvers/contact_problem.hpp"

namespace scree {

/// Keeps the velocities of bodies that several ranks hold in step, and finds maxima over the ranks.
/// Every message has two halves, so that it can travel while the solver works.
class VelocitySync {
 public:
  virtual ~VelocitySync() = default;

  /// False if no body is shared, so that sweeps need not wait for each other.
  virtual bool IsNeeded() const = 0;

  /// Called before the first sweep, when all copies of a body are equal.
  virtual void Start(std::span<const SphereBody> bodies) = 0;

  /// Adds up the changes that the ranks made to each shared body in a sweep, so that all copies are
  /// equal again. From the first call to the last the solver leaves shared bodies alone.
  virtual void SendChanges(std::span<const SphereBody> bodies) = 0;
  virtual void TakeChanges(std::span<SphereBody> bodies) = 0;  // sends new velocities back
  virtual void TakeVelocities(std::span<SphereBody> bodies) = 0;

  /// Called instead where only owners change their bodies: gives their velocities to all copies.
  virtual void Refresh(std::span<SphereBody> bodies) = 0;

  /// The greatest of all ranks' values, with time to travel in between.
  virtual void SendMax(double value) = 0;
  virtual double TakeMax() = 0;
};

/// One rank, nothing shared.
class NoSync final : public VelocitySync {
 public:
  bool IsNeeded() const override { return false; }
  void Start(std::span<const SphereBody>) override {}
  void SendChanges(std::span<const SphereBody>) override {}
  void TakeChanges(std::span<SphereBody>) override {}
  void TakeVelocities(std::span<SphereBody>) override {}
  void Refresh(std::span<SphereBody>) override {}
  void SendMax(double value) override { max_ = value; }
  double TakeMax() override { return max_; }

 private:
  double max_ = 0.0;
};

}  // namespace scree
